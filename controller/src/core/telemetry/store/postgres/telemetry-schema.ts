// The tables of telemetry in PostgreSQL, and the days that blocks are partitioned by.
import type { PostgresPool } from '../../../base/storage/postgres-pool.ts';
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';

/** Sealing takes the journal of whole periods. */
export const periodSeconds = 600;
/** A ring: each period has one of them, which is emptied once everything in it is sealed. */
export const journalSlots = 12;
const dayMs = 86_400_000;
/** Any number that is not used elsewhere in the same database. */
const schemaLock = 7_305_002;
const schemaVersion = 1;

const schema = `
  CREATE TABLE telemetry_version (version INTEGER NOT NULL);
  INSERT INTO telemetry_version VALUES (${schemaVersion});
  CREATE TABLE telemetry_sources (no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ap_id TEXT NOT NULL UNIQUE);
  CREATE TABLE telemetry_fields (
    source BIGINT NOT NULL, no INTEGER NOT NULL, name TEXT NOT NULL, is_text INTEGER NOT NULL, PRIMARY KEY (source, no)
  );
  -- One row a source, changed by every commit: half of each page stays free, so that the changed row finds room on it.
  CREATE TABLE telemetry_newest (
    source BIGINT PRIMARY KEY, sealed_period BIGINT NOT NULL, last_period BIGINT NOT NULL, data BYTEA NOT NULL
  ) WITH (fillfactor = 50);
  ALTER TABLE telemetry_newest ALTER data SET STORAGE MAIN;
  CREATE TABLE telemetry_journal (
    slot INTEGER NOT NULL, period BIGINT NOT NULL, seq BIGINT NOT NULL, source BIGINT NOT NULL, data BYTEA NOT NULL
  ) PARTITION BY LIST (slot);
  ALTER TABLE telemetry_journal ALTER data SET STORAGE EXTERNAL;
  CREATE SEQUENCE telemetry_journal_seq CACHE 1;
  CREATE INDEX telemetry_journal_by_source ON telemetry_journal (source, seq);
  ${Array.from(
    { length: journalSlots },
    (_, slot) => `CREATE TABLE telemetry_journal_${slot} PARTITION OF telemetry_journal FOR VALUES IN (${slot});`,
  ).join('\n')}
  CREATE SEQUENCE telemetry_block_ids;
  CREATE TABLE telemetry_blocks (
    id BIGINT NOT NULL DEFAULT nextval('telemetry_block_ids'), source BIGINT NOT NULL, start_ts BIGINT NOT NULL,
    end_ts BIGINT NOT NULL, rows INTEGER NOT NULL, data BYTEA NOT NULL
  ) PARTITION BY RANGE (start_ts);
  ALTER TABLE telemetry_blocks ALTER data SET STORAGE EXTERNAL;
  CREATE INDEX telemetry_blocks_by_time ON telemetry_blocks (source, start_ts);
  CREATE INDEX telemetry_blocks_by_id ON telemetry_blocks (id);
  CREATE TABLE telemetry_rollups (
    source BIGINT NOT NULL, field INTEGER NOT NULL, level INTEGER NOT NULL, chunk INTEGER NOT NULL, data BYTEA NOT NULL,
    PRIMARY KEY (source, field, level, chunk)
  );
  CREATE INDEX telemetry_rollups_by_age ON telemetry_rollups (level, chunk);
  CREATE TABLE telemetry_removed (source BIGINT PRIMARY KEY);
`;

/** Creates the tables if there are none; safe if several nodes start at once. Throws an Error that says what to do. */
export async function createTelemetryTables(pool: PostgresPool): Promise<void> {
  await pool.transaction(async (session) => {
    await session.runUnhurried(`SELECT pg_advisory_xact_lock(${schemaLock})`);
    const [found] = await session.query<{ name: string | null }>(
      `SELECT to_regclass('telemetry_version')::text AS name`,
    );
    if (found?.name === null) await session.runScript(schema);
    const [row] = await session.query<{ version: number }>('SELECT version FROM telemetry_version');
    if (row?.version !== schemaVersion) {
      throw new Error(`telemetry in PostgreSQL was written by a newer version (${row?.version}): use that one`);
    }
    await dropTablesOfMoves(session);
  });
}

/** In version 0.2.0 agents moved between several servers; the copy of one that had not arrived has a name with a tilde. */
async function dropTablesOfMoves(session: PostgresSession): Promise<void> {
  const [found] = await session.query<{ name: string | null }>(`SELECT to_regclass('telemetry_moved')::text AS name`);
  if (found?.name === null) return;
  const unfinished = await session.query(
    `SELECT ap_id FROM telemetry_moved WHERE is_gone = 0 OR copy <> ''
     UNION ALL SELECT ap_id FROM telemetry_sources WHERE ap_id LIKE '~%' LIMIT 1`,
  );
  if (unfinished.length > 0) {
    throw new Error('weft rebalance has not ended: run it to its end with Weft 0.2.0, then start this version');
  }
  await session.runScript('DROP TABLE IF EXISTS telemetry_moved, telemetry_identity, telemetry_beats');
}

export function dayOf(ts: number): number {
  return Math.floor(ts / dayMs);
}

/** The partitions for blocks that begin on these days. */
export async function createDays(pool: PostgresPool, days: Iterable<number>): Promise<void> {
  for (const day of days) {
    await pool.transaction(async (session) => {
      await session.runUnhurried(`SELECT pg_advisory_xact_lock(${schemaLock})`);
      const table = tableOfDay(day);
      const [found] = await session.query<{ name: string | null }>('SELECT to_regclass(?)::text AS name', [table]);
      if (found?.name !== null) return;
      // Made beside and attached, because that lets everybody else go on reading and writing.
      await session.runScript(`CREATE TABLE ${table} (LIKE telemetry_blocks INCLUDING DEFAULTS INCLUDING STORAGE);
        ALTER TABLE telemetry_blocks ATTACH PARTITION ${table} FOR VALUES FROM (${day * dayMs}) TO (${(day + 1) * dayMs})`);
    });
  }
}

/** Drops one day whose blocks have all ended before this moment; returns whether it did. */
export async function dropDayBefore(pool: PostgresPool, ms: number): Promise<boolean> {
  return pool.transaction(async (session) => {
    const old = (await knownDays(session)).filter((day) => (day + 1) * dayMs <= ms);
    for (const day of old) {
      const table = tableOfDay(day);
      // A block of an agent that reports rarely begins on one day and ends weeks later.
      const [row] = await session.query<{ until: number | null }>(`SELECT max(end_ts) AS until FROM ${table}`);
      if ((row?.until ?? 0) >= ms) continue;
      await session.runScript(`SET LOCAL lock_timeout = '1s'; DROP TABLE IF EXISTS ${table}`);
      return true;
    }
    return false;
  });
}

async function knownDays(session: PostgresSession): Promise<number[]> {
  const tables = await session.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'telemetry_blocks'::regclass`,
  );
  return tables.map(({ name }) => toDay(name)).sort((a, b) => a - b);
}

function tableOfDay(day: number): string {
  return `telemetry_blocks_${day < 0 ? 'm' : ''}${Math.abs(day)}`;
}

function toDay(table: string): number {
  const [, sign, digits] = /telemetry_blocks_(m?)(\d+)/.exec(table)!;
  return Number(digits) * (sign === 'm' ? -1 : 1);
}
