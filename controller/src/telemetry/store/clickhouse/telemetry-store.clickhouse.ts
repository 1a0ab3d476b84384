// Telemetry in ClickHouse, for who runs it already and wants to query years of samples beside Weft. Samples are kept for the
// raw retention, in one partition a day, and aggregated by ClickHouse when they are asked for; there are no roll-ups.
import { chooseBucketWidth } from '@weft/timeseries';
import { AppendOrder } from '@weft/timeseries/engine-parts';
import type {
  FieldInfo,
  Frame,
  LatestValues,
  Sample,
  SeriesQuery,
  TelemetryStore,
  TimeRange,
} from '../telemetry-store.ts';
import { ClickHouseClient, literal } from './clickhouse-client.ts';
import { emptyFrame, longestSeries, readBuckets, readValues, toFrame, type ValueRow } from './clickhouse-frame.ts';
import * as sql from './clickhouse-sql.ts';
import { createTelemetryTables } from './clickhouse-sql.ts';
import { ClickHouseWriter } from './clickhouse-writer.ts';
import { FieldCatalogue, type KnownFields } from './field-catalogue.ts';
import { textBytes } from './row-binary.ts';

/** Up to this many milliseconds a point, a window is fetched at once: most agents report less often. */
const usualIntervalMs = 1000;
const sliceGrowth = 16;
const shortWindowMs = 3_600_000;
/** In one statement. */
const maxAgents = 2000;

export interface ClickHouseTelemetryOptions {
  /** clickhouse(s)://user:password@host:8123/database; all but the host may be left out. */
  url: string;
  rawRetentionMs: number;
  requestTimeoutMs?: number;
}

interface NewestValue {
  ap_id: string;
  name: string;
  isText: boolean;
  ts: number;
  value: number;
}

/** Connects when it is first used. Throws only if the address is none. */
export function openClickHouseTelemetry(options: ClickHouseTelemetryOptions): TelemetryStore {
  return new ClickHouseTelemetryStore(options);
}

class ClickHouseTelemetryStore implements TelemetryStore {
  readonly #client: ClickHouseClient;
  readonly #writer: ClickHouseWriter;
  readonly #catalogue: FieldCatalogue;
  readonly #rawRetentionMs: number;
  readonly #order = new AppendOrder();
  #prepared: Promise<void> | undefined;

  constructor({ url, rawRetentionMs, requestTimeoutMs = 10_000 }: ClickHouseTelemetryOptions) {
    this.#rawRetentionMs = rawRetentionMs;
    const onMissing = () => {
      this.#prepared = undefined;
    };
    this.#client = new ClickHouseClient({ url, timeoutMs: requestTimeoutMs, onMissing });
    this.#writer = new ClickHouseWriter(this.#client);
    this.#catalogue = new FieldCatalogue(async (ap_id) =>
      (await this.#newest([ap_id])).map(({ name, isText }) => ({ name, isText })),
    );
  }

  async append(ap_id: string, samples: readonly Sample[]): Promise<void> {
    await this.#prepare();
    const enter = async () => ({ stored: this.#store(ap_id, samples, await this.#catalogue.admit(ap_id, samples)) });
    return this.#order.add(ap_id, enter);
  }

  async #store(ap_id: string, samples: readonly Sample[], known: KnownFields): Promise<void> {
    let isStored = false;
    try {
      await this.#writer.add({ ap_id, agent: textBytes(ap_id), samples, fields: known.fields });
      isStored = true;
    } finally {
      this.#catalogue.release(known, isStored);
    }
  }

  /**
   * For a short window, batches that are complete are found beside the question, which most often has none and is answered
   * by then. A batch that gets complete meanwhile does not count yet, for either of them. A long window has some midnight in
   * it, and is not asked twice.
   */
  async query({ ap_id, metrics, ...query }: SeriesQuery): Promise<Frame> {
    await this.#prepare();
    const rows = this.#rowsOf(ap_id, query, metrics);
    if (!rows) return emptyFrame();
    const isShort = query.endMs - query.startMs <= shortWindowMs;
    const [frame, batches] = await Promise.all([isShort && this.#frame(rows, query), this.#batches(rows)]);
    return frame && batches.length === 0 ? frame : this.#frame({ ...rows, batches }, query);
  }

  async fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]> {
    await this.#prepare();
    const newest = (await this.#newest([ap_id])).filter(({ ts }) => ts >= sinceMs).sort((a, b) => a.ts - b.ts);
    // By name once more: two nodes may have met a new one as number and as text in the same moment.
    return [...new Map(newest.map((field) => [field.name, field])).values()]
      .map(({ name, isText, ts }): FieldInfo => ({ name, kind: isText ? 'text' : 'metric', lastTs: ts }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async latest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    await this.#prepare();
    const found = (await this.#newest(ap_ids)).filter(({ isText }) => !isText);
    return [...Map.groupBy(found, ({ ap_id }) => ap_id)].map(([ap_id, metrics]) => ({
      ap_id,
      metrics: metrics.map(({ name, ts, value }) => ({ name, ts, value })),
    }));
  }

  /** In slices of time that grow, so that a page of a long range does not read all of it. */
  async rows(ap_id: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame> {
    await this.#prepare();
    const rows = this.#rowsOf(ap_id, range, metrics);
    if (!rows || limit < 1) return emptyFrame();
    const batches = await this.#batches(rows);
    const found: ValueRow[] = [];
    let times = 0;
    let lengthMs = limit * usualIntervalMs;
    for (let { startMs } = range; startMs <= range.endMs && times < limit; lengthMs *= sliceGrowth) {
      const endMs = Math.min(range.endMs, startMs + lengthMs);
      const slice = { ...rows, batches, range: { startMs, endMs } };
      const values = await this.#values(sql.selectFirstRows(slice, limit - times));
      for (const value of values) found.push(value);
      times += new Set(values.map(({ ts }) => ts)).size;
      startMs = Math.floor(endMs) + 1;
    }
    return toFrame(found);
  }

  async remove(ap_id: string): Promise<void> {
    await this.#prepare();
    // Its names last: if it does not get this far, the next attempt finds the same agent.
    for (const name of ['telemetry_batches', 'telemetry', 'telemetry_newest'] as const) {
      const rows = `FROM ${this.#client.table(name)} WHERE ap_id = ${sql.stored(ap_id)}`;
      // A DELETE changes every part of the table, and whoever creates an agent removes the name first.
      const isThere = !(await this.#client.read(`SELECT 1 ${rows} LIMIT 1`)).isAtEnd;
      if (isThere) await this.#client.run(`DELETE ${rows}`);
    }
    this.#catalogue.forget(ap_id);
  }

  async prune(nowMs: number): Promise<boolean> {
    await this.#prepare();
    const limit = Math.floor(nowMs - this.#rawRetentionMs);
    if (limit < 0) return false;
    const days = await this.#client.read(sql.selectDaysBefore(this.#client.database, limit, 2));
    if (days.isAtEnd) return false;
    await this.#client.run(`ALTER TABLE ${this.#client.table('telemetry')} DROP PARTITION ID ${literal(days.text())}`);
    if (!days.isAtEnd) return true;
    const before = sql.time(limit);
    await this.#client.run(`DELETE FROM ${this.#client.table('telemetry_batches')} WHERE end_ts < ${before}`);
    await this.#client.run(`DELETE FROM ${this.#client.table('telemetry_newest')} WHERE newest.ts < ${before}`);
    return false;
  }

  async check(): Promise<void> {
    await this.#prepare();
    await this.#client.run(`SELECT ap_id FROM ${this.#client.table('telemetry')} LIMIT 0`);
  }

  async close(): Promise<void> {
    await this.#writer.idle();
    this.#client.close();
  }

  /** Undefined if there can be none. */
  #rowsOf(ap_id: string, range: TimeRange, metrics: readonly string[] | undefined): sql.Rows | undefined {
    if (metrics?.length === 0 || range.startMs > range.endMs) return undefined;
    const table = this.#client.table('telemetry');
    return { table, ap_id, range, metrics: metrics && [...new Set(metrics)], batches: [] };
  }

  async #frame(rows: sql.Rows, query: Omit<SeriesQuery, 'ap_id'>): Promise<Frame> {
    const { startMs, endMs, maxPoints, aggregate } = query;
    if (endMs - startMs <= maxPoints * usualIntervalMs) {
      const values = await this.#values(sql.selectRows(rows, maxPoints + 1));
      if (longestSeries(values) <= maxPoints) return toFrame(values);
    }
    const widthMs = chooseBucketWidth(startMs, endMs, maxPoints);
    const { values, mostPoints } = readBuckets(await this.#client.read(sql.selectBuckets(rows, aggregate, widthMs)));
    return mostPoints > maxPoints ? toFrame(values, widthMs) : toFrame(await this.#values(sql.selectRows(rows)));
  }

  async #batches({ ap_id, range }: sql.Rows): Promise<sql.Batch[]> {
    const found = await this.#client.read(sql.selectBatches(this.#client.table('telemetry_batches'), ap_id, range));
    const batches: sql.Batch[] = [];
    while (!found.isAtEnd) batches.push({ batch: found.uint64(), startMs: found.int64(), endMs: found.int64() });
    return batches;
  }

  async #values(statement: string): Promise<ValueRow[]> {
    return readValues(await this.#client.read(statement));
  }

  async #newest(ap_ids: readonly string[]): Promise<NewestValue[]> {
    const newest: NewestValue[] = [];
    for (let start = 0; start < ap_ids.length; start += maxAgents) {
      const some = ap_ids.slice(start, start + maxAgents);
      const rows = await this.#client.read(sql.selectNewest(this.#client.table('telemetry_newest'), some));
      while (!rows.isAtEnd) {
        const [ap_id, name, isText] = [rows.text(), rows.text(), rows.byte() === 1];
        newest.push({ ap_id, name, isText, ts: rows.int64(), value: rows.float64() });
      }
    }
    return newest;
  }

  /** Once, and again after a failure or when the tables are gone. */
  #prepare(): Promise<void> {
    this.#prepared ??= createTelemetryTables(this.#client).catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }
}
