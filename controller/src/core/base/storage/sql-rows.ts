// Statements for many rows at once, in few variants: databases cache prepared statements by their text.
import type { SqlQueries, SqlRow, SqlValue } from './sql-database.ts';

/** What both databases return as it was written. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A field of a record as a value of its column: objects are JSON there, flags 0 or 1. */
export function toSqlValue(value: unknown): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
}

type ColumnOf<List extends string> = List extends `${infer First}, ${infer Rest}` ? First | ColumnOf<Rest> : List;

/** The values of a record that has a field for each of the columns, which are listed as in the statement. */
export function valuesOf<List extends string>(
  record: Readonly<Record<ColumnOf<List>, unknown>>,
  columns: List,
): SqlValue[] {
  return columns.split(', ').map((column) => toSqlValue(record[column as ColumnOf<List>]));
}

/** How many rows there are; `from` is what follows FROM. */
export async function countRows(tx: SqlQueries, from: string, params: readonly SqlValue[] = []): Promise<number> {
  const [row] = await tx.query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${from}`, params);
  return row?.count ?? 0;
}

export async function insertRecord<List extends string>(
  tx: SqlQueries,
  table: string,
  columns: List,
  record: Readonly<Record<ColumnOf<List>, unknown>>,
): Promise<void> {
  const values = valuesOf(record, columns);
  await tx.query(`INSERT INTO ${table} (${columns}) VALUES (${values.map(() => '?').join(', ')})`, values);
}

/** The same; a row with the same value of the first column is replaced. */
export async function putRecord<List extends string>(
  tx: SqlQueries,
  table: string,
  columns: List,
  record: Readonly<Record<ColumnOf<List>, unknown>>,
): Promise<void> {
  const [key, ...rest] = columns.split(', ');
  const values = valuesOf(record, columns);
  const changes = rest.map((column) => `${column} = excluded.${column}`).join(', ');
  const row = values.map(() => '?').join(', ');
  const sql = `INSERT INTO ${table} (${columns}) VALUES (${row}) ON CONFLICT (${key}) DO UPDATE SET ${changes}`;
  await tx.query(sql, values);
}

/** Both databases support this number of parameters. */
const maxParameters = 4096;
const maxListed = 512;

/** Lists for `IN (…)`, padded with repetitions to a power of two; `most`: of them in one. */
export function* inParts(list: readonly string[], most = maxListed): Generator<{ marks: string; values: string[] }> {
  for (let start = 0; start < list.length; start += most) {
    const values = list.slice(start, start + most);
    const size = 2 ** Math.ceil(Math.log2(values.length));
    while (values.length < size) values.push(values[0]!);
    yield { marks: values.map(() => '?').join(', '), values };
  }
}

/** Runs `sql` over all of a list, a part at a time; `{{list}}` is replaced by its marks, and `params` belong to marks before them. */
export async function runList<Row extends SqlRow = SqlRow>(
  tx: SqlQueries,
  sql: string,
  list: readonly string[],
  params: readonly SqlValue[] = [],
): Promise<Row[]> {
  const found: Row[] = [];
  for (const { marks, values } of inParts(list)) {
    found.push(...(await tx.query<Row>(sql.replace('{{list}}', marks), [...params, ...values])));
  }
  return found;
}

/** Runs `sql` over all rows, a power of two at a time; `{{rows}}` is replaced by the list of row values. */
export async function runRows<Row extends SqlRow = SqlRow>(
  tx: SqlQueries,
  sql: string,
  rows: readonly (readonly SqlValue[])[],
  mark = '?',
): Promise<Row[]> {
  const found: Row[] = [];
  let start = 0;
  while (start < rows.length) {
    const width = rows[start]!.length;
    const most = Math.min(rows.length - start, Math.floor(maxParameters / width), maxListed);
    const size = 2 ** Math.floor(Math.log2(most));
    const part = rows.slice(start, start + size);
    found.push(...(await tx.query<Row>(statement(sql, size, width, mark), part.flat())));
    start += size;
  }
  return found;
}

/** By their text without rows, then by the number of rows; the mark belongs to the text. */
const statements = new Map<string, Map<number, string>>();

function statement(sql: string, rows: number, width: number, mark: string): string {
  let sizes = statements.get(sql);
  if (sizes === undefined) {
    sizes = new Map();
    statements.set(sql, sizes);
  }
  let text = sizes.get(rows);
  if (text === undefined) {
    const row = mark === '?' ? `(${Array(width).fill('?').join(', ')})` : mark;
    text = sql.replace('{{rows}}', Array(rows).fill(row).join(', '));
    sizes.set(rows, text);
  }
  return text;
}
