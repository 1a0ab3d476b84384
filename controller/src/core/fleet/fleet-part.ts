// The fleet as a part: all agents in memory, and what looks at or changes many of them.

import { agentStates, parseSelector } from '@weft/contract/selector';
import type { AgentService } from '../accounts/agents/agent-service.ts';
import type { LabelService } from '../accounts/agents/label-service.ts';
import type { LabelWatcher } from '../accounts/agents/label-watcher.ts';
import type { AuditLog } from '../accounts/audit/audit-store.ts';
import { callerNow, type Principals } from '../base/caller.ts';
import type { Formats } from '../base/input/validator.ts';
import { valueError } from '../base/input/value-rules.ts';
import { rightsOf } from '../base/rights/rights.ts';
import { inSlices } from '../base/time-slices.ts';
import type { BatchService } from '../commands/api/batch-service.ts';
import type { Events } from '../events.ts';
import type { JobsPart } from '../jobs/jobs-part.ts';
import type { Part, Platform } from '../part.ts';
import type { Port } from '../port.ts';
import type { PresenceService } from '../telemetry/presence/presence-service.ts';
import { BulkActions } from './bulk/bulk-actions.ts';
import { BulkDriver } from './bulk/bulk-driver.ts';
import { bulkRoutes } from './bulk/bulk-routes.ts';
import { BulkService } from './bulk/bulk-service.ts';
import { BulkStore } from './bulk/bulk-store.ts';
import { FleetIndex, type IndexedAgent } from './index/fleet-index.ts';
import { FleetStore } from './index/fleet-store.ts';
import { createTest, FleetView, needsOf } from './index/fleet-view.ts';
import { MetricColumns } from './index/metric-columns.ts';
import { StateColumn } from './index/state-column.ts';
import { listRoutes } from './list/list-routes.ts';
import { ListService } from './list/list-service.ts';

/** How long the newest values are trusted where other nodes hear of them too: lists of all nodes are the same within two seconds. */
const sharedFreshMs = 1_500;

interface FleetPartDeps extends Platform {
  presence: PresenceService;
  principals: Principals;
  agents: AgentService;
  labels: LabelService;
  labelWatcher: Port<LabelWatcher>;
  auditLog: AuditLog;
  jobs: Pick<JobsPart, 'jobStore' | 'kinds' | 'mailbox'>;
  batches: BatchService;
}

export function createFleetPart(deps: FleetPartDeps, events: Events) {
  const { config, database, telemetryStore: telemetry, presence, keyring, shares, onError } = deps;
  const { principals, agents, labels, auditLog, batches } = deps;
  const { jobStore, kinds, mailbox } = deps.jobs;
  const store = new FleetStore(database);
  const index = new FleetIndex(store);
  const states = new StateColumn({ presence, agent: (ap_id) => index.get(ap_id) });
  presence.onChange((ap_id) => states.changed(ap_id));
  const columns = new MetricColumns({
    telemetry,
    index,
    freshMs: config.telemetryUrl !== undefined ? sharedFreshMs : Number.POSITIVE_INFINITY,
  });
  index.gone.on((agent, successor) => {
    columns.forget(agent.slot);
    states.gone(agent, successor);
  });
  index.taken.on((agent) => {
    states.taken(agent);
    if (agent.isEnded) events.agentEnded.emit(agent.ap_id);
  });
  events.hasEnded.onAsk((ap_id) => index.get(ap_id)?.isEnded);
  events.networkEnded.on(
    () => void index.refresh().catch((error) => onError(error, 'the end of a network could not be read')),
  );
  const view = new FleetView({
    index,
    columns,
    states,
    presence,
    severities: events.agentSeverities.ask,
    configStates: events.configStates.ask,
  });
  const lists = new ListService({ view, store, telemetry, shares });
  events.recorded.on((ap_id, samples) => columns.recorded(ap_id, samples));
  events.visibleSites.onAsk(async (caller) => {
    const rights = rightsOf(caller);
    if (rights.seesAll) return undefined;
    const { agents } = await view.moment({});
    const sites = new Map<string, number>();
    await inSlices(agents, (agent) => {
      if (agent.site !== null && rights.sees(agent)) sites.set(agent.site, (sites.get(agent.site) ?? 0) + 1);
    });
    return sites;
  });
  events.agentSight.onAsk(async (caller, text) => {
    const selector = parseSelector(text);
    const test = createTest(selector, await view.moment(needsOf(selector, caller)));
    const rights = rightsOf(caller);
    const isSeen = remembered((agent) => rights.sees(agent));
    const isSelected = remembered(test);
    return {
      seesAll: rights.seesAll,
      isSeen: (ap_id) => isSeen(index.get(ap_id)),
      isSelected: (ap_id) => isSelected(index.get(ap_id)),
      typeOf: (ap_id) => index.get(ap_id)?.access_point_type ?? null,
      wordsOf: (ap_id) => {
        const { display_name, site, access_point_type } = index.get(ap_id) ?? {};
        return [ap_id, display_name, site, access_point_type].join('\n').toLowerCase();
      },
    };
  });
  events.agentsCalled.onAsk((name) => view.named((each) => each === name.trim().toLowerCase()));
  const bulkStore = new BulkStore(database, jobStore);
  const actions = new BulkActions({ view, batches, labels, agents, watcher: deps.labelWatcher });
  const bulk = new BulkService({
    store: bulkStore,
    view,
    configurations: (ap_ids) => store.configurations(ap_ids),
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
    fleet: view,
    bulk: driver,
    index,
    routes: [...listRoutes(lists), ...bulkRoutes(bulk)],
    formats: fleetFormats,
    metrics: {
      weft_agents: {
        help: 'Access points by state and technology, on any node',
        labels: ['state', 'technology'],
        values: () => countAgents(view),
      },
      weft_agents_stale_seconds: {
        help: 'How long ago the access points that this process knows were the whole truth',
        value: () => index.staleMs / 1000,
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
        view.moment({ power: true }).catch((error) => onError(error, 'the agents could not be read into memory'));
      }
    },
    drain: () => driver.stop(),
    stop: () => lists.stop(),
  } satisfies Part & Record<string, unknown>;
}

/** Asked again and again about the same agents. */
function remembered(test: (agent: IndexedAgent) => boolean): (agent: IndexedAgent | undefined) => boolean {
  const known = new Map<IndexedAgent, boolean>();
  return (agent) => {
    if (!agent) return false;
    let answer = known.get(agent);
    if (answer === undefined) {
      answer = test(agent);
      known.set(agent, answer);
    }
    return answer;
  };
}

const technologies = ['5G', 'WiFi', 'LiFi'];

/** Every state and technology, also those that nobody has, so that no series comes and goes. */
async function countAgents(view: FleetView) {
  const counts = new Map<string, { labels: { state: string; technology: string }; value: number }>();
  for (const state of agentStates) {
    for (const technology of [...technologies, 'other']) {
      counts.set(`${state} ${technology}`, { labels: { state, technology }, value: 0 });
    }
  }
  const moment = await view.moment({ state: true });
  await inSlices(moment.agents, (agent) => {
    const { access_point_type: type } = agent;
    const technology = type !== null && technologies.includes(type) ? type : 'other';
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
