// The tables of telemetry in ClickHouse. One row for each value, so that other programs can query them as they are.
import { type ClickHouseClient, identifier } from './clickhouse-client.ts';

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
