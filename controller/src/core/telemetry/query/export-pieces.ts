// A range of an agent's rows as text, piece by piece: any length in bounded memory, one page of rows at a time.
import { csvCell } from '@weft/contract/enrolment-line';
import { toPlainDecimal } from '../../base/input/plain-decimal.ts';
import type { Frame, TelemetryStore } from '../store/telemetry-store.ts';
import { rowsJson } from './series-json.ts';
import { createTimestampWriter } from './timestamps.ts';

/** Values in one page of the store: a few milliseconds of its thread. */
const pageValues = 10_000;
const maxPageRows = 2_000;
/** A fraction of a millisecond. */
const pieceLength = 8 * 1024;

export interface ExportOptions {
  startMs: number;
  endMs: number;
  format: 'csv' | 'ndjson';
  /** Metrics and text fields; undefined: all of them. */
  metrics: readonly string[] | undefined;
}

/** What is asked of the store is a page at a time, and only when the page before has been taken; `inTurn` says when. */
export async function* exportPieces(
  telemetry: Pick<TelemetryStore, 'fields' | 'rows'>,
  ap_id: string,
  { startMs, endMs, format, metrics }: ExportOptions,
  inTurn: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): AsyncGenerator<string, void> {
  const fields = await telemetry.fields(ap_id, startMs);
  const names = metrics ?? [...new Set(fields.map(({ name }) => name))];
  // The store picks metrics only: where a text is asked for, every field is read and the rest left out here.
  const hasTexts = fields.some(({ name, kind }) => kind === 'text' && metrics?.includes(name));
  if (format === 'csv') yield csvHeader(names);
  const width = metrics && !hasTexts ? metrics.length : fields.length;
  const limit = Math.max(10, Math.min(maxPageRows, Math.floor(pageValues / Math.max(1, width))));
  let from = startMs;
  while (from <= endMs) {
    const wantedHere = hasTexts ? undefined : metrics;
    const range = { startMs: from, endMs };
    const page = await inTurn(() => telemetry.rows(ap_id, range, limit, wantedHere));
    const wanted = metrics && hasTexts ? pick(page, metrics) : page;
    yield* joined(format === 'csv' ? csvRows(names, wanted) : linesOf(wanted));
    if (page.ts.length < limit) return;
    from = page.ts.at(-1)! + 1;
  }
}

function* linesOf(frame: Frame): Generator<string> {
  for (const row of rowsJson(frame)) yield `${row}\n`;
}

function* joined(lines: Iterable<string>): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** The rows in which one of these fields has a value, with these fields only. */
function pick(frame: Frame, names: readonly string[]): Frame {
  const columns = names.flatMap((name) => frame.columns.get(name) ?? []);
  const texts = names.flatMap((name) => [frame.texts.get(name) ?? []]);
  const rows: number[] = [];
  for (let row = 0; row < frame.ts.length; row++) {
    const hasValue = columns.some((values) => !Number.isNaN(values[row]!));
    if (hasValue || texts.some((values) => values[row] !== undefined)) rows.push(row);
  }
  const { resolution_seconds } = frame;
  return {
    resolution_seconds,
    ts: Float64Array.from(rows, (row) => frame.ts[row]!),
    columns: pickEach(frame.columns, names, (values) => Float64Array.from(rows, (row) => values[row]!)),
    texts: pickEach(frame.texts, names, (values) => rows.map((row) => values[row])),
  };
}

function pickEach<T>(from: Map<string, T>, names: readonly string[], change: (values: T) => T): Map<string, T> {
  const picked = new Map<string, T>();
  for (const name of names) {
    const values = from.get(name);
    if (values !== undefined) picked.set(name, change(values));
  }
  return picked;
}

// Rows as CSV.
export function csvHeader(names: readonly string[]): string {
  return `${['ts', ...names].map(csvCell).join(',')}\r\n`;
}

/** One line for each row, with a cell for each of these names, empty where there is no value. Only names with values in the frame cost anything. */
export function* csvRows(names: readonly string[], frame: Frame): Generator<string> {
  const timestamp = createTimestampWriter();
  const columns = names.flatMap((name, index) => {
    const [values, texts] = [frame.columns.get(name), frame.texts.get(name)];
    return values || texts ? [{ cell: index + 1, values, texts }] : [];
  });
  const commas = ','.repeat(names.length);
  for (let row = 0; row < frame.ts.length; row++) {
    let text = timestamp(frame.ts[row]!);
    let at = 0;
    for (const { cell, values, texts } of columns) {
      const value = values?.[row];
      const word = texts?.[row];
      // A text that is this number says more than it: "1.20".
      const isNumber =
        value !== undefined && !Number.isNaN(value) && (word === undefined || toPlainDecimal(word) !== value);
      const written = isNumber ? value : word;
      if (written === undefined) continue;
      text += commas.slice(0, cell - at) + (isNumber ? value : csvCell(String(written)));
      at = cell;
    }
    yield `${text}${commas.slice(at)}\r\n`;
  }
}
