// Finds the agents of one page of a list: in all of them, which are in order, or in a snapshot.
import type { Selector } from '@weft/contract/selector';
import type { Caller } from '../../base/caller.ts';
import { compareKeys, type ListCursor, type SortKey } from '../../base/lists/list-cursor.ts';
import { TopN } from '../../base/lists/top-n.ts';
import { countInSlices } from '../../base/time-slices.ts';
import { type AgentRow, byApId, firstAt, hasText } from '../../network/agent-rows.ts';
import { createListTest, type NetworkMoment } from '../../network/network.ts';
import { compareEntries, createKeyOf, type ListOrder, recordKeyOf } from './list-order.ts';

type Agents = readonly AgentRow[];

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

/** Agents as they were when the first page was asked for. */
export interface ListSnapshot {
  /** All agents as they were then. */
  agents: readonly AgentRow[];
  /** How many of them are in the snapshot. */
  count: number;
  /** Where those are in `agents`; undefined if all of them are. */
  positions: Uint32Array<ArrayBuffer> | undefined;
  /**
   * Of each of them; the same order. Numbers only, NaN for none, if it can be. Undefined if they are in the order of the list
   * that was asked for; else they are in that of names.
   */
  keys: Float64Array<ArrayBuffer> | readonly SortKey[] | undefined;
}

/** In order, at most one more than a page; `count`: of all that match. */
export interface Found {
  entries: { key: SortKey; agent: AgentRow }[];
  count: number | undefined;
  snapshot?: string | undefined;
}

function createFilter({ caller, selector, search }: ListQuery, moment: NetworkMoment): (agent: AgentRow) => boolean {
  const test = createListTest(selector, moment);
  const sight = moment.sightOf(caller);
  const passes = sight.seesAll ? test : (agent: AgentRow) => test(agent) && sight.sees(agent);
  return search === undefined ? passes : (agent) => hasText(agent, search) && passes(agent);
}

/** Of a list that is in order: only as many as the page needs are looked at, unless they are to be counted. */
export async function findInOrder(query: ListQuery, moment: NetworkMoment, ordered: Agents): Promise<Found> {
  const { order, limit, needsCount } = query;
  const passes = createFilter(query, moment);
  const keyOf = recordKeyOf(order);
  const start = startOf(query, ordered.length, (at) => ordered[at]!);
  const entries: Found['entries'] = [];
  let count = 0;
  await countInSlices(needsCount ? 0 : start, ordered.length, (at) => {
    const agent = ordered[at]!;
    if (!passes(agent)) return false;
    count++;
    if (at >= start && entries.length <= limit) entries.push({ key: keyOf(agent), agent });
    return !needsCount && entries.length > limit;
  });
  return { entries, count: needsCount ? count : undefined };
}

/** The first position after the cursor, of `length` agents that are in order. */
function startOf({ order, cursor }: ListQuery, length: number, agentAt: (at: number) => AgentRow): number {
  if (!cursor) return 0;
  const keyOf = recordKeyOf(order);
  return firstAt(length, (at) => {
    const agent = agentAt(at);
    return (
      compareEntries(
        { key: keyOf(agent), ap_id: agent.ap_id },
        { key: cursor.key, ap_id: cursor.name },
        order.isDescending,
      ) > 0
    );
  });
}

/** Where a snapshot is collected before its size is known. Used again and again: what is allocated here has to be collected. */
interface Scratch {
  positions: Uint32Array<ArrayBuffer>;
  keys: Float64Array<ArrayBuffer>;
}

let spare: Scratch | undefined;

function takeScratch(length: number): Scratch {
  const scratch = spare;
  spare = undefined;
  if (scratch && scratch.positions.length >= length) return scratch;
  return { positions: new Uint32Array(length), keys: new Float64Array(length) };
}

/** `agents`: all of them, in order if the order is not volatile, else by name. */
export async function takeSnapshot(query: ListQuery, moment: NetworkMoment, agents: Agents): Promise<ListSnapshot> {
  const { order } = query;
  const passes = createFilter(query, moment);
  const keyOf = order.isVolatile ? createKeyOf(order, moment) : undefined;
  // Numbers that are read from one array and written to another need no objects.
  const values = order.metric === undefined ? undefined : moment.valuesOf(order.metric);
  const scratch = takeScratch(agents.length);
  const keys: Float64Array | SortKey[] = order.isNumeric ? scratch.keys : [];
  let count = 0;
  await countInSlices(0, agents.length, (at) => {
    const agent = agents[at]!;
    if (!passes(agent)) return false;
    if (values) scratch.keys[count] = values[agent.slot] ?? Number.NaN;
    else if (keyOf) keys[count] = order.isNumeric ? ((keyOf(agent) as number | null) ?? Number.NaN) : keyOf(agent);
    scratch.positions[count++] = at;
    return false;
  });
  const snapshot = {
    agents,
    count,
    positions: count === agents.length ? undefined : scratch.positions.slice(0, count),
    keys: keyOf && (order.isNumeric ? scratch.keys.slice(0, count) : (keys as SortKey[])),
  };
  spare = scratch;
  return snapshot;
}

export async function pageOf(snapshot: ListSnapshot, query: ListQuery): Promise<Found['entries']> {
  const { agents, count, positions, keys } = snapshot;
  const { order, cursor, limit } = query;
  const agentAt = (at: number) => agents[positions ? positions[at]! : at]!;
  if (!keys) {
    const keyOf = recordKeyOf(order);
    const start = startOf(query, count, agentAt);
    return Array.from({ length: Math.min(limit + 1, count - start) }, (_, offset) => {
      const agent = agentAt(start + offset);
      return { key: keyOf(agent), agent };
    });
  }
  const keyAt = (at: number): SortKey => {
    const key = keys[at]!;
    return Number.isNaN(key) ? null : key;
  };
  // Positions instead of entries: they are in the order of names already, and 100,000 objects would cost more than the comparisons.
  const compare = keys instanceof Float64Array ? comparePlaces(keys, order) : compareAny;
  function compareAny(a: number, b: number): number {
    return compareKeys(keyAt(a), keyAt(b), order.isDescending) || a - b;
  }
  const first = new TopN<number>(limit + 1, compare);
  const isTooLate = keys instanceof Float64Array ? lateTest(keys, order, first) : () => false;
  const cursorAt = cursor ? await indexOfAgent(cursor.name, count, agentAt) : -1;
  await countInSlices(0, count, (at) => {
    if (isTooLate(at)) return false;
    const isAfter = !cursor || (compareKeys(keyAt(at), cursor.key, order.isDescending) || at - cursorAt) > 0;
    if (isAfter) first.add(at);
    return false;
  });
  return first.take().map((at) => ({ key: keyAt(at), agent: agentAt(at) }));
}

/** Of an agent in a list; where it would be by its name if it is not there any more. */
async function indexOfAgent(ap_id: string, count: number, agentAt: (at: number) => AgentRow): Promise<number> {
  let [found, before] = [-1, 0];
  await countInSlices(0, count, (at) => {
    if (agentAt(at).ap_id === ap_id) found = at;
    else if (byApId(agentAt(at), { ap_id }) < 0) before++;
    return found >= 0;
  });
  return found >= 0 ? found : before - 0.5;
}

/** Whether its key comes after all that the page will have: true of most, and known by one comparison of numbers. */
function lateTest(keys: Float64Array, { isDescending }: ListOrder, first: TopN<number>): (at: number) => boolean {
  const sign = isDescending ? -1 : 1;
  return (at) => first.last !== undefined && sign * (keys[at]! - keys[first.last]!) > 0;
}

/** The same for numbers, where NaN stands for none. */
function comparePlaces(keys: Float64Array, { isDescending }: ListOrder): (a: number, b: number) => number {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const difference = sign * (keys[a]! - keys[b]!);
    if (!Number.isNaN(difference)) return difference || a - b;
    return Number(Number.isNaN(keys[a]!)) - Number(Number.isNaN(keys[b]!)) || a - b;
  };
}
