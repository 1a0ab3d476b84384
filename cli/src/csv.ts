// Reads and writes comma-separated values (RFC 4180). Reads in chunks, so that a file may be larger than memory.

import { csvCell } from '@weft/contract/enrolment-line';

export interface CsvRow {
  /** The line where it begins, counted from 1. */
  line: number;
  cells: string[];
}

/** A table is invalid; the message begins with the line. */
export class CsvError extends Error {
  override name = 'CsvError';
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.line = line;
  }
}

/** Limits memory if a quote is never closed. */
const maxRowLength = 1024 * 1024;
const byteOrderMark = '\uFEFF';

/**
 * The rows of a text that arrives in chunks; empty lines are skipped. Rows end with LF, CRLF or CR, quotes are doubled inside of
 * quoted cells. Throws CsvError for a quote that is not closed, or that does not enclose a whole cell.
 */
export async function* parseCsv(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<CsvRow, void> {
  const parser = new Parser();
  for await (const piece of pieces) {
    parser.take(piece);
    yield* parser.rows.splice(0);
  }
  parser.end();
  yield* parser.rows.splice(0);
}

export interface CsvTable {
  columns: string[];
  rows: AsyncIterable<CsvRow>;
}

/** The first row names the columns; see requireWidth for the others. Throws CsvError, as its rows do. */
export async function parseCsvTable(pieces: AsyncIterable<string> | Iterable<string>): Promise<CsvTable> {
  const rows = parseCsv(pieces);
  const { value: head } = await rows.next();
  if (!head) throw new CsvError(1, 'the file is empty; the first line must name the columns');
  const columns = head.cells.map((cell) => cell.trim());
  const [only = ''] = columns;
  if (columns.length === 1 && /[;\t]/.test(only)) {
    const separator = only.includes(';') ? 'semicolons' : 'tabs';
    throw new CsvError(head.line, `the columns are separated by ${separator}; export the table with commas`);
  }
  const unnamed = columns.indexOf('');
  if (unnamed >= 0) throw new CsvError(head.line, `column ${unnamed + 1} has no name`);
  const twice = columns.find((column, index) => columns.indexOf(column) < index);
  if (twice !== undefined) throw new CsvError(head.line, `there are two columns ${JSON.stringify(twice)}`);
  return { columns, rows };
}

/** Throws CsvError if the number of cells differs from the number of columns. */
export function requireWidth({ line, cells }: CsvRow, columns: readonly string[]): void {
  if (cells.length !== columns.length) throw new CsvError(line, `${cells.length} cells instead of ${columns.length}`);
}

/** One row with its line end; cells are quoted where necessary. */
export function toCsvLine(cells: readonly string[]): string {
  // A single empty cell would be an empty line, which is skipped when read.
  const text = cells.length === 1 && cells[0] === '' ? '""' : cells.map(csvCell).join(',');
  return `${text}\n`;
}

class Parser {
  readonly rows: CsvRow[] = [];
  #cells: string[] = [];
  #cell = '';
  /** `closed`: after the second quote of a cell, which may be the first of a doubled quote. */
  #state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin';
  #line = 1;
  #rowLine = 1;
  #length = 0;
  #isFirst = true;
  #wasReturn = false;

  take(text: string): void {
    let at = 0;
    if (this.#isFirst && text.length > 0) {
      this.#isFirst = false;
      if (text.startsWith(byteOrderMark)) at = 1;
    }
    while (at < text.length) at = this.#state === 'quoted' ? this.#quoted(text, at) : this.#unquoted(text, at);
  }

  end(): void {
    if (this.#state === 'quoted') throw new CsvError(this.#rowLine, 'a quote is not closed');
    if (this.#cells.length > 0 || this.#state !== 'begin') this.#endRow();
  }

  #quoted(text: string, at: number): number {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    const piece = text.slice(at, end);
    this.#add(piece);
    this.#line += piece.match(/\r\n|\n|\r/g)?.length ?? 0;
    // CR and LF of one line end, split between two chunks.
    if (this.#wasReturn && piece.startsWith('\n')) this.#line -= 1;
    this.#wasReturn = quote < 0 && (piece === '' ? this.#wasReturn : piece.endsWith('\r'));
    if (quote < 0) return end;
    this.#state = 'closed';
    return end + 1;
  }

  #unquoted(text: string, at: number): number {
    const char = text[at]!;
    const wasReturn = this.#wasReturn;
    this.#wasReturn = false;
    switch (char) {
      case '"':
        if (this.#state === 'plain') {
          throw new CsvError(
            this.#line,
            'a quote inside of a cell; quotes must enclose the whole cell and are doubled inside',
          );
        }
        if (this.#state === 'closed') this.#add('"');
        this.#state = 'quoted';
        return at + 1;
      case ',':
        this.#endCell();
        return at + 1;
      case '\n':
        if (!wasReturn) this.#endLine();
        return at + 1;
      case '\r':
        this.#endLine();
        this.#wasReturn = true;
        return at + 1;
    }
    if (this.#state === 'closed') throw new CsvError(this.#line, 'unexpected text after a closing quote');
    this.#state = 'plain';
    const end = plainEnd(text, at);
    this.#add(text.slice(at, end));
    return end;
  }

  #add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > maxRowLength) throw new CsvError(this.#rowLine, 'the row is too long; is a quote not closed?');
    this.#cell += piece;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'begin';
  }

  #endLine(): void {
    if (this.#cells.length > 0 || this.#state !== 'begin') this.#endRow();
    this.#line += 1;
    this.#rowLine = this.#line;
  }

  #endRow(): void {
    this.#endCell();
    this.rows.push({ line: this.#rowLine, cells: this.#cells });
    this.#cells = [];
    this.#length = 0;
  }
}

const special = /[",\r\n]/g;

function plainEnd(text: string, at: number): number {
  special.lastIndex = at;
  return special.exec(text)?.index ?? text.length;
}
