// The first pages of a list of the server, each asked for again together, so that what is shown is one order of one moment.
import { useEffect, useRef } from 'preact/hooks';
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
  isWanted?: boolean;
}

export function useListPages<Item>(options: ListPagesOptions<Item>): QueryState<ListPages<Item>> {
  const { key, fetch, pollMs, isWanted = true } = options;
  const watched = { fetch, pollMs };
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
