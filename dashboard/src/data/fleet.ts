// The fleet as most pages need it: every agent with its presence, technology and place, kept fresh.
import { useEffect, useMemo } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { AgentDetails, AgentPresence, Technology } from '../api/operations.ts';
import { geolocationOf, technologyOf } from './agent-configuration.ts';
import { type ShownState, shownState } from './agent-state.ts';
import { noteAnswer } from './freshness.ts';
import { useOperation } from './use-operation.ts';

export interface FleetAgent {
  ap_id: string;
  configuration: Record<string, unknown>;
  technology: Technology | undefined;
  geolocation: { latitude: number; longitude: number } | undefined;
  site: string;
  isEmulated: boolean;
  state: ShownState;
  /** Undefined until presence has been told once. */
  details: AgentPresence | undefined;
}

export interface Fleet {
  /** Undefined until both lists have come. */
  agents: FleetAgent[] | undefined;
  failure: Failure | undefined;
}

/** How often to ask about every agent: of a large fleet less often, because its answer is long and a person sees sums of it. */
export function fleetPollMs(count: number): number {
  return Math.max(2000, Math.min(count * 20, 10_000), count * 2);
}

/** Without `state` emulated agents whose run has ended are left out. */
export function useFleet(filter: { state?: 'all' } = {}): Fleet {
  const details = useOperation(
    'metrics_agent_details',
    { query: filter },
    { pollMs: (agents) => Math.max(5000, agents.length * 4) },
  );
  const presence = useOperation('metrics_presence', {}, { pollMs: ({ agents }) => fleetPollMs(agents.length) });
  const power = useOperation(
    'metrics_latest',
    { query: { metrics: ['active'] } },
    { pollMs: ({ agents }) => fleetPollMs(agents.length) },
  );
  const isAll = filter.state === 'all';
  const ended = useOperation(
    'metrics_agent_details',
    { query: { state: 'ended' } },
    { isWanted: isAll, pollMs: 10_000 },
  );
  const { updatedAt } = presence;
  useEffect(() => {
    if (updatedAt > 0) noteAnswer();
  }, [updatedAt]);
  const configured = useMemo(() => details.data?.map(toConfigured), [details.data]);
  const agents = useMemo(() => {
    if (!configured || !presence.data || (isAll && !ended.data)) return undefined;
    const byName = new Map(presence.data.agents.map((agent) => [agent.ap_id, agent]));
    const over = new Set(ended.data?.map(({ ap_id }) => ap_id));
    const asleep = new Set(power.data?.agents.filter(({ metrics }) => isOff(metrics.active)).map(({ ap_id }) => ap_id));
    return configured.map((agent) => {
      const told = byName.get(agent.ap_id);
      return {
        ...agent,
        state: over.has(agent.ap_id) ? 'ended' : stateOf(told, asleep.has(agent.ap_id)),
        details: told,
      };
    });
  }, [configured, presence.data, ended.data, power.data]);
  return { agents, failure: details.failure ?? presence.failure };
}

export function stateOf(told: AgentPresence | undefined, isAsleep: boolean): ShownState {
  if (!told || told.last_seen === null) return 'never';
  return shownState(told.presence, isAsleep);
}

/** What an agent reports as `active` while it serves nobody. */
export function isOff(active: unknown): boolean {
  return (active as { value?: unknown } | undefined)?.value === 0;
}

function toConfigured({ ap_id, configuration }: AgentDetails): Omit<FleetAgent, 'state' | 'details'> {
  return {
    ap_id,
    configuration,
    technology: technologyOf(configuration),
    geolocation: geolocationOf(configuration),
    site: typeof configuration.site === 'string' ? configuration.site : '',
    isEmulated: configuration.emulated !== undefined && configuration.emulated !== false,
  };
}
