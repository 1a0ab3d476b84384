// Moves what is in closed periods of the journal into blocks and roll-ups. Any node does it, for agents that nobody else
// has claimed; a slot of the journal is emptied once everything in it is sealed.
import type { TimeRange } from '@weft/timeseries';
import { hourMs, RecentRows, rowsAtOnce, type SourceSeries, sealFirstRows } from '@weft/timeseries/engine-parts';
import { TryLaterError } from '../../../base/errors.ts';
import type { PostgresPool } from '../../../base/storage/postgres-pool.ts';
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';
import { insertBlocks, putRollups } from './block-rows.ts';
import { readFields } from './known-sources.ts';
import { BlockMemory, type Changes, LoadedTables } from './loaded-tables.ts';
import { readNewest } from './newest-record.ts';
import { readSeries } from './source-reader.ts';
import { createDays, dayOf, journalSlots, periodSeconds } from './telemetry-schema.ts';

/** Of one transaction: commits of all agents wait for those that it has locked. */
const agentsAtOnce = 4;
/** Found together, without a lock: looking for them reads the rows of all. */
const agentsFound = 1_000;
/** A commit that began before the end of a period may still be under way; none takes as long as this. */
const graceSeconds = 60;
/** Any number that is not used elsewhere in the same database. */
const emptyingLock = 7_305_004;

export interface SealOptions {
  /** Periods that are still open as well: for tests. */
  everything: boolean;
  onDamage: (message: string) => void;
}

export class JournalSealer {
  readonly #pool: PostgresPool;
  readonly #options: SealOptions;
  /** Agents that had something to seal when it was looked for, and how many of them this node has sealed. */
  #found: number[] = [];
  #wasFull = false;
  #sealed = 0;

  constructor(pool: PostgresPool, options: SealOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Seals some agents; resolves whether there may be more. Those that another node has locked are left to it. */
  async some(): Promise<boolean> {
    const { everything, onDamage } = this.#options;
    if (this.#found.length === 0) {
      this.#found = await this.#pool.run((session) => findOpen(session, everything));
      this.#wasFull = this.#found.length === agentsFound;
      this.#sealed = 0;
    }
    if (this.#found.length === 0) return false;
    const some = this.#found.splice(0, agentsAtOnce);
    const memory = new BlockMemory(onDamage);
    this.#sealed += await withDays(this.#pool, (session, days) => sealFree(session, some, everything, memory, days));
    return this.#found.length > 0 || this.#wasFull || this.#sealed > 0;
  }
}

/** A transaction that writes blocks, and notes their days: it runs again once there are tables for them. */
async function withDays<T>(
  pool: PostgresPool,
  work: (session: PostgresSession, days: Set<number>) => Promise<T>,
): Promise<T> {
  for (;;) {
    const days = new Set<number>();
    try {
      return await pool.transaction((session) => work(session, days));
    } catch (error) {
      // 23514: there is no partition for a row.
      if ((error as { code?: string }).code !== '23514') throw error;
      await createDays(pool, days);
    }
  }
}

interface OpenSource {
  source: number;
  sealed: number;
  last: number;
  data: Uint8Array;
}

/** What an agent has in the journal up to this period. Its row of newest values must be locked. */
async function sealSource(
  session: PostgresSession,
  { source, sealed, last, data }: OpenSource,
  upTo: number,
  memory: BlockMemory,
  days: Set<number>,
): Promise<void> {
  const known = await readFields(session, source);
  const found = { known, newest: readNewest(data), sealedPeriod: sealed, lastPeriod: last };
  const series = await readSeries(session, found, upTo);
  await sealSeries(session, series, memory, days);
}

/** The last period that is over. */
const closedPeriod = `floor((extract(epoch FROM now()) - ${graceSeconds}) / ${periodSeconds})::bigint - 1`;
const lastPeriodOf = (everything: boolean) => (everything ? `${Number.MAX_SAFE_INTEGER}` : closedPeriod);

/** From any agent on, so that nodes which look at the same time find others. */
async function findOpen(session: PostgresSession, everything: boolean): Promise<number[]> {
  const [first] = await session.query<{ source: number }>(
    'SELECT floor(random() * (max(source) + 1))::bigint AS source FROM telemetry_newest',
  );
  const open = `SELECT source FROM telemetry_newest
    WHERE last_period > sealed_period AND sealed_period < ${lastPeriodOf(everything)}`;
  const found = await session.query<{ source: number }>(
    `(${open} AND source >= ?::bigint ORDER BY source LIMIT ${agentsFound})
     UNION ALL (${open} AND source < ?::bigint ORDER BY source LIMIT ${agentsFound}) LIMIT ${agentsFound}`,
    [first?.source ?? 0, first?.source ?? 0],
  );
  return found.map(({ source }) => source);
}

/** Those that nobody else has locked; resolves how many. */
async function sealFree(
  session: PostgresSession,
  sources: readonly number[],
  everything: boolean,
  memory: BlockMemory,
  days: Set<number>,
): Promise<number> {
  const claimed = await session.query<OpenSource & { closed: number } & Record<string, number | Uint8Array>>(
    `SELECT source, sealed_period AS sealed, last_period AS last, data, ${lastPeriodOf(everything)} AS closed FROM telemetry_newest
     WHERE source = ANY(?::bigint[]) AND last_period > sealed_period AND sealed_period < ${lastPeriodOf(everything)}
     ORDER BY source FOR UPDATE SKIP LOCKED`,
    [sources],
  );
  for (const open of claimed) {
    const upTo = Math.min(open.closed, open.last);
    await sealSource(session, open, upTo, memory, days);
    // A closed period without rows is sealed as well, so that its slot need not wait.
    const until = everything ? upTo : open.closed;
    await session.query('UPDATE telemetry_newest SET sealed_period = ? WHERE source = ?', [until, open.source]);
  }
  return claimed.length;
}

async function sealSeries(
  session: PostgresSession,
  series: SourceSeries,
  memory: BlockMemory,
  days: Set<number>,
): Promise<void> {
  const { head } = series;
  const fields = series.fields.filter(({ isText }) => !isText).map(({ no }) => no);
  while (head.count > 0) {
    const ts = head.ts.subarray(0, rowsAtOnce(head.ts, series.fields.length));
    const range: TimeRange = {
      startMs: Math.floor(ts[0]! / hourMs) * hourMs,
      endMs: (Math.floor(ts.at(-1)! / hourMs) + 1) * hourMs,
    };
    const tables = new LoadedTables({ session, source: series.no, fields, range, memory });
    const count = await tables.ask((sealed) => {
      series.recentBlocks = undefined;
      return sealFirstRows(series, { ...sealed, recent: new RecentRows() });
    });
    await write(session, series.no, tables.changes, days);
    head.removeFirst(count);
  }
}

async function write(session: PostgresSession, source: number, changes: Changes, days: Set<number>): Promise<void> {
  const { inserted, removed, rollups } = changes;
  for (const { start_ts } of inserted.values()) days.add(dayOf(start_ts));
  if (removed.length > 0) {
    await session.query('DELETE FROM telemetry_blocks WHERE source = ? AND id = ANY(?::bigint[])', [
      source,
      removed.map(({ id }) => id),
    ]);
  }
  await insertBlocks(session, source, [...inserted.values()]);
  await putRollups(session, source, [...rollups.values()]);
}

/** Empties the slots of the journal in which everything is sealed; one that somebody reads right now is left for the next time. */
export async function emptySlots(pool: PostgresPool): Promise<void> {
  for (let slot = 0; slot < journalSlots; slot++) {
    await pool
      .transaction((session) => emptySlot(session, `telemetry_journal_${slot}`))
      .catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
      });
  }
}

async function emptySlot(session: PostgresSession, table: string): Promise<void> {
  // Two that look at a table would wait for each other to leave it.
  const [lock] = await session.query<{ free: number }>(
    `SELECT pg_try_advisory_xact_lock(${emptyingLock})::int AS free`,
  );
  if (lock!.free === 0) return;
  const [newest] = await session.query<{ period: number | null }>(`SELECT max(period) AS period FROM ${table}`);
  const period = newest?.period ?? null;
  if (period === null || !(await isSealed(session, period))) return;
  // Whoever reads or writes there goes first.
  await session.runScript(`SET LOCAL lock_timeout = '500ms'; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const [again] = await session.query<{ period: number | null }>(`SELECT max(period) AS period FROM ${table}`);
  if (again?.period === period && (await isSealed(session, period))) await session.runScript(`TRUNCATE ${table}`);
}

/**
 * Nothing of this period or an earlier one waits, and none comes any more. One period later than that would be so, because
 * TRUNCATE takes the rows also from queries that began before they were sealed.
 */
async function isSealed(session: PostgresSession, period: number): Promise<boolean> {
  const [row] = await session.query<{ open: number }>(
    `SELECT CASE WHEN ?::bigint >= ${closedPeriod}
       OR EXISTS (SELECT 1 FROM telemetry_newest WHERE sealed_period < ?::bigint AND last_period > sealed_period)
     THEN 1 ELSE 0 END AS open`,
    [period, period],
  );
  return row?.open === 0;
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof TryLaterError && (error.cause as { code?: string } | undefined)?.code === '55P03';
}
