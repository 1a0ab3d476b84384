// Finds the agents of one page of a list: by name, by the key of an order, or in a snapshot.
import type { Selector } from '@weft/contract/selector';
import { canSeeAgent } from '../../agents/agent-visibility.ts';
import type { Caller } from '../../caller.ts';
import { byApId, type IndexedAgent } from '../index/fleet-index.ts';
import { createListTest, type FleetMoment, scan } from '../index/fleet-view.ts';
import type { ListCursor } from './list-cursor.ts';
import { compareKeys, createKeyOf, FirstOnes, type ListOrder, type SortKey } from './list-order.ts';
import type { ListSnapshot } from './list-snapshots.ts';

export interface ListQuery {
  caller: Caller;
  selector: Selector;
  order: ListOrder;
  /** In lower case. */
  search: string | undefined;
  cursor: ListCursor | undefined;
  limit: number;
  needsCount: boolean;
  /** Of what is asked for. */
  list: string;
}

/** In order, at most one more than a page; `count`: of all that match. */
export interface Found {
  entries: { key: SortKey; agent: IndexedAgent }[];
  count: number | undefined;
  snapshot?: string | undefined;
}

function createFilter({ caller, selector, search }: ListQuery, moment: FleetMoment): (agent: IndexedAgent) => boolean {
  const test = createListTest(selector, moment);
  if (search === undefined) return (agent) => test(agent) && canSeeAgent(caller, agent);
  return (agent) => textOf(agent).includes(search) && test(agent) && canSeeAgent(caller, agent);
}

/** What a search looks at. */
function textOf(agent: IndexedAgent): string {
  agent.searchText ??= [agent.ap_id, agent.display_name ?? '', agent.site ?? '', ...agent.tags]
    .join('\n')
    .toLowerCase();
  return agent.searchText;
}

/** The agents are in this order already: only as many as the page needs are looked at. */
export async function findByName(query: ListQuery, moment: FleetMoment): Promise<Found> {
  const { order, cursor, limit } = query;
  const passes = createFilter(query, moment);
  const entries: Found['entries'] = [];
  const agents = order.isDescending ? moment.agents.toReversed() : moment.agents;
  const start = cursor ? firstAfter(agents, cursor.ap_id, order.isDescending) : 0;
  for (let at = start; at < agents.length && entries.length <= limit; at += 1000) {
    await scan(agents.slice(at, at + 1000), (agent) => {
      if (entries.length <= limit && passes(agent)) entries.push({ key: agent.ap_id, agent });
    });
  }
  return { entries, count: undefined };
}

function firstAfter(agents: readonly IndexedAgent[], ap_id: string, isDescending: boolean): number {
  let [low, high] = [0, agents.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = byApId(agents[middle]!, { ap_id });
    if ((isDescending ? -order : order) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

export async function findByKey(query: ListQuery, moment: FleetMoment): Promise<Found> {
  const { order, cursor, limit, needsCount } = query;
  const passes = createFilter(query, moment);
  const keyOf = createKeyOf(order, moment);
  const compare = compareEntries(order);
  const first = new FirstOnes<Found['entries'][number]>(limit + 1, compare);
  let count = 0;
  await scan(moment.agents, (agent) => {
    if (!passes(agent)) return;
    count++;
    const entry = { key: keyOf(agent), agent };
    if (!cursor || compare(entry, { key: cursor.key, agent: cursor }) > 0) first.add(entry);
  });
  return { entries: first.take(), count: needsCount ? count : undefined };
}

type Keyed = { key: SortKey; agent: { ap_id: string } };

function compareEntries({ isDescending }: ListOrder): (a: Keyed, b: Keyed) => number {
  return (a, b) => compareKeys(a.key, b.key, isDescending) || byApId(a.agent, b.agent);
}

export async function takeSnapshot(query: ListQuery, moment: FleetMoment): Promise<ListSnapshot> {
  const passes = createFilter(query, moment);
  const agents: IndexedAgent[] = [];
  await scan(moment.agents, (agent) => {
    if (passes(agent)) agents.push(agent);
  });
  const keyOf = createKeyOf(query.order, moment);
  if (query.order.metric === undefined) return { agents, keys: agents.map(keyOf) };
  return { agents, keys: Float64Array.from(agents, (agent) => (keyOf(agent) as number | null) ?? Number.NaN) };
}

/** Positions instead of entries: they are in the order of names already, and 100,000 objects would cost more than the comparisons. */
export async function pageOf(
  { agents, keys }: ListSnapshot,
  { order, cursor, limit }: ListQuery,
): Promise<Found['entries']> {
  const keyAt = (position: number): SortKey => {
    const key = keys[position]!;
    return Number.isNaN(key) ? null : key;
  };
  const compare = (a: number, b: number) => compareKeys(keyAt(a), keyAt(b), order.isDescending) || a - b;
  const first = new FirstOnes<number>(limit + 1, compare);
  await scan(agents, (agent, position) => {
    const isAfter =
      !cursor || (compareKeys(keyAt(position), cursor.key, order.isDescending) || byApId(agent, cursor)) > 0;
    if (isAfter) first.add(position);
  });
  return first.take().map((position) => ({ key: keyAt(position), agent: agents[position]! }));
}
