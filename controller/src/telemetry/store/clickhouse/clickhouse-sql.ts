// The statements that the ClickHouse backend sends to read. Texts go in as escaped literals; numbers are numbers.
import type { Aggregate, TimeRange } from '../telemetry-store.ts';
import { type ClickHouseClient, identifier, literal } from './clickhouse-client.ts';
import { toStoredText } from './row-binary.ts';

const aggregates: Record<Aggregate, string> = {
  mean: 'avg(value)',
  min: 'min(value)',
  max: 'max(value)',
  last: 'argMax(value, ts)',
  sum: 'sum(value)',
  count: 'toFloat64(count())',
};

/** Which rows of the table a question is about. */
export interface Rows {
  table: string;
  ap_id: string;
  range: TimeRange;
  /** Only these, and no texts. */
  metrics: readonly string[] | undefined;
  /** Appends over several days that are complete, of those that touch the range. */
  batches: readonly Batch[];
}

export interface Batch extends TimeRange {
  batch: bigint;
}

/** Name, kind, time, value and text, ordered by name and time; of each name at most so many. */
export function selectRows(rows: Rows, limitPerName?: number): string {
  const limit = limitPerName === undefined ? '' : ` LIMIT ${limitPerName} BY name, is_text`;
  return `SELECT name, is_text, ts, value, text ${samples(rows)} ORDER BY name, is_text, ts${limit}`;
}

/** The same for the first so many times of the range. */
export function selectFirstRows(rows: Rows, times: number): string {
  const first = `SELECT DISTINCT ts ${samples(rows)} ORDER BY ts LIMIT ${times}`;
  return `SELECT name, is_text, ts, value, text ${samples(rows)} AND ts <= (SELECT max(ts) FROM (${first}))
    ORDER BY name, is_text, ts`;
}

/** Name, kind, start of the bucket, value and count, ordered by name and time. */
export function selectBuckets(rows: Rows, aggregate: Aggregate, widthMs: number): string {
  return `SELECT name, is_text, intDiv(toUnixTimestamp64Milli(ts), ${widthMs}) * ${widthMs} AS bucket,
      ${aggregates[aggregate]}, toFloat64(count())
    ${samples(rows)} GROUP BY name, is_text, bucket ORDER BY name, is_text, bucket`;
}

export function selectBatches(table: string, ap_id: string, range: TimeRange): string {
  return `SELECT DISTINCT batch, start_ts, end_ts FROM ${table}
    WHERE ap_id = ${stored(ap_id)} AND end_ts >= ${time(Math.ceil(range.startMs))} AND start_ts <= ${time(Math.floor(range.endMs))}`;
}

/** Agent, name, kind, time and value. */
export function selectNewest(table: string, ap_ids: readonly string[]): string {
  return `SELECT ap_id, name, is_text, tupleElement(max(newest), 'ts'), tupleElement(max(newest), 'value') FROM ${table}
    WHERE ap_id IN (${ap_ids.map(stored).join()}) GROUP BY ap_id, name, is_text`;
}

/** The days that lie wholly before this moment, the first ones first. */
export function selectDaysBefore(database: string, ms: number, limit: number): string {
  return `SELECT DISTINCT partition_id FROM system.parts
    WHERE database = ${literal(database)} AND table = 'telemetry' AND active AND toUInt32(partition_id) < toYYYYMMDD(${time(ms)})
    ORDER BY partition_id LIMIT ${limit}`;
}

export function stored(text: string): string {
  return literal(toStoredText(text));
}

export function time(ms: number): string {
  return `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`;
}

/** A FROM and its WHERE; more conditions may follow after AND. */
function samples({ table, ap_id, range, metrics, batches }: Rows): string {
  const conditions = [
    `ap_id = ${stored(ap_id)}`,
    within(range),
    ...(metrics ? [`name IN (${metrics.map(stored).join()})`] : []),
  ].join(' AND ');
  const kind = metrics ? 'is_text = 0' : 'TRUE';
  if (batches.length === 0) return `FROM ${table} FINAL WHERE ${conditions} AND batch = 0 AND ${kind}`;
  // Rows of different batches have different keys, so that the newest of them is chosen here, at the times of batches.
  const columns = 'name, is_text, ts, value, text';
  const times = mergedRanges(batches).map(within).join(' OR ');
  const numbers = [0, ...batches.map(({ batch }) => batch)].join();
  return `FROM (
    SELECT ${columns} FROM ${table} FINAL WHERE ${conditions} AND batch = 0 AND NOT (${times})
    UNION ALL
    SELECT ${columns} FROM (
      SELECT ${columns} FROM ${table} FINAL WHERE ${conditions} AND batch IN (${numbers}) AND (${times})
      ORDER BY version DESC LIMIT 1 BY name, ts
    )
  ) WHERE ${kind}`;
}

function within({ startMs, endMs }: TimeRange): string {
  return `(ts >= ${time(Math.ceil(startMs))} AND ts <= ${time(Math.floor(endMs))})`;
}

/** Those that touch as one. */
function mergedRanges(ranges: readonly TimeRange[]): TimeRange[] {
  const merged: TimeRange[] = [];
  for (const { startMs, endMs } of [...ranges].sort((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else merged.push({ startMs, endMs });
  }
  return merged;
}

/** What a 200 promises: parts are on disk before an insert is answered, and merged ones before they replace others. */
const durable = 'fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1';

/** Creates what is not there; safe if several nodes start at once. */
export async function createTelemetryTables(client: ClickHouseClient): Promise<void> {
  const statements = [
    // Of the rows with one key the newest counts, by the clock of ClickHouse. An append whose samples lie on several days
    // becomes several parts: its rows carry the number of its batch, and count once that is in telemetry_batches. The number
    // is part of the key: rows that do not count must not replace those that do.
    `CREATE TABLE IF NOT EXISTS ${client.table('telemetry')} (
       ap_id String CODEC(ZSTD(1)),
       name LowCardinality(String),
       ts DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
       batch UInt64 CODEC(ZSTD(1)),
       is_text UInt8 CODEC(ZSTD(1)),
       value Float64 CODEC(Delta, ZSTD(1)),
       text String CODEC(ZSTD(1)),
       version UInt64 MATERIALIZED toUnixTimestamp64Nano(now64(9)) CODEC(Delta, ZSTD(1))
     ) ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMMDD(ts) ORDER BY (ap_id, name, ts, batch)
     SETTINGS ${durable}`,
    `CREATE TABLE IF NOT EXISTS ${client.table('telemetry_batches')} (
       ap_id String, batch UInt64, start_ts DateTime64(3, 'UTC'), end_ts DateTime64(3, 'UTC')
     ) ENGINE = MergeTree ORDER BY ap_id SETTINGS ${durable}`,
    // The newest value of each field: which fields an agent has, without reading its samples.
    `CREATE TABLE IF NOT EXISTS ${client.table('telemetry_newest')} (
       ap_id String,
       name String,
       is_text UInt8,
       newest SimpleAggregateFunction(max, Tuple(ts DateTime64(3, 'UTC'), version UInt64, value Float64))
     ) ENGINE = AggregatingMergeTree ORDER BY (ap_id, name, is_text) SETTINGS ${durable}`,
  ];
  await client.run(`CREATE DATABASE IF NOT EXISTS ${identifier(client.database)}`);
  for (const statement of statements) await client.run(statement);
}
