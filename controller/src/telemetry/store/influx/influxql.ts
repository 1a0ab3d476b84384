// The statements that the InfluxDB backend sends, as text. Names go in double quotes and are escaped; numbers are numbers.

import type { Aggregate, TimeRange } from '../telemetry-store.ts';
import { encodeName, measurementOf } from './influx-line.ts';

/** Of the policy that Weft makes in its database. */
const policy = 'weft';

export function quoted(identifier: string): string {
  const escaped = identifier.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

export function createDatabase(database: string): string {
  return `CREATE DATABASE ${quoted(database)}`;
}

export function createPolicy(database: string, durationMs: number, verb: 'CREATE' | 'ALTER'): string {
  const hours = Math.ceil(durationMs / 3_600_000);
  return `${verb} RETENTION POLICY ${quoted(policy)} ON ${quoted(database)} DURATION ${hours}h REPLICATION 1 SHARD DURATION 1d DEFAULT`;
}

export function showPolicies(database: string): string {
  return `SHOW RETENTION POLICIES ON ${quoted(database)}`;
}

/** Rows with these metrics, or with every field. */
export function selectRows(ap_id: string, metrics: readonly string[] | undefined, range: TimeRange): string {
  const columns = metrics?.map(metric).join() ?? '*';
  return `SELECT ${columns} FROM ${measurement(ap_id)} WHERE ${within(range)}`;
}

/** The point after the first `count` of one field, if there is one: how long a series is, without reading all of it. */
export function selectPointAfter(
  ap_id: string,
  { name, isText }: { name: string; isText: boolean },
  range: TimeRange,
  count: number,
): string {
  const column = isText ? field(name) : metric(name);
  return `SELECT ${column} FROM ${measurement(ap_id)} WHERE ${within(range)} LIMIT 1 OFFSET ${count}`;
}

export function selectBuckets(
  ap_id: string,
  metrics: readonly string[],
  range: TimeRange,
  aggregate: Aggregate,
  widthMs: number,
): string {
  const columns = metrics.map((name) => `${aggregate}(${metric(name)})`).join();
  return `SELECT ${columns} FROM ${measurement(ap_id)} WHERE ${within(range)} GROUP BY time(${widthMs}ms) fill(none)`;
}

/** The newest rows, newest first, with every field of the agent as a column. */
export function selectNewestRows(ap_id: string, count: number, sinceMs: number | undefined): string {
  return `SELECT * FROM ${measurement(ap_id)}${since(sinceMs)} ORDER BY time DESC LIMIT ${count}`;
}

/** The newest point of one field. */
export function selectLast(ap_id: string, name: string, sinceMs: number | undefined): string {
  return `SELECT last(${field(name)}) FROM ${measurement(ap_id)}${since(sinceMs)}`;
}

export function dropAgent(ap_id: string): string {
  return `DROP MEASUREMENT ${measurement(ap_id)}`;
}

function measurement(ap_id: string): string {
  return quoted(measurementOf(ap_id));
}

function since(sinceMs: number | undefined): string {
  return sinceMs === undefined ? '' : ` WHERE time >= ${Math.ceil(sinceMs)}ms`;
}

function field(name: string): string {
  return quoted(encodeName(name));
}

/** Nothing where a text has that name. */
function metric(name: string): string {
  return `${field(name)}::float`;
}

function within({ startMs, endMs }: TimeRange): string {
  return `time >= ${Math.ceil(startMs)}ms AND time <= ${Math.floor(endMs)}ms`;
}
