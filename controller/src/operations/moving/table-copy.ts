// Copies every table of accounts from SQLite into PostgreSQL, in one transaction, and compares both sides: the number of rows
// and a hash over all of them.
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { PostgresSession } from '../../core/base/storage/postgres-session.ts';
import type { SqlValue } from '../../core/base/storage/sql-database.ts';

/** What belongs to the database itself, and not to the installation in it. */
const ownTables = new Set(['schema_migrations', 'data_migration', 'device_key']);
const rowsAtOnce = 2_000;
const maxBatchChars = 8 * 1024 * 1024;

export interface TableReport {
  table: string;
  rows: number;
  /** Over the content of all rows, whatever their order. */
  hash: string;
}

interface Column {
  name: string;
  type: string;
}

type Values = SqlValue[];

/** Replaces what is in the tables of PostgreSQL. Throws if a table differs afterwards; then nothing took effect. */
export async function copyTables(
  from: DatabaseSync,
  to: PostgresSession,
  onTable: (table: string) => void,
): Promise<TableReport[]> {
  const tables = tablesInOrder(from);
  await to.runUnhurried(`TRUNCATE ${tables.map(quoted).join(', ')}`);
  const reports: TableReport[] = [];
  for (const table of tables) {
    onTable(table);
    const columns = await columnsOf(table, from, to);
    const sent = await copyRows(table, columns, from, to);
    const stored = await readBack(table, columns, to);
    if (sent.rows !== stored.rows || sent.hash !== stored.hash) {
      throw new Error(`the table ${table} differs: ${sent.rows} rows were sent, ${stored.rows} are there`);
    }
    reports.push(stored);
  }
  return reports;
}

/** A table comes after those that its rows refer to. */
function tablesInOrder(from: DatabaseSync): string[] {
  const sql = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;
  const names = (from.prepare(sql).all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => !ownTables.has(name));
  const ordered = new Set<string>();
  const add = (name: string) => {
    if (ordered.has(name)) return;
    const needed = from.prepare('SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list(?)').all(name);
    for (const other of needed as { name: string }[]) if (other.name !== name) add(other.name);
    ordered.add(name);
  };
  for (const name of names) add(name);
  return [...ordered];
}

/** By name, so that both sides have them in the same order. */
async function columnsOf(table: string, from: DatabaseSync, to: PostgresSession): Promise<Column[]> {
  const local = (
    from.prepare('SELECT name FROM pragma_table_info(?) ORDER BY name').all(table) as { name: string }[]
  ).map(({ name }) => name);
  const columns = await to.query<{ name: string; type: string }>(
    `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = ?`,
    [table],
  );
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  if (local.length !== types.size || local.some((name) => !types.has(name))) {
    throw new Error(`the table ${table} has other columns in PostgreSQL: both must be of the same version of Weft`);
  }
  return local.map((name) => ({ name, type: types.get(name)! }));
}

async function copyRows(table: string, columns: Column[], from: DatabaseSync, to: PostgresSession) {
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  const sql = `INSERT INTO ${quoted(table)} (${names}) SELECT * FROM unnest(${columns.map(({ type }) => `?::${type}[]`).join(', ')})`;
  const digest = new RowDigest();
  let batch: Values[] = [];
  let chars = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    await to.query(
      sql,
      columns.map((_, index) => batch.map((row) => row[index]!)),
    );
    batch = [];
    chars = 0;
  };
  for (const row of from.prepare(`SELECT ${names} FROM ${quoted(table)}`).iterate()) {
    const values = columns.map(({ name }) => (row as Record<string, SqlValue>)[name]!);
    chars += digest.add(values);
    batch.push(values);
    if (batch.length >= rowsAtOnce || chars > maxBatchChars) await flush();
  }
  await flush();
  return { rows: digest.rows, hash: digest.hash };
}

async function readBack(table: string, columns: Column[], to: PostgresSession): Promise<TableReport> {
  const digest = new RowDigest();
  const cursor = quoted(`moved_${table}`);
  const names = columns.map(({ name }) => quoted(name)).join(', ');
  await to.runScript(`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${names} FROM ${quoted(table)}`);
  for (;;) {
    const rows = await to.query(`FETCH ${rowsAtOnce} FROM ${cursor}`);
    for (const row of rows) digest.add(columns.map(({ name }) => row[name]!));
    if (rows.length < rowsAtOnce) break;
  }
  await to.runScript(`CLOSE ${cursor}`);
  return { table, rows: digest.rows, hash: digest.hash };
}

/** The hashes of single rows, combined so that their order does not matter. A row is there once: it has a key. */
class RowDigest {
  rows = 0;
  readonly #sum = Buffer.alloc(32);

  /** Returns the length of the row as text. */
  add(values: Values): number {
    const text = JSON.stringify(values);
    const hash = createHash('sha256').update(text).digest();
    for (let index = 0; index < hash.length; index++) this.#sum[index]! ^= hash[index]!;
    this.rows++;
    return text.length;
  }

  get hash(): string {
    return this.#sum.toString('hex');
  }
}

function quoted(name: string): string {
  return `"${name}"`;
}
