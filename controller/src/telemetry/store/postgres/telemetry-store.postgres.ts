// Telemetry in PostgreSQL, for several nodes: Weft's own blocks and roll-ups, with PostgreSQL as what makes them durable and
// shared. An append is a row of the journal; any node seals what has grown old into blocks.

import { pauseUnless } from '@weft/contract/pause';
import { serverAddresses } from '@weft/contract/server-addresses';
import { queryFrame, RecentRows, readRows } from '@weft/timeseries/engine-parts';
import { PeriodicTask } from '../../../periodic-task.ts';
import { PostgresPool } from '../../../storage/postgres-pool.ts';
import type { PostgresSession } from '../../../storage/postgres-session.ts';
import type {
  FieldInfo,
  Frame,
  LatestValues,
  ReadOptions,
  Sample,
  SeriesQuery,
  TelemetryStore,
  TimeRange,
} from '../telemetry-store.ts';
import { BlockMemory } from './block-memory.ts';
import { FieldNames } from './field-names.ts';
import { emptySlots, JournalSealer } from './journal-sealer.ts';
import { JournalWriter } from './journal-writer.ts';
import { KnownSources } from './known-sources.ts';
import { LoadedTables } from './loaded-tables.ts';
import { AgentMoved, agentsAfter, deleteSource, goneNo, type Move, welcome, whereTo } from './moved-agents.ts';
import { readNewest } from './newest-record.ts';
import { findSource, readSeries } from './source-reader.ts';
import { StandbyReads } from './standby-reads.ts';
import { pruneSome } from './telemetry-pruning.ts';
import { createTelemetryTables, periodSeconds } from './telemetry-schema.ts';

/** One look at one moment, whatever others commit meanwhile. */
const snapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const standbyConnections = { maxConnections: 5, connectTimeoutMs: 1_000 };
const sealEveryMs = 15_000;
/** How long sealing rests after each step, as a share of what the step took. */
const restShare = 3;

export interface PostgresTelemetryOptions {
  url: string;
  rawRetentionMs: number;
  rollupRetentionMs: number;
  /** Sealing is held up, or goes on; or what cannot be read. */
  onChange: (message: string, error?: unknown) => void;
  /** How often to look for what can be sealed. */
  sealEveryMs?: number;
  /** Lets standbys among the servers of `url` take reads that may be behind by so much. */
  maxBehindMs?: number | undefined;
  now?: () => number;
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
  mayBeStale: boolean;
}

export class PostgresTelemetryStore implements TelemetryStore {
  readonly #options: PostgresTelemetryOptions;
  readonly #pool: PostgresPool;
  readonly #sources: KnownSources;
  readonly #journal: JournalWriter;
  readonly #names = new FieldNames();
  readonly #memory: BlockMemory;
  readonly #standbys: StandbyReads | undefined;
  readonly #sealer: JournalSealer;
  readonly #completeSealer: JournalSealer;
  readonly sealing: PeriodicTask;
  #prepared: Promise<string> | undefined;

  constructor(options: PostgresTelemetryOptions) {
    this.#options = options;
    this.#pool = new PostgresPool(options.url);
    this.#sources = new KnownSources(this.#pool);
    this.#journal = new JournalWriter(this.#pool);
    this.#memory = new BlockMemory(options.onChange);
    this.#standbys = openStandbys(this.#pool, options);
    this.#sealer = new JournalSealer(this.#pool, { everything: false, onDamage: options.onChange });
    this.#completeSealer = new JournalSealer(this.#pool, { everything: true, onDamage: options.onChange });
    this.sealing = new PeriodicTask({
      everyMs: options.sealEveryMs ?? sealEveryMs,
      what: 'sealing of telemetry',
      run: () => this.#sealRound(),
      onChange: options.onChange,
    });
  }

  async append(ap_id: string, samples: readonly Sample[]): Promise<void> {
    if (samples.length === 0) return;
    await this.#prepare();
    for (;;) {
      const known = this.#sources.get(ap_id);
      const stored = known && this.#journal.append(known, samples);
      if (stored && (await stored)) return;
      // It is new, has new names, or was removed by another node.
      if (stored) this.#sources.forget(ap_id, known);
      await this.#sources.register(ap_id, samples);
    }
  }

  async query({ ap_id, mayBeStale = false, ...query }: SeriesQuery): Promise<Frame> {
    const work: FrameReader = (series, sealed) =>
      queryFrame(series, { source: ap_id, ...query }, sealed, Date.now() - this.#options.rawRetentionMs);
    return this.#read({ ap_id, range: query, metrics: query.metrics, mayBeStale }, work);
  }

  async rows(
    ap_id: string,
    range: TimeRange,
    limit: number,
    metrics?: readonly string[],
    { mayBeStale = false }: ReadOptions = {},
  ): Promise<Frame> {
    const work: FrameReader = (series, sealed) => readRows(series, range, limit, metrics, sealed);
    return this.#read({ ap_id, range, metrics, mayBeStale }, work);
  }

  async fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]> {
    await this.#prepare();
    const found = await this.#pool.run((session) => findSource(session, ap_id, this.#names));
    const fields = found?.known.names.flatMap(({ name, isText }, no): FieldInfo[] => {
      const lastTs = found.newest.get(no)?.ts ?? Number.NEGATIVE_INFINITY;
      return lastTs >= sinceMs ? [{ name, kind: isText ? 'text' : 'metric', lastTs }] : [];
    });
    return (fields ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async latest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    await this.#prepare();
    const rows = await this.#pool.run((session) => readLatest(session, ap_ids, this.#names));
    const moved = rows.filter(({ no }) => no === goneNo);
    if (moved.length > 0) throw new AgentMoved(moved.map(({ ap_id }) => ap_id));
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
      await session.query('SELECT no FROM telemetry_sources WHERE ap_id = ? FOR UPDATE', [ap_id]);
      const sql = 'SELECT is_gone FROM telemetry_moved WHERE ap_id = ?';
      const [moved] = await session.query<{ is_gone: number }>(sql, [ap_id]);
      if (moved?.is_gone === 1) throw new AgentMoved([ap_id]);
      if (moved) await session.query('DELETE FROM telemetry_moved WHERE ap_id = ?', [ap_id]);
      await deleteSource(session, ap_id);
    });
  }

  async prune(nowMs: number): Promise<boolean> {
    await this.#prepare();
    return pruneSome(this.#pool, nowMs, this.#options);
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

  /** How often a standby has answered. */
  get standbyAnswers(): number {
    return this.#standbys?.answers ?? 0;
  }

  /** What identifies this store, wherever its server is. */
  id(): Promise<string> {
    return this.#prepare();
  }

  /** The next agents in the order of their names. */
  async agentsAfter(after: string, limit: number): Promise<string[]> {
    await this.#prepare();
    return agentsAfter(this.#pool, after, limit);
  }

  /** Where an agent went that has left this server. */
  whereTo(ap_id: string): Promise<Move | undefined> {
    return whereTo(this.#pool, ap_id);
  }

  /** An agent has come from another server, which has its last word about it. */
  async welcome(move: Move): Promise<void> {
    await this.#prepare();
    await welcome(this.#pool, move);
  }

  async check(): Promise<void> {
    await this.#pool.check();
    await this.#prepare();
  }

  async close(): Promise<void> {
    await this.sealing.stop();
    await this.#journal.idle();
    await this.#standbys?.close();
    await this.#pool.close();
  }

  async #read(question: Question, work: FrameReader): Promise<Frame> {
    await this.#prepare();
    if (question.mayBeStale) {
      // What a standby does not know, or takes for moved, it may not have heard of yet.
      const stale = await this.#standbys?.read(snapshot, (session) =>
        this.#readIn(session, question, work).catch(undefinedIfMoved),
      );
      if (stale) return stale;
    }
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
    const wanted = metrics?.flatMap((name) => found.known.fields.get(name)?.no ?? []);
    const fields = wanted ?? found.known.names.keys().toArray();
    const tables = new LoadedTables({ session, source: found.known.no, fields, range, memory: this.#memory });
    return tables.ask((sealed) => {
      series.recentBlocks = undefined;
      return work(series, { ...sealed, recent: new RecentRows() });
    });
  }

  /** Once, and again after a failure. */
  #prepare(): Promise<string> {
    this.#prepared ??= createTelemetryTables(this.#pool).catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }
}

function undefinedIfMoved(error: unknown): undefined {
  if (!(error instanceof AgentMoved)) throw error;
}

function openStandbys(primary: PostgresPool, { url, maxBehindMs, now }: PostgresTelemetryOptions) {
  if (maxBehindMs === undefined) return undefined;
  const servers = serverAddresses(url).map((each) => new PostgresPool(each, standbyConnections));
  return new StandbyReads({ primary, servers, maxBehindMs, now });
}

async function readLatest(session: PostgresSession, ap_ids: readonly string[], names: FieldNames) {
  const rows = await session.query<{ ap_id: string; no: number; data: Uint8Array }>(
    `SELECT ap_id, no, data FROM telemetry_sources JOIN telemetry_newest ON source = no WHERE ap_id = ANY(?::text[])
     UNION ALL SELECT ap_id, ${goneNo}, '' FROM telemetry_moved WHERE ap_id = ANY(?::text[]) AND is_gone = 1`,
    [ap_ids, ap_ids],
  );
  const sources = rows.map(({ ap_id, no, data }) => ({ ap_id, no, newest: readNewest(data) }));
  const known = await names.of(session, sources);
  return sources.map((source, index) => ({ ...source, names: known[index]!.names }));
}
