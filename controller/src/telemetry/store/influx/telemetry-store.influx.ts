// The telemetry store for fleets that one machine is too small for: InfluxDB over its v1 HTTP API. Samples are kept for
// the raw retention, by a retention policy, and aggregated by InfluxDB when they are asked for. There are no roll-ups
// here: what is older than the raw retention is gone, and a long window costs as much as its points.
import { chooseBucketWidth } from '@weft/timeseries';
import { FieldCatalogue, type FieldKinds } from '../field-catalogue.ts';
import {
  FieldConflict,
  type FieldInfo,
  type Frame,
  type LatestValues,
  type Sample,
  type SeriesQuery,
  type TelemetryStore,
  type TimeRange,
} from '../telemetry-store.ts';
import { InfluxClient, InfluxRefusal } from './influx-client.ts';
import { bucketFrame, emptyFrame, rowFrame } from './influx-frame.ts';
import { decodeName, type LineField, lineFieldOf, linesOf, measurementOf } from './influx-line.ts';
import { type NewestValue, readNewest } from './influx-newest.ts';
import { InfluxWriter } from './influx-writer.ts';
import * as influxql from './influxql.ts';

/** More than promised, so that no clock is precise enough to lose a sample that was accepted. */
const retentionSlackMs = 3_600_000;
/** Up to this many milliseconds a point, a window is fetched at once: most agents report less often. */
const usualIntervalMs = 1000;

export interface InfluxTelemetryOptions {
  /** http(s)://user:password@host:8086?db=weft; user, password and db may be left out. */
  url: string;
  rawRetentionMs: number;
  requestTimeoutMs?: number;
}

/** Connects when it is first used. Throws only if the address is none. */
export function openInfluxTelemetry(options: InfluxTelemetryOptions): TelemetryStore {
  return new InfluxTelemetryStore(options);
}

class InfluxTelemetryStore implements TelemetryStore {
  readonly #client: InfluxClient;
  readonly #writer: InfluxWriter;
  readonly #catalogue: FieldCatalogue<LineField>;
  readonly #retentionMs: number;
  #prepared: Promise<void> | undefined;

  constructor({ url, rawRetentionMs, requestTimeoutMs = 5_000 }: InfluxTelemetryOptions) {
    this.#retentionMs = rawRetentionMs + retentionSlackMs;
    this.#client = new InfluxClient({
      url,
      timeoutMs: requestTimeoutMs,
      onMissing: () => {
        this.#prepared = undefined;
      },
    });
    this.#writer = new InfluxWriter((lines) => this.#client.write(lines));
    this.#catalogue = new FieldCatalogue((ap_id) => this.#fieldsOf(ap_id), lineFieldOf);
  }

  async append(ap_id: string, samples: readonly Sample[]): Promise<void> {
    await this.#prepare();
    requireWithin(this.#retentionMs, samples);
    const known = await this.#catalogue.admit(ap_id, samples);
    let isStored = false;
    try {
      const lines = linesOf(measurementOf(ap_id), samples, known.fields);
      if (lines !== '') await this.#writer.add(lines);
      isStored = true;
    } catch (error) {
      if (!(error instanceof InfluxRefusal)) throw error;
      // Another node was first with one of these names.
      known.readAtMs = Number.NEGATIVE_INFINITY;
      throw await this.#conflictOr(error, ap_id, samples);
    } finally {
      this.#catalogue.release(known, isStored);
    }
  }

  async query(query: SeriesQuery): Promise<Frame> {
    await this.#prepare();
    const { ap_id, startMs, endMs, maxPoints, aggregate } = query;
    if (query.metrics?.length === 0) return emptyFrame();
    const asked = query.metrics && [...new Set(query.metrics)];
    const rows = influxql.selectRows(ap_id, asked, query);
    if (endMs - startMs <= maxPoints * usualIntervalMs) {
      const frame = await this.#rowFrame(`${rows} LIMIT ${maxPoints + 1}`, asked);
      if (frame.ts.length <= maxPoints) return frame;
    }
    const fields = asked?.map((name) => ({ name, isText: false })) ?? (await this.#fieldsOf(ap_id));
    if (!(await this.#isAnyLonger(query, fields))) return this.#rowFrame(rows, asked);
    const metrics = fields.filter(({ isText }) => !isText).map(({ name }) => name);
    const widthMs = chooseBucketWidth(startMs, endMs, maxPoints);
    const values =
      metrics.length === 0
        ? []
        : await this.#client.queryNumbers(influxql.selectBuckets(ap_id, metrics, query, aggregate, widthMs));
    return bucketFrame(values, metrics, widthMs);
  }

  async fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]> {
    await this.#prepare();
    const [newest = []] = await readNewest(this.#client, [ap_id], sinceMs);
    return newest
      .map(({ name, ts, value }): FieldInfo => {
        return { name, kind: typeof value === 'string' ? 'text' : 'metric', lastTs: ts };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async latest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    await this.#prepare();
    const newest = await readNewest(this.#client, ap_ids);
    return ap_ids.flatMap((ap_id, index) => {
      const metrics = newest[index]!.filter(isMetric);
      return metrics.length > 0 ? [{ ap_id, metrics }] : [];
    });
  }

  async rows(ap_id: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame> {
    await this.#prepare();
    if (metrics?.length === 0 || limit < 1) return emptyFrame();
    const asked = metrics && [...new Set(metrics)];
    return this.#rowFrame(`${influxql.selectRows(ap_id, asked, range)} LIMIT ${limit}`, asked);
  }

  async remove(ap_id: string): Promise<void> {
    await this.#prepare();
    await this.#client.query(influxql.dropAgent(ap_id));
    this.#catalogue.forget(ap_id);
  }

  /** InfluxDB removes what is older than its retention policy by itself. */
  async prune(): Promise<boolean> {
    return false;
  }

  async check(): Promise<void> {
    await this.#prepare();
    await this.#client.query(influxql.showPolicies(this.#client.database));
  }

  async close(): Promise<void> {
    await this.#writer.idle();
    this.#client.close();
  }

  /** Once, and again after a failure or when the database is gone. */
  #prepare(): Promise<void> {
    this.#prepared ??= this.#createDatabase().catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  async #createDatabase(): Promise<void> {
    const { database } = this.#client;
    const policy = (verb: 'CREATE' | 'ALTER') => influxql.createPolicy(database, this.#retentionMs, verb);
    try {
      await this.#client.query(influxql.createDatabase(database));
      await this.#client.query(policy('CREATE')).catch((error) => {
        // It exists with another duration.
        if (isRefused(error)) return this.#client.query(policy('ALTER'));
        throw error;
      });
    } catch (error) {
      if (!isRefused(error)) throw error;
      // Where Weft may not create anything, it takes the database as the operator has made it.
      await this.#client.query(influxql.showPolicies(database));
    }
  }

  async #fieldsOf(ap_id: string): Promise<FieldKinds> {
    const [newest = []] = await readNewest(this.#client, [ap_id]);
    return newest.map(({ name, value }) => ({ name, isText: typeof value === 'string' }));
  }

  async #rowFrame(statement: string, metrics: readonly string[] | undefined): Promise<Frame> {
    const [series] = (await this.#client.query(statement))[0]!;
    return series ? rowFrame(series, metrics) : emptyFrame();
  }

  async #isAnyLonger(query: SeriesQuery, fields: FieldKinds): Promise<boolean> {
    const { ap_id, maxPoints } = query;
    const found = await this.#client.queryAll(
      fields.map((field) => influxql.selectPointAfter(ap_id, field, query, maxPoints)),
    );
    return found.some((series) => series.length > 0);
  }

  async #conflictOr(error: InfluxRefusal, ap_id: string, samples: readonly Sample[]): Promise<unknown> {
    try {
      this.#catalogue.forget(ap_id);
      this.#catalogue.release(await this.#catalogue.admit(ap_id, samples), false);
      return conflictIn(error, samples) ?? error;
    } catch (conflict) {
      return conflict;
    }
  }
}

/** What InfluxDB refuses counts before it can be read: it keeps the kind of a name before the first value, and after the last. */
function conflictIn({ message }: InfluxRefusal, samples: readonly Sample[]): FieldConflict | undefined {
  const [, encoded, type] =
    /field type conflict: input field "([^"]*)" on measurement "[^"]*" is type (\w+)/.exec(message) ?? [];
  if (encoded === undefined) return undefined;
  const name = decodeName(encoded);
  const isText = type === 'string';
  const index = samples.findIndex(({ names, texts }) => (isText ? new Map(texts).has(name) : names.includes(name)));
  return new FieldConflict(Math.max(index, 0), name, isText ? 'text_for_metric' : 'metric_for_text');
}

function isRefused(error: unknown): boolean {
  return (error as Error).cause instanceof InfluxRefusal;
}

/** InfluxDB would store the other samples and drop this one. */
function requireWithin(retentionMs: number, samples: readonly Sample[]): void {
  const oldest = Date.now() - retentionMs;
  for (const { ts } of samples) {
    if (ts < oldest) throw new RangeError('a sample is older than the retention policy of InfluxDB allows');
  }
}

function isMetric(newest: NewestValue): newest is NewestValue & { value: number } {
  return typeof newest.value === 'number';
}
