// The fleet as most pages need it: every agent with its presence, technology and place, kept fresh.
import { agentStates } from '@weft/contract/selector';
import { useEffect, useMemo } from 'preact/hooks';
import type { AgentDetails, AgentListItem, AgentPresence, Failure, Technology } from '../api/client.ts';
import { geolocationOf, isSleeping, type ShownState, shownState, technologyOf } from './agents.ts';
import { noteAnswer } from './freshness.ts';
import { useAgents } from './lists/list-pages.ts';
import { useOperation } from './use-operation.ts';

export interface FleetAgent {
  ap_id: string;
  display_name: string | null;
  configuration: Record<string, unknown>;
  technology: Technology | undefined;
  geolocation: { latitude: number; longitude: number } | undefined;
  /** The path of its site; empty: none. */
  site: string;
  tags: readonly string[];
  isEmulated: boolean;
  /** What the user may do with it. */
  may: AgentListItem['may'];
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

/** Every state: without one, emulated agents whose run has ended are left out. */
const allStates = agentStates.map((state) => `state:${state}`).join(' or ');
const pageSize = 1000;
/** The largest fleet that pages show as a whole; lists go page by page. */
const maxPages = 20;

/**
 * Without `state` emulated agents whose run has ended are left out. Configurations are long and seldom change, presence is
 * short and always does, labels and power states lie between: three answers, each asked for as often as it is worth.
 */
export function useFleet({ state }: { state?: 'all' } = {}): Fleet {
  const details = useOperation(
    'metrics_agent_details',
    { query: state === 'all' ? { state } : {} },
    { pollMs: (agents) => Math.max(5000, agents.length * 4) },
  );
  const listed = useAgents(
    { limit: pageSize, ...(state === 'all' && { selector: allStates }) },
    { pages: maxPages, pollMs: ({ items }) => Math.max(5000, items.length * 30) },
  );
  const presence = useOperation('metrics_presence', {}, { pollMs: ({ agents }) => fleetPollMs(agents.length) });
  const { updatedAt } = presence;
  useEffect(() => {
    if (updatedAt > 0) noteAnswer();
  }, [updatedAt]);
  const configured = useMemo(() => details.data?.map(toConfigured), [details.data]);
  const agents = useMemo(() => {
    if (!configured || !listed.data || !presence.data) return undefined;
    const told = new Map(presence.data.agents.map((agent) => [agent.ap_id, agent]));
    const labels = new Map(listed.data.items.map((item) => [item.ap_id, item]));
    return configured.map((agent) => {
      const item = labels.get(agent.ap_id);
      const isAsleep = isSleeping(item?.power_state);
      return {
        ...agent,
        display_name: item?.display_name ?? null,
        site: item?.site ?? '',
        tags: item?.tags ?? [],
        isEmulated: item?.emulated ?? false,
        may: item?.may ?? [],
        state: item?.state === 'ended' ? ('ended' as const) : stateOf(told.get(agent.ap_id), isAsleep),
        details: told.get(agent.ap_id),
      };
    });
  }, [configured, listed.data, presence.data]);
  return { agents, failure: details.failure ?? listed.failure ?? presence.failure };
}

export function stateOf(told: AgentPresence | undefined, isAsleep: boolean): ShownState {
  if (!told || told.last_seen === null) return 'never';
  return shownState(told.presence, isAsleep);
}

function toConfigured({ ap_id, configuration }: AgentDetails) {
  return {
    ap_id,
    configuration,
    technology: technologyOf(configuration),
    geolocation: geolocationOf(configuration),
  };
}
