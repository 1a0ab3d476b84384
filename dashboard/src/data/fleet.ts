// The fleet as most pages need it: every agent with its presence, technology and place, kept fresh.
import { readPlace } from '@weft/contract/place';
import { agentStates } from '@weft/contract/selector';
import { useEffect, useMemo } from 'preact/hooks';
import type { AgentListItem, AgentPresence, Failure, Technology } from '../api/client.ts';
import { isSleeping, type ShownState, shownState, technologyOf } from './agents.ts';
import { noteAnswer } from './freshness.ts';
import { useAgents } from './lists/list-pages.ts';
import { queries, useOperation } from './use-operation.ts';

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
  health: AgentListItem['health'];
  /** Undefined until presence has been told once. */
  details: AgentPresence | undefined;
}

export interface Fleet {
  /** Undefined until the first list has come. */
  agents: FleetAgent[] | undefined;
  failure: Failure | undefined;
}

/** How often to ask about every agent: of a large fleet less often, because its answer is long and a person sees sums of it. */
export function fleetPollMs(count: number): number {
  return Math.max(5000, Math.min(count * 20, 10_000), count * 2);
}

/** Every state: without one, emulated agents whose run has ended are left out. */
const allStates = agentStates.map((state) => `state:${state}`).join(' or ');
const pageSize = 1000;
const labelsMs = 6000;
/** The largest fleet that pages show as a whole; lists go page by page. */
const maxPages = 20;

/**
 * Without `state` emulated agents whose run has ended are left out. Configurations are long and seldom change, presence is
 * short and always does, labels and power states lie between: three answers, each asked for as often as it is worth. The
 * first has all that a page needs to begin with.
 */
export function useFleet({ state }: { state?: 'all' } = {}): Fleet {
  const query = { limit: pageSize, ...(state === 'all' && { selector: allStates }) };
  const details = useAgents(
    { ...query, fields: ['configuration'] },
    { pages: maxPages, pollMs: ({ items }) => Math.max(60_000, items.length * 200) },
  );
  const listed = useAgents(query, {
    pages: maxPages,
    pollMs: ({ items }) => Math.max(labelsMs, items.length * 30),
    firstAfterMs: labelsMs,
  });
  const presence = useOperation(
    'metrics_presence',
    {},
    { pollMs: ({ agents }) => fleetPollMs(agents.length), firstAfterMs: 3000 },
  );
  const { updatedAt } = presence;
  useEffect(() => {
    if (updatedAt > 0) noteAnswer();
  }, [updatedAt]);
  const configured = useMemo(() => details.data && new Map(details.data.items.map(toConfigured)), [details.data]);
  const newest = listed.updatedAt > details.updatedAt ? listed.data : details.data;
  // One that is new says what it can do when it first reports.
  const isOutdated =
    newest?.items.some(({ ap_id, state: stateNow }) => {
      const known = configured?.get(ap_id);
      return configured !== undefined && (!known || (known.wasNew && stateNow !== 'never'));
    }) ?? false;
  useEffect(() => {
    if (isOutdated) queries.refresh('list_agents');
  }, [isOutdated, newest]);
  const agents = useMemo(() => {
    if (!configured || !newest) return undefined;
    const told = new Map(presence.data?.agents.map((agent) => [agent.ap_id, agent]));
    return newest.items.flatMap((item) => {
      const known = configured.get(item.ap_id);
      if (!known) return [];
      const there = told.get(item.ap_id);
      const isAsleep = isSleeping(item.power_state);
      return {
        ...known,
        display_name: item.display_name,
        site: item.site ?? '',
        tags: item.tags,
        isEmulated: item.emulated,
        may: item.may,
        health: item.health,
        state: item.state === 'ended' || !there ? shownState(item.state, isAsleep) : stateOf(there, isAsleep),
        details: there,
      };
    });
  }, [configured, newest, presence.data]);
  return { agents, failure: details.failure ?? listed.failure ?? presence.failure };
}

export function stateOf(told: AgentPresence | undefined, isAsleep: boolean): ShownState {
  if (!told || told.last_seen === null) return 'never';
  return shownState(told.presence, isAsleep);
}

function toConfigured({ ap_id, configuration = {}, state }: AgentListItem) {
  const technology = technologyOf(configuration);
  const geolocation = readPlace(configuration);
  return [ap_id, { ap_id, configuration, technology, geolocation, wasNew: state === 'never' }] as const;
}
