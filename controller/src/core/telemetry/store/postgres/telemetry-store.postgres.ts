// Telemetry in PostgreSQL, for several nodes: Weft's own blocks and roll-ups, with PostgreSQL as what makes them durable and
// shared. An append is a row of the journal; any node seals what has grown old into blocks.
import { pauseUnless } from '@weft/contract/pause';
import {
  AppendOrder,
  chunkOf,
  hourMs,
  minuteMs,
  queryFrame,
  RecentRows,
  readRows,
} from '@weft/timeseries/engine-parts';
import { TryLaterError } from '../../../base/errors.ts';
import { PeriodicTask } from '../../../base/periodic-task.ts';
import { PostgresPool } from '../../../base/storage/postgres-pool.ts';
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';
import {
  type FieldInfo,
  type Frame,
  inFieldOrder,
  type LatestValues,
  type Sample,
  type SeriesQuery,
  type TelemetryStore,
  type TimeRange,
} from '../telemetry-store.ts';
import { emptySlots, JournalSealer } from './journal-sealer.ts';
import { JournalWriter } from './journal-writer.ts';
import { FieldNames, KnownSources } from './known-sources.ts';
import { BlockMemory, LoadedTables } from './loaded-tables.ts';
import { readNewest } from './newest-record.ts';
import { findSource, readSeries } from './source-reader.ts';
import { createTelemetryTables, dropDayBefore, periodSeconds } from './telemetry-schema.ts';

/** One look at one moment, whatever others commit meanwhile. */
const snapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
/** How often to look for what can be sealed. */
const sealEveryMs = 15_000;
/** How long sealing rests after each step, as a share of what the step took. */
const restShare = 3;

export interface PostgresTelemetryOptions {
  url: string;
  rawRetentionMs: number;
  rollupRetentionMs: number;
  /** Sealing is held up, or goes on; or what cannot be read. */
  onChange: (message: string, error?: unknown) => void;
  maxConnections?: number;
}

/** Connects with the first call. */
export function openPostgresTelemetry(options: PostgresTelemetryOptions): PostgresTelemetryStore {
  const store = new PostgresTelemetryStore(options);
  store.sealing.start();
  return store;
}

type FrameReader = (series: Parameters<typeof queryFrame>[0], sealed: Parameters<typeof queryFrame>[2]) => Frame;

interface Question {
  ap_id: string;
  range: TimeRange;
  metrics: readonly string[] | undefined;
}

export class PostgresTelemetryStore implements TelemetryStore {
  readonly #options: PostgresTelemetryOptions;
  readonly #pool: PostgresPool;
  readonly #sources: KnownSources;
  readonly #order = new AppendOrder();
  readonly #journal: JournalWriter;
  readonly #names = new FieldNames();
  readonly #memory: BlockMemory;
  readonly #sealer: JournalSealer;
  readonly #completeSealer: JournalSealer;
  readonly sealing: PeriodicTask;
  #prepared: Promise<void> | undefined;

  constructor(options: PostgresTelemetryOptions) {
    this.#options = options;
    this.#pool = new PostgresPool(options.url, options);
    this.#sources = new KnownSources(this.#pool);
    this.#journal = new JournalWriter(this.#pool);
    this.#memory = new BlockMemory(options.onChange);
    this.#sealer = new JournalSealer(this.#pool, { everything: false, onDamage: options.onChange });
    this.#completeSealer = new JournalSealer(this.#pool, { everything: true, onDamage: options.onChange });
    this.sealing = new PeriodicTask({
      everyMs: sealEveryMs,
      what: 'sealing of telemetry',
      run: () => this.#sealRound(),
      onChange: options.onChange,
    });
  }

  async prepare(): Promise<void> {
    await this.#prepare().catch((error) => {
      if (!(error instanceof TryLaterError)) throw error;
      this.#options.onChange('telemetry in PostgreSQL is unavailable', error);
    });
  }

  async append(ap_id: string, samples: readonly Sample[]): Promise<void> {
    if (samples.length === 0) return;
    await this.#prepare();
    for (;;) {
      const known = this.#order.has(ap_id) ? undefined : this.#sources.get(ap_id);
      const stored =
        (known && this.#journal.append(known, samples)) ?? this.#order.add(ap_id, () => this.#register(ap_id, samples));
      if (await stored) return;
      // It was removed by another node.
      this.#sources.forget(ap_id);
    }
  }

  async #register(ap_id: string, samples: readonly Sample[]): Promise<{ stored: Promise<boolean> }> {
    for (;;) {
      const known = this.#sources.get(ap_id);
      const stored = known && this.#journal.append(known, samples);
      if (stored) return { stored };
      await this.#sources.register(ap_id, samples);
    }
  }

  async query({ ap_id, ...query }: SeriesQuery): Promise<Frame> {
    const work: FrameReader = (series, sealed) =>
      queryFrame(series, { source: ap_id, ...query }, sealed, Date.now() - this.#options.rawRetentionMs);
    return this.#read({ ap_id, range: query, metrics: query.metrics }, work);
  }

  async rows(ap_id: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame> {
    const work: FrameReader = (series, sealed) => readRows(series, range, limit, metrics, sealed);
    return this.#read({ ap_id, range, metrics }, work);
  }

  async fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]> {
    await this.#prepare();
    const found = await this.#pool.run((session) => findSource(session, ap_id, this.#names));
    const fields = found?.known.names.flatMap(({ name, isText }, no): FieldInfo[] => {
      const lastTs = found.newest.get(no)?.ts ?? Number.NEGATIVE_INFINITY;
      return lastTs >= sinceMs ? [{ name, kind: isText ? 'text' : 'metric', lastTs }] : [];
    });
    return (fields ?? []).sort(inFieldOrder);
  }

  async latest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    await this.#prepare();
    const rows = await this.#pool.run((session) => readLatest(session, ap_ids, this.#names));
    const byName = new Map(rows.map((row) => [row.ap_id, row]));
    return ap_ids.flatMap((ap_id) => {
      const row = byName.get(ap_id);
      if (!row) return [];
      const metrics = row.names.flatMap(({ name, isText }, no) => {
        const value = isText ? undefined : row.newest.get(no);
        return value ? [{ name, ...value }] : [];
      });
      return metrics.length > 0 ? [{ ap_id, metrics }] : [];
    });
  }

  async remove(ap_id: string): Promise<void> {
    await this.#prepare();
    this.#sources.forget(ap_id);
    await this.#pool.transaction(async (session) => {
      const sql = 'DELETE FROM telemetry_sources WHERE ap_id = ? RETURNING no';
      const [row] = await session.query<{ no: number }>(sql, [ap_id]);
      if (!row) return;
      await session.query('DELETE FROM telemetry_newest WHERE source = ?', [row.no]);
      await session.query('DELETE FROM telemetry_fields WHERE source = ?', [row.no]);
      // Its blocks and roll-ups follow in small steps.
      await session.query('INSERT INTO telemetry_removed (source) VALUES (?)', [row.no]);
    });
  }

  async prune(nowMs: number, rollupNowMs = nowMs): Promise<boolean> {
    await this.#prepare();
    return pruneSome(this.#pool, { nowMs, rollupNowMs, ...this.#options });
  }

  /**
   * Seals some of what has grown old, and empties what is sealed; resolves whether there is more. `everything`: what has not grown
   * old as well.
   */
  async seal({ everything = false } = {}): Promise<boolean> {
    await this.#prepare();
    if (await (everything ? this.#completeSealer : this.#sealer).some()) return true;
    await emptySlots(this.#pool);
    return false;
  }

  /** Reports come first: until the next period is half over, sealing takes a quarter of the time. */
  async #sealRound(): Promise<void> {
    const hurryAtMs = performance.now() + (periodSeconds * 1000) / 2;
    while (!this.sealing.isStopped) {
      const startedMs = performance.now();
      if (!(await this.seal())) return;
      const endedMs = performance.now();
      if (endedMs < hurryAtMs) await pauseUnless(this.sealing.stopping, restShare * (endedMs - startedMs));
    }
  }

  async check(): Promise<void> {
    await this.#pool.check();
    await this.#prepare();
  }

  async close(): Promise<void> {
    await this.sealing.stop();
    await this.#journal.idle();
    await this.#pool.close();
  }

  async #read(question: Question, work: FrameReader): Promise<Frame> {
    await this.#prepare();
    const frame = await this.#pool.transaction((session) => this.#readIn(session, question, work), snapshot);
    return frame ?? { resolution_seconds: undefined, ts: new Float64Array(0), columns: new Map(), texts: new Map() };
  }

  /** Undefined if there is no such agent. */
  async #readIn(
    session: PostgresSession,
    { ap_id, range, metrics }: Question,
    work: FrameReader,
  ): Promise<Frame | undefined> {
    const found = await findSource(session, ap_id, this.#names);
    if (!found) return undefined;
    const series = await readSeries(session, found);
    const wanted = metrics?.flatMap((name) => found.known.metrics.get(name) ?? []);
    const fields = wanted ?? found.known.names.keys().toArray();
    const tables = new LoadedTables({ session, source: found.known.no, fields, range, memory: this.#memory });
    return tables.ask((sealed) => {
      series.recentBlocks = undefined;
      return work(series, { ...sealed, recent: new RecentRows() });
    });
  }

  /** Once, and again after a failure. */
  #prepare(): Promise<void> {
    this.#prepared ??= createTelemetryTables(this.#pool).catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }
}

async function readLatest(session: PostgresSession, ap_ids: readonly string[], names: FieldNames) {
  const rows = await session.query<{ ap_id: string; no: number; data: Uint8Array }>(
    `SELECT ap_id, no, data FROM telemetry_sources JOIN telemetry_newest ON source = no WHERE ap_id = ANY(?::text[])`,
    [ap_ids],
  );
  const sources = rows.map(({ ap_id, no, data }) => ({ ap_id, no, newest: readNewest(data) }));
  const known = await names.of(session, sources);
  return sources.map((source, index) => ({ ...source, names: known[index]!.names }));
}

const pruneStep = 64;

/** Removes what is too old, and what removed agents have left, in small steps; resolves whether there is more. */
async function pruneSome(
  pool: PostgresPool,
  times: { nowMs: number; rollupNowMs: number; rawRetentionMs: number; rollupRetentionMs: number },
): Promise<boolean> {
  const { nowMs, rollupNowMs, rawRetentionMs, rollupRetentionMs } = times;
  // An hour longer than promised, so that the roll-up of a late sample still finds the samples beside it.
  const isDropped = await dropDayBefore(pool, nowMs - rawRetentionMs - hourMs);
  const limit = rollupNowMs - rollupRetentionMs;
  let removed = 0;
  for (const level of [minuteMs, hourMs] as const) {
    const rows = await pool.run((session) =>
      session.query(
        `DELETE FROM telemetry_rollups WHERE ctid IN (
             SELECT ctid FROM telemetry_rollups WHERE level = ? AND chunk < ? LIMIT ${pruneStep}
           ) RETURNING level`,
        [level, chunkOf(level, limit)],
      ),
    );
    removed += rows.length;
  }
  return isDropped || removed > 0 || (await pool.transaction(pruneRemoved));
}

/** Some blocks and roll-ups of one removed agent; returns whether there was one. */
async function pruneRemoved(session: PostgresSession): Promise<boolean> {
  const [removed] = await session.query<{ source: number }>(
    'SELECT source FROM telemetry_removed LIMIT 1 FOR UPDATE SKIP LOCKED',
  );
  if (!removed) return false;
  const some = async (table: string, key: string) =>
    (
      await session.query(
        `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE source = ? LIMIT ${pruneStep}) RETURNING source`,
        [removed.source],
      )
    ).length;
  const found =
    (await some('telemetry_blocks', 'id')) + (await some('telemetry_rollups', 'source, field, level, chunk'));
  if (found === 0) await session.query('DELETE FROM telemetry_removed WHERE source = ?', [removed.source]);
  return true;
}
