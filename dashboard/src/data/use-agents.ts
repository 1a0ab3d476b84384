// Access points as the server lists them: the first pages of a list, each asked for again together, so that what is shown is
// one order of one moment.
import { useEffect, useRef } from 'preact/hooks';
import { type Answer, call, type Input } from '../api/client.ts';
import type { AgentListItem } from '../api/operations.ts';
import { noteNames } from './agent-names.ts';
import { noteAnswer } from './freshness.ts';
import type { QueryState } from './query-cache.ts';
import { queries } from './use-operation.ts';

export type AgentQuery = NonNullable<Input<'list_agents'>['query']>;

export interface AgentPages {
  items: AgentListItem[];
  /** Whether there are more than these. */
  hasMore: boolean;
  /** With `count`: how many match. */
  count: number | undefined;
}

interface AgentsOptions {
  /** How many pages at most. */
  pages: number;
  pollMs: (found: AgentPages) => number;
  isWanted?: boolean;
}

export function useAgents(
  query: AgentQuery,
  { pages, pollMs, isWanted = true }: AgentsOptions,
): QueryState<AgentPages> {
  const key = `list_agents:${pages} ${JSON.stringify(query)}`;
  const options = { fetch: (signal: AbortSignal) => readAgents(query, pages, signal), pollMs };
  // The key stands for the query.
  useEffect(() => (isWanted ? queries.watch(key, options) : undefined), [key, isWanted]);
  const found = queries.state<AgentPages>(key, options).value;
  // While more or other rows are asked for, those that are known stay on show.
  const last = useRef(found.data);
  last.current = found.data ?? last.current;
  return found.data ? found : { ...found, data: last.current };
}

export async function readAgents(query: AgentQuery, pages: number, signal?: AbortSignal): Promise<AgentPages> {
  const items: AgentListItem[] = [];
  let count: number | undefined;
  let cursor: string | null = null;
  for (let page = 0; page === 0 || (cursor !== null && page < pages); page++) {
    const answer: Answer<'list_agents'> = await call(
      'list_agents',
      { query: cursor === null ? query : { ...query, count: false, cursor } },
      signal ? { signal } : {},
    );
    items.push(...answer.items);
    count ??= answer.count;
    cursor = answer.next;
  }
  noteAnswer();
  noteNames(items);
  return { items, hasMore: cursor !== null, count };
}
