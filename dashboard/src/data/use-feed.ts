// A list that is read from its new end: the newest page is kept fresh, older ones are fetched when asked for, and what
// was seen once stays, in its place.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Answer, call, type Failure, type Input, type OperationName, toFailure } from '../api/client.ts';
import { operationKey, type UseOperationOptions, useOperation } from './use-operation.ts';

export interface FeedPage<Row, Cursor> {
  rows: readonly Row[];
  /** Where the next older page begins; undefined at the end. */
  next: Cursor | undefined;
}

interface FeedOptions<Name extends OperationName, Row, Cursor> extends UseOperationOptions<Name> {
  /** Another one is another list: what was fetched for the old one is dropped. */
  input: Input<Name>;
  /** The parameter that asks for what is older than a page. */
  cursor: string;
  toPage: (answer: Answer<Name>) => FeedPage<Row, Cursor>;
  idOf: (row: Row) => string | number;
}

export interface Feed<Row> {
  /** Newest first; undefined until the first answer. */
  rows: readonly Row[] | undefined;
  /** Of them the newest page. */
  newest: readonly Row[] | undefined;
  failure: Failure | undefined;
  /** Undefined at the end of the list. */
  loadOlder: (() => Promise<void>) | undefined;
  isLoadingOlder: boolean;
}

interface Older<Row, Cursor> {
  key: string;
  rows: readonly Row[];
  next: Cursor | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
}

export function useFeed<Name extends OperationName, Row, Cursor>(
  name: Name,
  { input, cursor, toPage, idOf, ...options }: FeedOptions<Name, Row, Cursor>,
): Feed<Row> {
  const key = operationKey(name, input);
  const newest = useOperation(name, input, options);
  const readOlder = (next: Cursor) => {
    const { query, ...rest } = input as { query?: object };
    return (call as (name: Name, input: object) => Promise<Answer<Name>>)(name, {
      ...rest,
      query: { ...query, [cursor]: next },
    });
  };
  const [older, setOlder] = useState<Older<Row, Cursor> | undefined>(undefined);
  const own = older?.key === key ? older : undefined;
  const page = useMemo(() => newest.data && toPage(newest.data), [newest.data]);
  // Rows that newer ones push out of the first page move over to the older ones.
  useEffect(() => {
    if (!page) return;
    setOlder((before) =>
      before?.key === key
        ? { ...before, rows: mergeRows(page.rows, before.rows, idOf) }
        : { key, rows: page.rows, next: page.next, failure: undefined, isLoading: false },
    );
  }, [page, key]);
  const rows = useMemo(() => page && mergeRows(page.rows, own?.rows ?? [], idOf), [page, own?.rows]);
  const next = own ? own.next : page?.next;
  const loadOlder = async () => {
    if (next === undefined || own?.isLoading) return;
    setOlder((before) => before && { ...before, isLoading: true, failure: undefined });
    try {
      const found = toPage(await readOlder(next));
      setOlder((before) =>
        before?.key === key
          ? { ...before, rows: mergeRows(before.rows, found.rows, idOf), next: found.next, isLoading: false }
          : before,
      );
    } catch (error) {
      setOlder((before) => before && { ...before, isLoading: false, failure: toFailure(error) });
    }
  };
  return {
    rows,
    newest: page?.rows,
    failure: newest.failure ?? own?.failure,
    loadOlder: next === undefined ? undefined : loadOlder,
    isLoadingOlder: own?.isLoading ?? false,
  };
}

type Item<Name extends OperationName> = Answer<Name> extends { items: readonly (infer Row)[] } ? Row : never;

/** One that is answered as `{ items, next }`, each with its id or its number in the log. */
export function usePages<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: UseOperationOptions<Name>,
): Feed<Item<Name>> {
  const toPage = (answer: Answer<Name>) => {
    const { items, next } = answer as { items: Item<Name>[]; next: string | null };
    return { rows: items, next: next ?? undefined };
  };
  const idOf = (row: Item<Name>) => {
    const { id, seq } = row as { id?: string | number; seq?: number };
    return (id ?? seq)!;
  };
  return useFeed(name, { ...options, input, cursor: 'cursor', toPage, idOf });
}

/** The first list, then what only the second has. */
export function mergeRows<Row>(
  first: readonly Row[],
  second: readonly Row[],
  idOf: (row: Row) => string | number,
): readonly Row[] {
  const known = new Set(first.map(idOf));
  return [...first, ...second.filter((row) => !known.has(idOf(row)))];
}
