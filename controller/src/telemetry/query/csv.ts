// Rows as CSV (RFC 4180) that a spreadsheet shows and never runs.
import type { Frame } from '../store/telemetry-store.ts';
import { createTimestampWriter } from './timestamps.ts';

const FORMULA_START = /^[=+\-@\t\r\n]/;
const PLAIN_NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Text that a spreadsheet would take for a formula gets an apostrophe in front; plain numbers are left alone. */
export function csvCell(text: string): string {
  const safe = FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvHeader(names: readonly string[]): string {
  return `${['ts', ...names].map(csvCell).join(',')}\r\n`;
}

/** One line for each row, with a cell for each of these names, empty where there is no value. */
export function csvRows(names: readonly string[], frame: Frame): string {
  const timestamp = createTimestampWriter();
  const columns = names.map((name) => ({ values: frame.columns.get(name), texts: frame.texts.get(name) }));
  let text = '';
  for (let row = 0; row < frame.ts.length; row++) {
    text += timestamp(frame.ts[row]!);
    for (const { values, texts } of columns) {
      const value = values?.[row];
      if (value !== undefined && !Number.isNaN(value)) text += `,${value}`;
      else text += `,${csvCell(texts?.[row] ?? '')}`;
    }
    text += '\r\n';
  }
  return text;
}
