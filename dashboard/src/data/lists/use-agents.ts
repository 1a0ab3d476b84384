// Access points as the server lists them.
import { call, type Input } from '../../api/client.ts';
import type { AgentListItem } from '../../api/operations.ts';
import { noteNames } from '../agent-names.ts';
import type { QueryState } from '../query-cache.ts';
import { type ListPages, readPages, useListPages } from './list-pages.ts';

export type AgentQuery = NonNullable<Input<'list_agents'>['query']>;

export type AgentPages = ListPages<AgentListItem>;

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
  return useListPages({
    key: `list_agents:${pages} ${JSON.stringify(query)}`,
    fetch: (signal) => readAgents(query, pages, signal),
    pollMs,
    isWanted,
  });
}

export async function readAgents(query: AgentQuery, pages: number, signal?: AbortSignal): Promise<AgentPages> {
  const found = await readPages(pages, (cursor) =>
    call(
      'list_agents',
      { query: cursor === undefined ? query : { ...query, count: false, cursor } },
      signal ? { signal } : {},
    ),
  );
  noteNames(found.items);
  return found;
}
