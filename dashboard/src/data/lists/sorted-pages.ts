// A long list that the server gives page by page in the order of a name, and of which any part may be read again: rows that came,
// went or changed there take their place, the others stay. Pure.

export interface RowPage<Row> {
  items: readonly Row[];
  /** The cursor of what follows; null at the end. */
  next: string | null;
}

/** Where a page begins: behind the row of this name. */
export interface PageStart {
  after: string;
  cursor: string;
}

export interface SortedRows<Row> {
  /** By name, each once. */
  rows: readonly Row[];
  /** Where pages are known to begin, by name; the list itself begins before the first. */
  starts: readonly PageStart[];
  /** Where the rows that are not known yet begin; undefined if all are known. */
  end: PageStart | undefined;
}

/** `start` is where the page begins; undefined: with the first row. */
export function withPage<Row>(
  known: SortedRows<Row> | undefined,
  start: PageStart | undefined,
  { items, next }: RowPage<Row>,
  nameOf: (row: Row) => string,
): SortedRows<Row> {
  const after = start?.after ?? '';
  const last = items.at(-1);
  const end = next === null || last === undefined ? undefined : { after: nameOf(last), cursor: next };
  const isBehind = (name: string) => end !== undefined && name > end.after;
  const before = known?.rows.filter((row) => nameOf(row) <= after) ?? [];
  const behind = known?.rows.filter((row) => isBehind(nameOf(row))) ?? [];
  const starts = known?.starts.filter((each) => each.after <= after || isBehind(each.after)) ?? [];
  // What was the end is now the end of this page, or still lies behind it.
  const wasBeyond = known !== undefined && (known.end === undefined || isBehind(known.end.after));
  return {
    rows: [...before, ...items, ...behind],
    starts: [...starts, ...(end ? [end] : [])].sort((a, b) => (a.after < b.after ? -1 : 1)),
    end: end !== undefined && wasBeyond ? known.end : end,
  };
}

/** The page to read again for the row at this index; undefined: the first one. */
export function startOf<Row>(
  { rows, starts }: SortedRows<Row>,
  index: number,
  nameOf: (row: Row) => string,
): PageStart | undefined {
  const row = rows[index];
  return row === undefined ? starts.at(-1) : starts.findLast(({ after }) => after < nameOf(row));
}
