// The fleet as most pages need it: every agent with its presence, technology and place, kept fresh.
import { useEffect, useMemo } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { AgentDetails, AgentPresence, Presence, Technology } from '../api/operations.ts';
import { geolocationOf, technologyOf } from './agent-configuration.ts';
import { noteAnswer } from './freshness.ts';
import { useOperation } from './use-operation.ts';

export interface FleetAgent {
  ap_id: string;
  configuration: Record<string, unknown>;
  technology: Technology | undefined;
  geolocation: { latitude: number; longitude: number } | undefined;
  site: string;
  isEmulated: boolean;
  presence: Presence;
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
  const { updatedAt } = presence;
  useEffect(() => {
    if (updatedAt > 0) noteAnswer();
  }, [updatedAt]);
  const configured = useMemo(() => details.data?.map(toConfigured), [details.data]);
  const agents = useMemo(() => {
    if (!configured || !presence.data) return undefined;
    const byName = new Map(presence.data.agents.map((agent) => [agent.ap_id, agent]));
    return configured.map((agent) => {
      const told = byName.get(agent.ap_id);
      return { ...agent, presence: told?.presence ?? 'offline', details: told };
    });
  }, [configured, presence.data]);
  return { agents, failure: details.failure ?? presence.failure };
}

function toConfigured({ ap_id, configuration }: AgentDetails): Omit<FleetAgent, 'presence' | 'details'> {
  return {
    ap_id,
    configuration,
    technology: technologyOf(configuration),
    geolocation: geolocationOf(configuration),
    site: typeof configuration.site === 'string' ? configuration.site : '',
    isEmulated: configuration.emulated !== undefined && configuration.emulated !== false,
  };
}
