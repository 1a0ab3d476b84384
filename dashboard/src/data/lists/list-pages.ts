// The first pages of a list of the server, asked for again together, so that what is shown is one order of one moment; and access
// points as the server lists them.
import { useEffect, useRef } from 'preact/hooks';
import { type AgentListItem, call, type Input } from '../../api/client.ts';
import { noteNames, noteNamesSoon } from '../agents.ts';
import { noteAnswer } from '../freshness.ts';
import type { QueryState } from '../query-cache.ts';
import { queries } from '../use-operation.ts';

export interface ListPages<Item> {
  items: Item[];
  /** Whether there are more than these. */
  hasMore: boolean;
  /** With `count`: how many match. */
  count: number | undefined;
}

interface Page<Item> {
  items: readonly Item[];
  next: string | null;
  count?: number;
}

interface ListPagesOptions<Item> {
  /** Stands for what is asked for. */
  key: string;
  fetch: (signal: AbortSignal) => Promise<ListPages<Item>>;
  pollMs: (found: ListPages<Item>) => number;
  /** See QueryOptions. */
  firstAfterMs?: number | undefined;
  isWanted?: boolean;
}

export function useListPages<Item>(options: ListPagesOptions<Item>): QueryState<ListPages<Item>> {
  const { key, fetch, pollMs, firstAfterMs, isWanted = true } = options;
  const watched = { fetch, pollMs, firstAfterMs };
  useEffect(() => (isWanted ? queries.watch(key, watched) : undefined), [key, isWanted]);
  const found = queries.state<ListPages<Item>>(key, watched).value;
  // While more or other rows are asked for, those that are known stay on show.
  const last = useRef(found.data);
  last.current = found.data ?? last.current;
  return found.data ? found : { ...found, data: last.current };
}

/** `ask`: for the page at this cursor; undefined for the first, which also counts. */
export async function readPages<Item>(
  pages: number,
  ask: (cursor: string | undefined) => Promise<Page<Item>>,
): Promise<ListPages<Item>> {
  const items: Item[] = [];
  let count: number | undefined;
  let cursor: string | null = null;
  for (let page = 0; page === 0 || (cursor !== null && page < pages); page++) {
    const answer: Page<Item> = await ask(cursor ?? undefined);
    items.push(...answer.items);
    count ??= answer.count;
    cursor = answer.next;
  }
  noteAnswer();
  return { items, hasMore: cursor !== null, count };
}

export type AgentQuery = NonNullable<Input<'list_agents'>['query']>;

export type AgentPages = ListPages<AgentListItem>;

type AgentsOptions = Omit<ListPagesOptions<AgentListItem>, 'key' | 'fetch'> & {
  /** How many pages at most. */
  pages: number;
};

export function useAgents(query: AgentQuery, { pages, ...options }: AgentsOptions): QueryState<AgentPages> {
  return useListPages({
    key: `list_agents:${pages} ${JSON.stringify(query)}`,
    fetch: (signal) => readAgents(query, pages, signal),
    ...options,
  });
}

export async function readAgents(query: AgentQuery, pages: number, signal?: AbortSignal): Promise<AgentPages> {
  const reading = readPages(pages, (cursor) =>
    call(
      'list_agents',
      { query: cursor === undefined ? query : { ...query, count: false, cursor } },
      signal ? { signal } : {},
    ),
  );
  noteNamesSoon(reading);
  const found = await reading;
  noteNames(found.items);
  return found;
}
