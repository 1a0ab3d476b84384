// Formats rows as a table for people; programs use JSON.
import type { CommandLine, CommandOption } from './command.ts';
import { toJson } from './json-text.ts';
import { hasColor, type Output, type Surroundings } from './surroundings.ts';

/** How a table is shown. */
export interface Look {
  /** Full names, and lines of any length: asked for, or read by a program. */
  isWide: boolean;
  /** Times in UTC, as programs write them, in place of local ones. */
  isIso: boolean;
  hasColor: boolean;
}

export const tableOptions: Record<'wide' | 'iso', CommandOption> = {
  wide: { about: 'full names, and lines as long as they are' },
  iso: { about: 'times in UTC as ISO 8601; default: local time' },
};

export function lookOf(line: CommandLine, { stdout, env }: Pick<Surroundings, 'stdout' | 'env'>): Look {
  return {
    isWide: line.has('wide') || stdout.isTTY !== true,
    isIso: line.has('iso'),
    hasColor: hasColor(stdout, env),
  };
}

const plainLook: Look = { isWide: true, isIso: false, hasColor: false };
const gap = '  ';
const defaultColumns = 80;
/** A column is not made narrower than this. */
const minWidth = 6;
const uuid = /\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/**
 * On a terminal, numbers of jobs and runs are cut to their beginning, and then the widest columns, until a line fits. With
 * `wholeColumns`, columns are left out instead, from the right, but for so many at the left.
 */
export function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  output: Pick<Output, 'columns'>,
  look: Look = plainLook,
  wholeColumns = 0,
): string {
  let lines = [head, ...rows].map((row) =>
    row.map((cell) => (look.isWide ? printable(cell) : printable(cell).replaceAll(uuid, '$1…'))),
  );
  const natural = head.map((_, column) => Math.max(...lines.map((row) => width(row[column] ?? ''))));
  while (!look.isWide && wholeColumns > 0 && natural.length > wholeColumns && lineWidth(natural) > edgeOf(output)) {
    natural.pop();
    lines = lines.map((row) => row.slice(0, natural.length));
  }
  const widths = look.isWide ? natural : fitted(natural, edgeOf(output));
  return lines
    .map((row, index) => {
      const cells = row.map((cell, column) => {
        const shown = column === 0 ? cutInside(cell, widths[column]!) : cut(cell, widths[column]!);
        const isLast = column === row.length - 1;
        const padding = isLast ? '' : ' '.repeat(widths[column]! - width(shown));
        return paint(shown, index === 0 ? 1 : stateColor(head[column]!, cell), look.hasColor) + padding;
      });
      return `${cells.join(gap).trimEnd()}\n`;
    })
    .join('');
}

/** Some terminals say that they have no columns at all. */
function edgeOf({ columns }: Pick<Output, 'columns'>): number {
  return columns !== undefined && columns > 0 ? columns : defaultColumns;
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1));
}

/** Takes from the last column, which is text, then from the first, which is a name, then from the widest. */
function fitted(natural: readonly number[], edge: number): number[] {
  const widths = [...natural];
  const take = (column: number, least: number) => {
    const over = lineWidth(widths) - edge;
    if (over > 0) widths[column] = Math.min(widths[column]!, Math.max(least, widths[column]! - over));
    return over > 0;
  };
  take(widths.length - 1, 12);
  take(0, 12);
  for (;;) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= minWidth || !take(widest, Math.max(minWidth, widths[widest]! - 1))) return widths;
  }
}

const good = ['online', 'succeeded', 'accepted', 'running', 'enabled'];
const doubtful = ['late', 'queued', 'expired', 'cancelled', 'superseded', 'accepted_modified', 'rolled_back'];
const bad = ['offline', 'failed', 'rejected', 'refused', 'guard_broken'];

function stateColor(column: string, cell: string): number | undefined {
  if (column !== 'STATE' && column !== 'VERDICT') return undefined;
  if (good.includes(cell)) return 32;
  if (doubtful.includes(cell)) return 33;
  return bad.includes(cell) ? 31 : undefined;
}

function paint(text: string, color: number | undefined, hasColor: boolean): string {
  return hasColor && color !== undefined ? `\x1b[${color}m${text}\x1b[0m` : text;
}

interface Listing<Item> {
  /** What is said if there are none. */
  none: string;
  head: readonly string[];
  toRow: (item: Item, look: Look) => readonly string[];
  wholeColumns?: number;
  /** What programs get of one, if not all of it. */
  toJson?: (item: Item) => unknown;
}

/** All of them: JSON for programs, a table for people. */
export function printList<Item>(
  items: readonly Item[],
  { none, head, toRow, wholeColumns, toJson: shown = (item) => item }: Listing<Item>,
  line: CommandLine,
  around: Surroundings,
): void {
  const look = lookOf(line, around);
  const rows = () => items.map((item) => toRow(item, look));
  if (line.has('json')) around.stdout.write(`${toJson(items.map(shown), 2)}\n`);
  else if (items.length === 0) around.stderr.write(`${none}\n`);
  else around.stdout.write(toTable(head, rows(), around.stdout, look, wholeColumns));
}

let collator: Intl.Collator | undefined;

/** roof-2 before roof-10. */
export function naturally(a: string, b: string): number {
  // Not before somebody sorts: it takes as long to make as all other modules of a command together.
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(a, b);
}

/** Names from other users must not move the cursor or colour the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
}

/** `1 layer`, `2 layers`. */
export const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;

export function cut(text: string, columns: number): string {
  return width(text) <= columns ? text : `${[...withoutDots(text)].slice(0, Math.max(0, columns - 1)).join('')}…`;
}

/** A cell that was shortened before has one ellipsis, not two. */
function withoutDots(text: string): string {
  return text.replaceAll('…', '');
}

/** Keeps the end of a name, where its number is. */
function cutInside(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  const characters = [...withoutDots(text)];
  const kept = Math.max(0, Math.min(columns - 1, characters.length));
  const end = Math.floor(kept / 3);
  return `${characters.slice(0, kept - end).join('')}…${characters.slice(characters.length - end).join('')}`;
}

function width(text: string): number {
  return [...text].length;
}
