// History as a table: a column of times, and either a column for each metric, or one of names and one of values. Converted
// to the line protocol row by row.
import { CsvError, type CsvRow, parseCsvTable, requireWidth } from '../csv.ts';
import { UsageError } from '../surroundings.ts';
import { BadLine, type HistoryItem, ownMeasurement } from './line-protocol-history.ts';

const usualTimeColumns = ['ts', 'time', 'timestamp', '_time', 'datetime', 'date'];
const longForm = { name: 'metric', value: 'value' };

export interface CsvOptions {
  /** The agent of rows that do not name one. */
  agent: string | undefined;
  /** The column that names the agent. */
  agentColumn: string | undefined;
  /** Default: one of the common names. */
  timeColumn: string | undefined;
  /** Called once with the column of times and their format. */
  onTimes: (column: string, kind: TimeKind) => void;
}

/** Throws UsageError if a named column is missing. */
export async function* readCsvHistory(pieces: AsyncIterable<string>, options: CsvOptions): AsyncGenerator<HistoryItem> {
  try {
    const { columns, rows } = await parseCsvTable(pieces);
    const table = new HistoryTable(columns, options);
    for await (const row of rows) {
      try {
        requireWidth(withoutEmptyEnd(row, columns.length), columns);
        const item = table.read(row);
        if (item) yield item;
      } catch (error) {
        const bad = toBadLine(error);
        if (!(bad instanceof BadLine)) throw bad;
        yield bad;
      }
    }
  } catch (error) {
    // After a syntax error of the table, the next row cannot be found.
    throw toBadLine(error);
  }
}

function toBadLine(error: unknown): unknown {
  return error instanceof CsvError ? new BadLine(error.line, error.message.replace(/^line \d+: /, '')) : error;
}

/** Some programs end every row with a comma. */
function withoutEmptyEnd({ line, cells }: CsvRow, columns: number): CsvRow {
  const isLonger = cells.length > columns && cells.slice(columns).every((cell) => cell.trim() === '');
  return { line, cells: isLonger ? cells.slice(0, columns) : cells };
}

class HistoryTable {
  readonly #options: CsvOptions;
  readonly #time: number;
  readonly #timeName: string;
  readonly #agent: number;
  readonly #long: { name: number; value: number } | undefined;
  readonly #metrics: { index: number; name: string }[];
  #kind: TimeKind | undefined;

  constructor(columns: string[], options: CsvOptions) {
    this.#options = options;
    this.#timeName = options.timeColumn ?? usualTimeColumns.find((name) => columns.includes(name)) ?? '';
    this.#time = columns.indexOf(this.#timeName);
    if (this.#time < 0) {
      const what =
        options.timeColumn === undefined ? 'There is no column of times' : `There is no column ${this.#timeName}`;
      throw new UsageError(`${what}: name one of ${columns.join(', ')} with --time-column.`);
    }
    this.#agent = options.agentColumn === undefined ? -1 : columns.indexOf(options.agentColumn);
    if (options.agentColumn !== undefined && this.#agent < 0) {
      throw new UsageError(
        `There is no column ${options.agentColumn}: name one of ${columns.join(', ')} with --agent-tag.`,
      );
    }
    if (options.agent === undefined && this.#agent < 0) {
      throw new UsageError('The agent of the rows is unknown: set --agent, or name a column with --agent-tag.');
    }
    const others = columns.flatMap((name, index) =>
      index === this.#time || index === this.#agent ? [] : [{ index, name }],
    );
    const [name, value] = [longForm.name, longForm.value].map((each) => others.find((column) => column.name === each));
    this.#long = name && value && others.length === 2 ? { name: name.index, value: value.index } : undefined;
    this.#metrics = others;
    if (others.length === 0) throw new UsageError('There is no column of values.');
  }

  /** Undefined for a row without values. Throws BadLine. */
  read({ line, cells }: CsvRow): HistoryItem | undefined {
    const ap_id = (this.#agent < 0 ? '' : cells[this.#agent]!.trim()) || this.#options.agent;
    if (!ap_id) throw new BadLine(line, 'the agent is unknown');
    const ms = this.#timeOf(cells[this.#time]!.trim(), line);
    const fields = this.#long
      ? [toField(cells[this.#long.name]!.trim(), cells[this.#long.value]!.trim(), line)]
      : this.#metrics.map(({ name, index }) => toField(name, cells[index]!.trim(), line));
    const given = fields.filter((field) => field !== undefined);
    if (given.length === 0) return undefined;
    return { ap_id, text: `${ownMeasurement(ap_id)} ${given.join(',')} ${ms}`, number: line };
  }

  #timeOf(cell: string, line: number): number {
    if (this.#kind === undefined) {
      this.#kind = kindOfTime(cell);
      if (this.#kind) this.#options.onTimes(this.#timeName, this.#kind);
    }
    const ms = this.#kind ? toMilliseconds(cell, this.#kind) : Number.NaN;
    if (!Number.isNaN(ms)) return ms;
    const wanted = this.#kind ?? 'seconds, milliseconds, nanoseconds or RFC 3339 with a time zone';
    throw new BadLine(line, `${JSON.stringify(cell)} is not a valid time (${wanted})`);
  }
}

/** Undefined for an empty cell. What is not just the text of a number is left to Weft, which reads it as any string of a report. */
function toField(name: string, cell: string, line: number): string | undefined {
  if (cell === '') return undefined;
  if (name === '') throw new BadLine(line, 'the metric has no name');
  // Neither can be written in the line protocol.
  if (/\p{Cc}|\\$/u.test(name))
    throw new BadLine(line, `the metric ${JSON.stringify(name)} has a control character, or a backslash at its end`);
  const key = name.replaceAll(/[, =]/g, '\\$&');
  if (isExported(cell)) return `${key}=${cell}`;
  return `${key}="${cell.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** What an export writes for a number, and for nothing else. */
function isExported(cell: string): boolean {
  const number = Number(cell);
  if (!Number.isFinite(number) || String(number) !== cell) return false;
  return !Number.isInteger(number) || Number.isSafeInteger(number);
}

// The times in a column: the first one determines the format, and the others must have the same format.
export type TimeKind = 'RFC 3339' | 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds';

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/;
const number = /^-?\d+(\.\d+)?$/;

/** By the number of digits: current times have ten in seconds. Undefined if it is not a time. */
export function kindOfTime(text: string): TimeKind | undefined {
  if (rfc3339.test(text)) return 'RFC 3339';
  if (!number.test(text)) return undefined;
  const digits = text.replace('-', '').split('.')[0]!.length;
  if (digits <= 11) return 'seconds';
  if (digits <= 14) return 'milliseconds';
  return digits <= 17 ? 'microseconds' : 'nanoseconds';
}

/** Milliseconds, truncated; NaN if it does not have this format. Nanoseconds exceed the precision of a number. */
export function toMilliseconds(text: string, kind: TimeKind): number {
  if (kind === 'RFC 3339') return rfc3339.test(text) ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN;
  if (!number.test(text)) return Number.NaN;
  if (kind === 'seconds') return Math.floor(Math.round(Number(text) * 1e6) / 1000);
  const [whole = ''] = text.split('.');
  const cut = { milliseconds: 0, microseconds: 3, nanoseconds: 6 }[kind];
  return cut === 0 ? Number(whole) : Number(whole.slice(0, -cut));
}
