// What a table shows of its rows: sorted, filtered, and only those visible; and which of them are chosen. Pure.
import type { ComponentChildren } from 'preact';

export interface Sort {
  column: string;
  isDown: boolean;
}

/** `name` is upwards, `-name` downwards; how an address writes it. */
export function parseSort(text: string): Sort {
  return text.startsWith('-') ? { column: text.slice(1), isDown: true } : { column: text, isDown: false };
}

export function writeSort({ column, isDown }: Sort): string {
  return isDown ? `-${column}` : column;
}

export type SortValue = string | number | undefined;

/** Stable; rows without a value come last whichever way. */
export function sortRows<Row>(rows: readonly Row[], sortValueOf: (row: Row) => SortValue, isDown: boolean): Row[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const compare = (a: NonNullable<SortValue>, b: NonNullable<SortValue>) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return rows
    .map((row) => ({ row, value: sortValueOf(row) }))
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined)
        return Number(a.value === undefined) - Number(b.value === undefined);
      return isDown ? compare(b.value, a.value) : compare(a.value, b.value);
    })
    .map(({ row }) => row);
}

/** Rows in which every word of the filter occurs. */
export function filterRows<Row>(rows: readonly Row[], textOf: (row: Row) => string, filter: string): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...rows];
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export interface ColumnWidth {
  name: string;
  /** As in a CSS grid; the pixels in it are the least that the column needs. Default: `defaultWidth`. */
  width?: string;
  /** Among the first to go where the table is narrow. */
  isWideOnly?: boolean;
}

export interface Column<Row> extends ColumnWidth {
  title: string;
  /** `isShown` says whether another column has room, for one that stands in for it. */
  cell: (row: Row, isShown: (column: string) => boolean) => ComponentChildren;
  /** Absent: the column cannot be sorted by, unless whoever gives the rows sorts them. */
  sort?: (row: Row) => SortValue;
  align?: 'end';
}

type Rest<Row> =
  | Omit<Column<Row>, 'name' | 'title' | 'width'>
  /** It shows the word, or the number, that it is sorted by. */
  | { word: (row: Row) => string }
  | { figure: (row: Row) => number; write: (value: number) => ComponentChildren };

/** A column of this width. */
export function column<Row>(name: string, title: string, width: string, rest: Rest<Row>): Column<Row> {
  const shared = { name, title, width };
  if ('word' in rest) return { ...shared, sort: rest.word, cell: rest.word };
  if ('cell' in rest) return { ...shared, ...rest };
  return { ...shared, align: 'end', sort: rest.figure, cell: (row) => rest.write(rest.figure(row)) };
}

/** One of the first to go where the table is narrow. */
export function wideColumn<Row>(...given: Parameters<typeof column<Row>>): Column<Row> {
  return { ...column(...given), isWideOnly: true };
}

export const defaultWidth = 'minmax(120px, 1fr)';

/**
 * The columns that have room in a table so wide, in their order. Those for wide tables go first, from the right; the first
 * one, which names the row, always stays.
 */
export function columnsThatFit<Column extends ColumnWidth>(
  columns: readonly Column[],
  width: number,
  { gap, padding }: { gap: number; padding: number },
): Column[] {
  const [first, ...others] = columns;
  const leaving = [...others.filter(({ isWideOnly }) => !isWideOnly), ...others.filter(({ isWideOnly }) => isWideOnly)];
  const needed = (shown: readonly ColumnWidth[]) =>
    shown.reduce((sum, column) => sum + leastWidth(column) + gap, padding * 2 - gap);
  let shown = [...columns];
  while (leaving.length > 0 && needed(shown) > width) {
    const gone = leaving.pop();
    shown = shown.filter((column) => column === first || column !== gone);
  }
  return shown;
}

/** `minmax(220px, 1.2fr)` and `220px` need 220. */
function leastWidth({ width = defaultWidth }: ColumnWidth): number {
  return Number(/(\d+)px/.exec(width)?.[1] ?? 0);
}

export interface Sight {
  first: number;
  /** Behind the last one. */
  end: number;
}

/** Which rows to draw: those visible, and some beyond so that a quick scroll meets no blank. */
export function rowsInSight(scrollTop: number, height: number, rowHeight: number, count: number, spare = 12): Sight {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - spare);
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + spare);
  return { first, end: Math.max(first, end) };
}

/** Where to scroll so that a row is visible, moving as little as can be. */
export function scrollToRow(row: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}

export interface RowChoice<Row> {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  labelOf: (row: Row) => string;
}

export function turnChosen<Row>({ chosen, onChange }: RowChoice<Row>, key: string): void {
  onChange(toggled(chosen, key));
}

/** All of them, or none of them if all were chosen. */
export function turnAll<Row>({ chosen, onChange }: RowChoice<Row>, keys: readonly string[]): void {
  const these = new Set(keys);
  const isAll = keys.every((key) => chosen.has(key));
  onChange(new Set(isAll ? [...chosen].filter((key) => !these.has(key)) : [...chosen, ...keys]));
}

/** With it, or without it if it was there. */
export function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  return next;
}
