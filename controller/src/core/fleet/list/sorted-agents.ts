// All agents in each order that somebody has asked for, as far as only records decide it: sorted once, in small pieces, and then
// only what has changed is put in its place. A page begins by a binary search.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { forAll, inSlices } from '../../base/time-slices.ts';
import { type AgentRow, byApId } from '../../network/agent-rows.ts';
import { compareEntries, type ListOrder, recordKeyOf } from './list-order.ts';

type Agents = readonly AgentRow[];
type Compare = (a: AgentRow, b: AgentRow) => number;

const chunkSize = 1_000;
/** If more than this share of them has changed, they are sorted again. */
const changedShare = 0.1;

interface Sorted {
  /** All of them by name, as they were then. */
  source: Agents;
  agents: Agents;
}

export class SortedAgents {
  /** Two for each field of the record at most. */
  readonly #orders = new Map<string, Promise<Sorted>>();

  /** `source`: all of them by name. In the order of the list, which is not volatile. Nobody else changes either. */
  async of(order: ListOrder, source: Agents): Promise<Agents> {
    if (order.field === 'ap_id' && !order.isDescending) return source;
    const key = `${order.isDescending ? '-' : ''}${order.field}`;
    // One after the other: the next one finds what this one has sorted.
    const known = this.#orders.get(key);
    const sorted = forAll(() => follow(known, order, source));
    this.#orders.set(key, sorted);
    try {
      return (await sorted).agents;
    } catch (error) {
      this.#orders.delete(key);
      throw error;
    }
  }
}

async function follow(known: Promise<Sorted> | undefined, order: ListOrder, source: Agents): Promise<Sorted> {
  const before = await known;
  if (before?.source === source) return before;
  const keyOf = recordKeyOf(order);
  const toEntry = (agent: AgentRow) => ({ key: keyOf(agent), ap_id: agent.ap_id });
  const compare: Compare = (a, b) => compareEntries(toEntry(a), toEntry(b), order.isDescending);
  const { gone, come } = before ? differences(before.source, source) : { gone: [], come: source };
  const isFew = before !== undefined && gone.length + come.length <= source.length * changedShare;
  if (!isFew) return { source, agents: await sortedInSlices(source, compare) };
  const isGone = new Set(gone);
  const stayed = isGone.size > 0 ? before.agents.filter((agent) => !isGone.has(agent)) : before.agents;
  return { source, agents: await mergedInSlices(stayed, come.toSorted(compare), compare) };
}

/** Of two lists by name. Whoever is the same object in both has not changed. */
function differences(before: Agents, now: Agents): { gone: AgentRow[]; come: AgentRow[] } {
  const gone: AgentRow[] = [];
  const come: AgentRow[] = [];
  let [b, n] = [0, 0];
  while (b < before.length || n < now.length) {
    const [old, young] = [before[b], now[n]];
    if (old === young) {
      b++;
      n++;
      continue;
    }
    const order = !old ? 1 : !young ? -1 : byApId(old, young);
    if (order <= 0) gone.push(before[b++]!);
    if (order >= 0) come.push(now[n++]!);
  }
  return { gone, come };
}

async function sortedInSlices(agents: Agents, compare: Compare): Promise<Agents> {
  let parts: Agents[] = [];
  for (let start = 0; start < agents.length; start += chunkSize) {
    parts.push(agents.slice(start, start + chunkSize).sort(compare));
    await nextTurn();
  }
  while (parts.length > 1) {
    const pairs: Agents[] = [];
    for (let at = 0; at < parts.length; at += 2) {
      pairs.push(await mergedInSlices(parts[at]!, parts[at + 1] ?? [], compare));
    }
    parts = pairs;
  }
  return parts[0] ?? [];
}

/** Both are in order. */
async function mergedInSlices(first: Agents, second: Agents, compare: Compare): Promise<Agents> {
  if (second.length === 0) return first;
  const all: AgentRow[] = [];
  let next = 0;
  await inSlices(first, (agent) => {
    while (next < second.length && compare(second[next]!, agent) < 0) all.push(second[next++]!);
    all.push(agent);
  });
  while (next < second.length) all.push(second[next++]!);
  return all;
}
