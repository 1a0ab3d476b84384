// The SQLite side of the store: sources, fields, sealed blocks and roll-ups. Synchronous; used in the store's own thread.
// A source is called `agent` and its name `ap_id` in existing files, so the tables keep these names.
import { closeSync, existsSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Level } from './rollup.ts';

export interface BlockPlace {
  id: number;
  start_ts: number;
  end_ts: number;
  rows: number;
}

export interface FieldRow {
  no: number;
  name: string;
  is_text: number;
  last_ts: number;
  last_value: number;
}

const flushData = promisify(fdatasync);

/** 2: small blocks are not compressed. */
const schemaVersion = 2;
const schema = `
  CREATE TABLE agents (no INTEGER PRIMARY KEY AUTOINCREMENT, ap_id TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE fields (
    agent INTEGER NOT NULL, no INTEGER NOT NULL, name TEXT NOT NULL, is_text INTEGER NOT NULL,
    last_ts REAL NOT NULL, last_value REAL NOT NULL, PRIMARY KEY (agent, no)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE blocks (
    id INTEGER PRIMARY KEY, agent INTEGER NOT NULL, start_ts INTEGER NOT NULL, end_ts INTEGER NOT NULL,
    rows INTEGER NOT NULL, data BLOB NOT NULL
  ) STRICT;
  CREATE INDEX blocks_by_time ON blocks (agent, start_ts, end_ts, rows);
  CREATE INDEX blocks_by_age ON blocks (end_ts);
  CREATE TABLE rollups (
    id INTEGER PRIMARY KEY, agent INTEGER NOT NULL, field INTEGER NOT NULL, level INTEGER NOT NULL, chunk INTEGER NOT NULL,
    data BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX rollups_by_time ON rollups (agent, field, level, chunk);
  CREATE INDEX rollups_by_age ON rollups (level, chunk);
  CREATE TABLE removed_agents (no INTEGER PRIMARY KEY) STRICT;
`;

/** What reading and sealing need of the tables of a source. */
export type BlockTables = Pick<
  Tables,
  | 'blockBefore'
  | 'blockAfter'
  | 'blocks'
  | 'countRows'
  | 'insertBlock'
  | 'removeBlock'
  | 'rollup'
  | 'rollups'
  | 'putRollup'
  | 'updateField'
>;

/** What a source needs of them to know its fields. */
export type FieldTables = Pick<Tables, 'fields' | 'createField'>;

export class Tables {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #logFile: string;
  #logHandle: number | undefined;

  constructor(file: string) {
    this.#logFile = `${file}-wal`;
    createPrivately(file);
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000');
    const { user_version: version } = this.#database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version > schemaVersion)
      throw new Error(`${file} was written by a newer version: use that one, or another data folder`);
    if (version === schemaVersion) return;
    const tables = version === 0 ? schema : '';
    this.transaction(() => this.#database.exec(`${tables}; PRAGMA user_version = ${schemaVersion}`));
  }

  /** Everything is durable when this returns; when it throws, nothing was changed. */
  transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** As `transaction`, but durable only after a `flush`: what it changes must be elsewhere until then. */
  transactionToFlush<T>(work: () => T): T {
    this.#database.exec('PRAGMA synchronous = NORMAL');
    try {
      return this.transaction(work);
    } finally {
      this.#database.exec('PRAGMA synchronous = FULL');
    }
  }

  /** Everything that was changed before is durable when it resolves: in SQLite's log, or moved from there to the tables, which SQLite flushes. */
  async flush(): Promise<void> {
    await flushData(this.#openLog());
  }

  flushSync(): void {
    fdatasyncSync(this.#openLog());
  }

  /** SQLite keeps the file as long as the tables are open. */
  #openLog(): number {
    this.#logHandle ??= openSync(this.#logFile, 'r+');
    return this.#logHandle;
  }

  sourceNumber(source: string): number | undefined {
    return this.#get<{ no: number }>('SELECT no FROM agents WHERE ap_id = ?', source)?.no;
  }

  sourceExists(no: number): boolean {
    return this.#get('SELECT 1 AS one FROM agents WHERE no = ?', no) !== undefined;
  }

  createSource(source: string): number {
    return this.#get<{ no: number }>('INSERT INTO agents (ap_id) VALUES (?) RETURNING no', source)!.no;
  }

  /** Hides the source at once; `pruneRemoved` deletes its rows later. */
  removeSource(no: number): void {
    this.#run('INSERT INTO removed_agents (no) VALUES (?)', no);
    this.#run('DELETE FROM agents WHERE no = ?', no);
  }

  fields(source: number): FieldRow[] {
    return this.#all('SELECT no, name, is_text, last_ts, last_value FROM fields WHERE agent = ?', source);
  }

  createField(source: number, no: number, name: string, isText: boolean): void {
    const sql = 'INSERT INTO fields (agent, no, name, is_text, last_ts, last_value) VALUES (?, ?, ?, ?, -1, 0)';
    this.#run(sql, source, no, name, isText ? 1 : 0);
  }

  updateField(source: number, no: number, lastTs: number, lastValue: number): void {
    this.#run(
      'UPDATE fields SET last_ts = ?, last_value = ? WHERE agent = ? AND no = ?',
      lastTs,
      lastValue,
      source,
      no,
    );
  }

  /** The block that begins last at or before `ts`. */
  blockBefore(source: number, ts: number): BlockPlace | undefined {
    const sql =
      'SELECT id, start_ts, end_ts, rows FROM blocks WHERE agent = ? AND start_ts <= ? ORDER BY start_ts DESC LIMIT 1';
    return this.#get(sql, source, ts);
  }

  /** The block that begins first after `ts`. */
  blockAfter(source: number, ts: number): BlockPlace | undefined {
    const sql =
      'SELECT id, start_ts, end_ts, rows FROM blocks WHERE agent = ? AND start_ts > ? ORDER BY start_ts LIMIT 1';
    return this.#get(sql, source, ts);
  }

  /** Blocks that overlap the range, oldest first. Blocks of a source never overlap each other. */
  blocks(source: number, startMs: number, endMs: number, limit = -1): BlockPlace[] {
    const from = this.blockBefore(source, startMs)?.start_ts ?? startMs;
    const sql = `SELECT id, start_ts, end_ts, rows FROM blocks
      WHERE agent = ? AND start_ts >= ? AND start_ts <= ? AND end_ts >= ? ORDER BY start_ts LIMIT ?`;
    return this.#all(sql, source, from, endMs, startMs, limit);
  }

  /** An upper bound for the rows of the range. */
  countRows(source: number, startMs: number, endMs: number): number {
    const from = this.blockBefore(source, startMs)?.start_ts ?? startMs;
    const sql =
      'SELECT coalesce(sum(rows), 0) AS rows FROM blocks WHERE agent = ? AND start_ts >= ? AND start_ts <= ? AND end_ts >= ?';
    return this.#get<{ rows: number }>(sql, source, from, endMs, startMs)!.rows;
  }

  blockData(id: number): Uint8Array {
    return this.#get<{ data: Uint8Array }>('SELECT data FROM blocks WHERE id = ?', id)!.data;
  }

  insertBlock(source: number, startTs: number, endTs: number, rows: number, data: Uint8Array): void {
    this.#run(
      'INSERT INTO blocks (agent, start_ts, end_ts, rows, data) VALUES (?, ?, ?, ?, ?)',
      source,
      startTs,
      endTs,
      rows,
      data,
    );
  }

  removeBlock(id: number): void {
    this.#run('DELETE FROM blocks WHERE id = ?', id);
  }

  rollup(source: number, field: number, level: Level, chunk: number): Uint8Array | undefined {
    const sql = 'SELECT data FROM rollups WHERE agent = ? AND field = ? AND level = ? AND chunk = ?';
    return this.#get<{ data: Uint8Array }>(sql, source, field, level, chunk)?.data;
  }

  /** The chunks of the range that exist, in order. */
  rollups(
    source: number,
    field: number,
    level: Level,
    first: number,
    last: number,
  ): { chunk: number; data: Uint8Array }[] {
    const sql =
      'SELECT chunk, data FROM rollups WHERE agent = ? AND field = ? AND level = ? AND chunk BETWEEN ? AND ? ORDER BY chunk';
    return this.#all(sql, source, field, level, first, last);
  }

  putRollup(source: number, field: number, level: Level, chunk: number, data: Uint8Array): void {
    const sql = `INSERT INTO rollups (agent, field, level, chunk, data) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (agent, field, level, chunk) DO UPDATE SET data = excluded.data`;
    this.#run(sql, source, field, level, chunk, data);
  }

  /** Removes up to `limit` blocks that end before `endMs`; returns their ids. */
  pruneBlocks(endMs: number, limit: number): number[] {
    const sql = 'DELETE FROM blocks WHERE id IN (SELECT id FROM blocks WHERE end_ts < ? LIMIT ?) RETURNING id';
    return this.#all<{ id: number }>(sql, endMs, limit).map(({ id }) => id);
  }

  pruneRollups(level: Level, beforeChunk: number, limit: number): number {
    const sql = 'DELETE FROM rollups WHERE id IN (SELECT id FROM rollups WHERE level = ? AND chunk < ? LIMIT ?)';
    return this.#run(sql, level, beforeChunk, limit);
  }

  /** Deletes up to `limit` rows of removed sources; returns how many it found. */
  pruneRemoved(limit: number): number {
    const removed = this.#get<{ no: number }>('SELECT no FROM removed_agents LIMIT 1');
    if (!removed) return 0;
    const { no } = removed;
    const found =
      this.#run('DELETE FROM blocks WHERE id IN (SELECT id FROM blocks WHERE agent = ? LIMIT ?)', no, limit) +
      this.#run('DELETE FROM rollups WHERE id IN (SELECT id FROM rollups WHERE agent = ? LIMIT ?)', no, limit);
    if (found > 0) return found;
    this.#run('DELETE FROM fields WHERE agent = ?', no);
    this.#run('DELETE FROM removed_agents WHERE no = ?', no);
    return 1;
  }

  check(): void {
    this.#get('SELECT count(*) AS tables FROM sqlite_schema');
  }

  close(): void {
    this.#database.close();
    if (this.#logHandle !== undefined) closeSync(this.#logHandle);
    this.#logHandle = undefined;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #get<Row>(sql: string, ...params: (string | number)[]): Row | undefined {
    return this.#prepare(sql).get(...params) as Row | undefined;
  }

  #all<Row>(sql: string, ...params: (string | number)[]): Row[] {
    return this.#prepare(sql).all(...params) as Row[];
  }

  #run(sql: string, ...params: (string | number | Uint8Array)[]): number {
    return Number(this.#prepare(sql).run(...params).changes);
  }
}

/** SQLite gives its other files the mode of this one, so it is set before there is any content. */
function createPrivately(file: string): void {
  if (file === ':memory:' || existsSync(file)) return;
  closeSync(openSync(file, 'wx', 0o600));
}
