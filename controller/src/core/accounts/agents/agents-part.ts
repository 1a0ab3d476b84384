// Agents as a part: the registry of access points, and their enrolment.

import type { PrincipalSource } from '../../base/caller.ts';
import type { Events } from '../../events.ts';
import type { Network } from '../../network/network.ts';
import type { Part, Platform } from '../../part.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import { fillNameKeys } from './agent-record.ts';
import { agentRoutes } from './agent-routes.ts';
import { AgentService } from './agent-service.ts';
import { AgentStore } from './agent-store.ts';
import { EnrolmentService, reachableUrls } from './enrolment-service.ts';
import { EnrolmentTokenStore } from './enrolment-token-store.ts';
import { labelRoutes } from './label-routes.ts';
import { LabelService, labelWatcher } from './label-service.ts';

/** As long as one may be asked for. */
const longestTokenMs = 365 * 86_400_000;

export function createAgentsPart(
  platform: Platform & {
    network: Network;
    audit: AuditService;
    changes: CallerChanges;
    users: Pick<PrincipalSource, 'present'>;
  },
  events: Events,
) {
  const { config, database, hasher, audit, changes, ownUrl, onError, network } = platform;
  const store = new AgentStore(database);
  const agents = new AgentService({
    network,
    agents: store,
    hasher,
    changes,
    audit,
    maxAgents: config.maxAgents,
    ownChanges: platform.shares.budget('agent_changes', { perSecond: 0.2, reserve: 60 }),
    onConfigured: events.agentConfigured.emit,
    forgetData: events.agentRemoved.run,
  });
  const tokens = new EnrolmentTokenStore(database);
  platform.retention.add({
    name: 'enrolment tokens',
    keptMs: longestTokenMs,
    remove: (nowMs) => tokens.removeExpired(Math.min(nowMs, platform.now())),
  });
  const enrolment = new EnrolmentService({
    agents,
    tokens,
    audit,
    managerNow: async (ref) => (await platform.users.present(database, [ref]))[0],
    reachableUrls: () => reachableUrls(config, ownUrl()),
    now: platform.now,
  });
  const watcher = labelWatcher();
  const labels = new LabelService({
    network,
    agents: store,
    audit,
    acceptsSuggestions: config.acceptLabels === 'yes',
    onChanged: events.labelsChanged.emit,
    watcher,
    onError,
  });
  events.agentConfigured.on(({ ap_id, configuration }) => void labels.accept(ap_id, configuration));
  return {
    agents,
    agentStore: store,
    labels,
    labelWatcher: watcher,
    prepare: () => database.transaction(fillNameKeys),
    routes: [...agentRoutes({ agents, enrolment }), ...labelRoutes(labels)],
    schemes: [enrolment],
  } satisfies Part & Record<string, unknown>;
}
