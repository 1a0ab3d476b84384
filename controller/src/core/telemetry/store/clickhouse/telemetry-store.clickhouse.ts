// Telemetry in ClickHouse, for who runs it already, wants to query years of samples beside Weft, or has more of them than one
// PostgreSQL takes. ClickHouse keeps samples and roll-ups, removes what is old and aggregates what is asked for.
import { chooseBucketWidth } from '@weft/timeseries';
import { AppendOrder } from '@weft/timeseries/engine-parts';
import { PeriodicTask } from '../../../base/periodic-task.ts';
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
import { ClickHouseClient, unavailable } from './clickhouse-client.ts';
import { FrameBuilder } from './clickhouse-frame.ts';
import * as sql from './clickhouse-sql.ts';
import { copyOldTables, prepareTables, spillToDisk, type TableOptions } from './clickhouse-tables.ts';
import { ClickHouseWriter } from './clickhouse-writer.ts';
import { FieldCatalogue, type KnownFields } from './field-catalogue.ts';

/** Up to this many milliseconds a point, a window is fetched at once: most agents report less often. */
const usualIntervalMs = 1000;
/** Up to so many samples, and this many times `maxPoints`, are read to count the points of each series. */
const countedRows = 4096;
const exactCountFactor = 4;
/** In one statement. */
const maxAgents = 2000;
/** For a statement that copies a day of samples, or rolls them up. */
const slowTimeoutMs = 6 * 3_600_000;
const rollUpEveryMs = 300_000;
/** After this time an insert is over: nothing comes any more that was inserted earlier. */
const rollUpSettledMs = 300_000;
/** Of insertion, at once. */
const rollUpStepMs = 600_000;

export interface ClickHouseTelemetryOptions {
  /** clickhouse(s)://user:password@host:8123/database; all but the host may be left out. */
  url: string;
  rawRetentionMs: number;
  rollupRetentionMs: number;
  /** As in WEFT_CLICKHOUSE_ENGINE. */
  engine?: string;
  requestTimeoutMs?: number;
  /** Rolling up is held up, or goes on. */
  onChange?: (message: string, error?: unknown) => void;
}

interface NewestValue {
  ap_id: string;
  name: string;
  ts: number;
  /** NaN for a text. */
  value: number;
}

/** Connects when it is first used. Throws only if the address is none. */
export function openClickHouseTelemetry(options: ClickHouseTelemetryOptions): ClickHouseTelemetryStore {
  const store = new ClickHouseTelemetryStore(options);
  store.rollingUp.start();
  return store;
}

export class ClickHouseTelemetryStore implements TelemetryStore {
  readonly #client: ClickHouseClient;
  /** Its statements may take hours. */
  readonly #slowClient: ClickHouseClient;
  readonly #writer: ClickHouseWriter;
  readonly #catalogue: FieldCatalogue;
  readonly #tables: TableOptions;
  readonly #order = new AppendOrder();
  readonly rollingUp: PeriodicTask;
  #prepared: Promise<void> | undefined;
  #copying: Promise<void> | undefined;

  constructor(options: ClickHouseTelemetryOptions) {
    const { url, requestTimeoutMs: timeoutMs = 10_000 } = options;
    this.#tables = { engine: 'MergeTree', ...options };
    const onMissing = () => {
      this.#prepared = undefined;
    };
    this.#client = new ClickHouseClient({ url, timeoutMs, onMissing });
    this.#slowClient = new ClickHouseClient({ url, timeoutMs: slowTimeoutMs, onMissing });
    this.#writer = new ClickHouseWriter(this.#client);
    this.#catalogue = new FieldCatalogue((ap_ids) => this.#namesOf(ap_ids));
    const run = async () => {
      while (!this.rollingUp.isStopped && (await this.rollUp()));
    };
    const what = 'rolling up telemetry in ClickHouse';
    this.rollingUp = new PeriodicTask({ everyMs: rollUpEveryMs, jitter: 1, what, run, onChange: options.onChange });
  }

  async append(ap_id: string, samples: readonly Sample[]): Promise<void> {
    await this.#prepare();
    const known = this.#order.has(ap_id) ? undefined : this.#catalogue.admitKnown(ap_id, samples);
    if (known) return this.#store(ap_id, samples, known);
    const enter = async () => ({ stored: this.#store(ap_id, samples, await this.#catalogue.admit(ap_id, samples)) });
    return this.#order.add(ap_id, enter);
  }

  async #store(ap_id: string, samples: readonly Sample[], known: KnownFields): Promise<void> {
    let isStored = false;
    try {
      await this.#writer.add({ ap_id, samples });
      isStored = true;
    } finally {
      this.#catalogue.release(known, isStored);
    }
  }

  async query({ ap_id, metrics, startMs, endMs, maxPoints, aggregate }: SeriesQuery): Promise<Frame> {
    await this.#prepare();
    const rows = this.#rowsOf(ap_id, { startMs, endMs }, metrics);
    if (!rows) return new FrameBuilder().toFrame();
    if (endMs - startMs <= maxPoints * usualIntervalMs) {
      const samples = new FrameBuilder();
      const limit = maxPoints * exactCountFactor + countedRows;
      const count = await this.#addSamples(samples, rows, { limit: limit + 1, withEmpty: true });
      if (count <= limit && samples.mostPoints <= maxPoints) return samples.toFrame();
    }
    const widthMs = chooseBucketWidth(startMs, endMs, maxPoints);
    const buckets = new FrameBuilder();
    const rolledFromMs = Math.max(startMs, Date.now() - this.#tables.rollupRetentionMs);
    const statement = sql.selectBuckets(rows, aggregate, widthMs, rolledFromMs);
    const mostPoints = buckets.addBuckets(await this.#client.read(statement));
    if (mostPoints > maxPoints) return buckets.toFrame({ widthMs });
    const samples = new FrameBuilder();
    await this.#addSamples(samples, rows);
    // Of some there may be nothing left but roll-ups.
    return samples.mostPoints < mostPoints ? buckets.toFrame({ widthMs }) : samples.toFrame();
  }

  async fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]> {
    await this.#prepare();
    return (await this.#newest([ap_id], sinceMs))
      .map(({ name, ts, value }): FieldInfo => ({ name, kind: Number.isNaN(value) ? 'text' : 'metric', lastTs: ts }))
      .sort(inFieldOrder);
  }

  async latest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    await this.#prepare();
    const found = (await this.#newest(ap_ids)).filter(({ value }) => !Number.isNaN(value));
    return [...Map.groupBy(found, ({ ap_id }) => ap_id)].map(([ap_id, metrics]) => ({
      ap_id,
      metrics: metrics.map(({ name, ts, value }) => ({ name, ts, value })),
    }));
  }

  async rows(ap_id: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame> {
    await this.#prepare();
    const rows = this.#rowsOf(ap_id, range, metrics);
    const frame = new FrameBuilder();
    if (!rows || limit < 1) return frame.toFrame();
    let page = limit + 1;
    // Of the last time there may be more samples: it is read again, and is complete once there is a later one.
    for (let { startMs } = rows.range; frame.size <= limit; startMs = frame.lastTs) {
      const count = await this.#addSamples(frame, { ...rows, range: { startMs, endMs: range.endMs } }, { limit: page });
      if (count < page) break;
      if (frame.lastTs === startMs) page *= 2;
    }
    return frame.toFrame({ limit });
  }

  async remove(ap_id: string): Promise<void> {
    await this.#prepare();
    // Its names last: if it does not get this far, the next attempt finds the same agent.
    for (const name of ['telemetry_samples', 'telemetry_minutes', 'telemetry_fields']) {
      const rows = `FROM ${this.#client.table(name)} WHERE ap_id = ${sql.stored(ap_id)}`;
      // A DELETE changes every part of the table, and whoever creates an agent removes the name first.
      const isThere = !(await this.#client.read(`SELECT 1 ${rows} LIMIT 1`)).isAtEnd;
      if (isThere) await this.#client.run(`DELETE ${rows}`);
      // What is being rolled up just now does not know that.
      if (isThere && name === 'telemetry_samples')
        await this.#client.run(sql.insertMark(this.#client, ap_id, 'now64(6)'));
    }
    this.#catalogue.forget(ap_id);
  }

  /**
   * Rolls up what was inserted in the next minutes, but for the last ones, in which inserts may be under way; resolves whether there is
   * more. Nodes may do the same at the same time.
   */
  async rollUp(settledMs = rollUpSettledMs): Promise<boolean> {
    await this.#prepare();
    const found = await this.#slowClient.read(sql.selectNotRolledUp(this.#slowClient));
    const [afterUs, firstUs, nowUs] = [found.int64(), found.int64(), found.int64()];
    const untilUs = Math.min(firstUs + rollUpStepMs * 1000, nowUs - settledMs * 1000);
    if (firstUs === 0 || untilUs < firstUs) return false;
    await this.#slowClient.run(sql.insertMinutes(this.#slowClient, afterUs, untilUs), spillToDisk);
    await this.#slowClient.run(sql.insertMark(this.#slowClient, '', `fromUnixTimestamp64Micro(toInt64(${untilUs}))`));
    return true;
  }

  /** ClickHouse removes what is old by itself, by the TTL of the tables. */
  async prune(): Promise<boolean> {
    await this.check();
    return false;
  }

  async check(): Promise<void> {
    await this.#prepare();
    await this.#client.run(`SELECT ap_id FROM ${this.#client.table('telemetry_samples')} LIMIT 0`);
  }

  async close(): Promise<void> {
    const stopped = this.rollingUp.stop();
    await this.#writer.idle();
    this.#client.close();
    this.#slowClient.close();
    await Promise.all([stopped, this.#copying]);
  }

  /** Undefined if there can be none. What is older than the retention may still be there, and does not count. */
  #rowsOf(ap_id: string, range: TimeRange, metrics: readonly string[] | undefined): sql.Rows | undefined {
    if (metrics?.length === 0 || range.startMs > range.endMs) return undefined;
    const startMs = Math.max(range.startMs, this.#horizonMs);
    return { client: this.#client, ap_id, range: { ...range, startMs }, metrics: metrics && [...new Set(metrics)] };
  }

  get #horizonMs(): number {
    return Date.now() - this.#tables.rawRetentionMs;
  }

  async #addSamples(
    frame: FrameBuilder,
    rows: sql.Rows,
    which?: { limit: number; withEmpty?: boolean },
  ): Promise<number> {
    return frame.addSamples(await this.#client.read(sql.selectSamples(rows, which)), rows.metrics === undefined);
  }

  async #namesOf(ap_ids: readonly string[]): Promise<Map<string, Set<string>>> {
    const found = Map.groupBy(await this.#newest(ap_ids), ({ ap_id }) => ap_id);
    return new Map([...found].map(([ap_id, fields]) => [ap_id, new Set(fields.map(({ name }) => name))]));
  }

  async #newest(ap_ids: readonly string[], sinceMs = 0): Promise<NewestValue[]> {
    const newest: NewestValue[] = [];
    for (let start = 0; start < ap_ids.length; start += maxAgents) {
      const some = ap_ids.slice(start, start + maxAgents);
      const rows = await this.#client.read(sql.selectNewest(this.#client, some, Math.max(sinceMs, this.#horizonMs)));
      let place = 0;
      while (!rows.isAtEnd) {
        const ap_id = rows.text();
        // Agents have the same names in the same order, most often.
        place = ap_id === newest.at(-1)?.ap_id ? place + 1 : 1;
        newest.push({ ap_id, name: rows.text(place), ts: rows.int64(), value: rows.float64() });
      }
    }
    return newest;
  }

  /** Once, and again after a failure or when the tables are gone. */
  #prepare(): Promise<void> {
    this.#prepared ??= this.#prepareOnce().catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /** While samples of an earlier version are copied, nothing is answered: they would be missing. */
  async #prepareOnce(): Promise<void> {
    if (!this.#copying && !(await prepareTables(this.#client, this.#tables))) return;
    this.#copying ??= copyOldTables(this.#slowClient)
      .catch(() => {})
      .finally(() => {
        this.#copying = undefined;
      });
    throw unavailable('Samples of an earlier version of Weft are being copied to new tables in ClickHouse');
  }
}
