// The fleet as a part: all agents in memory, and what looks at or changes many of them.

import { agentStates } from '@weft/contract/selector';
import { technologyNames } from '@weft/contract/technologies';
import type { AgentService } from '../accounts/agents/agent-service.ts';
import type { LabelService, LabelWatcher } from '../accounts/agents/label-service.ts';
import type { AuditLog } from '../accounts/audit/audit-store.ts';
import { callerNow, type Principals } from '../base/caller.ts';
import type { Formats } from '../base/input/validator.ts';
import { valueError } from '../base/input/value-rules.ts';
import { inSlices } from '../base/time-slices.ts';
import type { BatchService } from '../commands/api/batch-service.ts';
import type { JobsPart } from '../jobs/jobs-part.ts';
import type { AgentRowStore } from '../network/agent-row-store.ts';
import type { Network } from '../network/network.ts';
import type { Part, Platform } from '../part.ts';
import type { Port } from '../port.ts';
import { BulkActions } from './bulk/bulk-actions.ts';
import { BulkDriver } from './bulk/bulk-driver.ts';
import { bulkRoutes } from './bulk/bulk-routes.ts';
import { BulkService } from './bulk/bulk-service.ts';
import { BulkStore } from './bulk/bulk-store.ts';
import { listRoutes } from './list/list-routes.ts';
import { ListService } from './list/list-service.ts';

interface FleetPartDeps extends Platform {
  network: Network;
  agentRows: AgentRowStore;
  principals: Principals;
  agents: AgentService;
  labels: LabelService;
  labelWatcher: Port<LabelWatcher>;
  auditLog: AuditLog;
  jobs: Pick<JobsPart, 'jobStore' | 'kinds' | 'mailbox'>;
  batches: BatchService;
}

export function createFleetPart(deps: FleetPartDeps) {
  const { config, database, telemetryStore: telemetry, network, agentRows, keyring, shares, onError } = deps;
  const { principals, agents, labels, auditLog, batches } = deps;
  const { jobStore, kinds, mailbox } = deps.jobs;
  const lists = new ListService({ network, agentRows, telemetry, shares });
  const bulkStore = new BulkStore(database, jobStore);
  const actions = new BulkActions({ network, batches, labels, agents, watcher: deps.labelWatcher });
  const bulk = new BulkService({
    store: bulkStore,
    network,
    actions,
    batches,
    jobs: jobStore,
    auditLog,
    keyring,
    shares,
  });
  const driver = new BulkDriver({
    store: bulkStore,
    jobs: jobStore,
    mailbox,
    actions,
    keyring,
    callerNow: (ref) => callerNow(principals, database, ref),
    onError,
  });
  kinds.set('bulk', {
    async cancel({ name }, { job_number }) {
      await mailbox.end(job_number, 'cancelled', `Stopped by ${name}`);
      return true;
    },
  });
  return {
    bulk: driver,
    routes: [...listRoutes(lists), ...bulkRoutes(bulk)],
    formats: fleetFormats,
    metrics: {
      weft_agents: {
        help: 'Access points by state and technology, on any node',
        labels: ['state', 'technology'],
        values: () => countAgents(network),
      },
      weft_agent_list_snapshots: {
        help: 'Lists of agents whose next pages are of one moment',
        value: () => lists.openSnapshots,
      },
    },
    start() {
      // So that the first list does not wait for it.
      if (config.roles.includes('worker')) driver.start();
      if (config.roles.includes('api')) {
        network.moment({ power: true }).catch((error) => onError(error, 'the agents could not be read into memory'));
      }
    },
    drain: () => driver.stop(),
    stop: () => lists.stop(),
  } satisfies Part & Record<string, unknown>;
}

/** Every state and technology, also those that nobody has, so that no series comes and goes. */
async function countAgents(network: Network) {
  const counts = new Map<string, { labels: { state: string; technology: string }; value: number }>();
  for (const state of agentStates) {
    for (const technology of [...technologyNames, 'other']) {
      counts.set(`${state} ${technology}`, { labels: { state, technology }, value: 0 });
    }
  }
  const moment = await network.moment({ state: true });
  await inSlices(moment.agents, (agent) => {
    const technology = technologyNames.find((name) => name === agent.access_point_type) ?? 'other';
    counts.get(`${moment.stateOf(agent)} ${technology}`)!.value++;
  });
  return [...counts.values()];
}

// The `format`s of the fleet's operations.
const agentFields = ['configuration', 'latest'];

export const fleetFormats: Formats = {
  'agent-fields': (value, loc) => {
    const names = (value as string[]).flatMap((text) => text.split(',')).map((name) => name.trim());
    const known = names.filter((name) => name !== '');
    if (known.every((name) => agentFields.includes(name))) return { value: [...new Set(known)] };
    return { problems: [valueError(loc, `fields are ${agentFields.join(' and ')}`)] };
  },
};
