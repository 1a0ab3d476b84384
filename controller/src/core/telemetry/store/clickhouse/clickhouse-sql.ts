// The statements that the ClickHouse backend sends for samples and roll-ups. Texts go in as escaped literals; numbers are numbers.
import type { Aggregate, TimeRange } from '../telemetry-store.ts';
import { type ClickHouseClient, literal } from './clickhouse-client.ts';
import { toStoredText } from './row-binary.ts';

const minuteMs = 60_000;
/** No sample is stored before its own time, but for clocks that differ: older partitions have none of a range. */
const maxAheadMs = 2 * 86_400_000;

/** Of parts of a bucket: minutes, or less where it is shorter. */
const aggregates: Record<Aggregate, string> = {
  mean: 'sum(total) / sum(points)',
  min: 'min(least)',
  max: 'max(most)',
  last: 'argMax(latest, start)',
  sum: 'sum(total)',
  count: 'toFloat64(sum(points))',
};
const ofPart =
  'count() AS points, sum(value) AS total, min(value) AS least, max(value) AS most, argMax(value, ts) AS latest';

/** Which samples a question is about. */
export interface Rows {
  client: ClickHouseClient;
  ap_id: string;
  range: TimeRange;
  /** Only these, and no texts. */
  metrics: readonly string[] | undefined;
}

/**
 * Time, metrics with their digits and scales, and the map of texts if no metrics are named; in the order in which they replace each
 * other. `withEmpty`: also samples that have none of these. ClickHouse takes longer to plan a question about minutes than to answer it, so it
 * is plain then; the older analyzer plans it faster.
 */
export function selectSamples(
  rows: Rows,
  { limit, withEmpty = false }: { limit?: number; withEmpty?: boolean } = {},
): string {
  const asked = rows.metrics && listOf(rows.metrics);
  const all = 'arrayZip(names, digits, scales)';
  const fields = asked ? `arrayFilter(field -> field.1 IN (${asked}), ${all})` : `${all}, texts`;
  return `SELECT ts, ${fields} FROM ${samples(rows)} PREWHERE ${within(rows)} ${asked && !withEmpty ? `WHERE hasAny(names, [${asked}])` : ''}
    ORDER BY ts, inserted, repeat ${limit === undefined ? '' : `LIMIT ${limit}`} SETTINGS enable_analyzer = 0`;
}

/**
 * Start of the bucket, name, value and number of points, in the order of time. Texts have no value, and are counted. Whole minutes
 * without a sample that was inserted since the roll-up come from there.
 */
export function selectBuckets(rows: Rows, aggregate: Aggregate, widthMs: number, rolledFromMs: number): string {
  const { client, ap_id, metrics } = rows;
  const areRolledUp = widthMs % minuteMs === 0;
  const partMs = areRolledUp ? minuteMs : widthMs;
  const [first, end] = [Math.ceil(rolledFromMs / minuteMs), Math.floor((rows.range.endMs + 1) / minuteMs)];
  const isWhole = (column: string) => `${column} >= ${time(first * minuteMs)} AND ${column} < ${time(end * minuteMs)}`;
  const changed = `(SELECT DISTINCT toStartOfMinute(ts) FROM ${samples(rows)}
    WHERE ${within(rows)} AND inserted > ${lastMark(client, '')})`;
  const rolledUp = `UNION ALL SELECT 1000 * toInt64(toUnixTimestamp(minute)) AS start, name, points, total, least, most, latest
    FROM ${client.table('telemetry_minutes')} FINAL
    WHERE ap_id = ${stored(ap_id)} AND ${isWhole('minute')} ${metrics ? `AND name IN (${listOf(metrics)}) AND NOT isNaN(least)` : ''}
      AND rolled > ${lastMark(client, ap_id)} AND minute NOT IN ${changed}`;
  const raw = `${within(rows)} ${areRolledUp ? `AND (toStartOfMinute(ts) IN ${changed} OR NOT (${isWhole('ts')}))` : ''}`;
  return `SELECT intDiv(start, ${widthMs}) * ${widthMs} AS bucket, name,
      if(isNaN(least) AS is_text, nan, ${aggregates[aggregate]}), toInt64(sum(points))
    FROM (
      SELECT intDiv(toUnixTimestamp64Milli(ts), ${partMs}) * ${partMs} AS start, name, ${ofPart}
      FROM (${selectPoints(rows, 'ts', raw)}) GROUP BY start, name, isNaN(value)
      ${areRolledUp ? rolledUp : ''}
    ) GROUP BY bucket, name, is_text ORDER BY bucket`;
}

/** What was inserted in this time, in microseconds, touched some minutes: they are rolled up again. */
export function insertMinutes(client: ClickHouseClient, afterUs: number, untilUs: number): string {
  const rows = { client, metrics: undefined };
  const inserted = `inserted > fromUnixTimestamp64Micro(toInt64(${afterUs}), 'UTC') AND inserted <= fromUnixTimestamp64Micro(toInt64(${untilUs}), 'UTC')`;
  const touched = `(ap_id, toStartOfMinute(ts)) IN (SELECT ap_id, toStartOfMinute(ts) FROM ${samples(rows)} WHERE ${inserted})`;
  return `INSERT INTO ${client.table('telemetry_minutes')} (ap_id, name, minute, points, total, least, most, latest, rolled, is_text)
    SELECT ap_id, name, toStartOfMinute(ts) AS minute, ${ofPart}, now64(6), isNaN(value) FROM (${selectPoints(rows, 'ap_id, ts', touched)})
    GROUP BY ap_id, name, minute, isNaN(value)`;
}

/** In microseconds: up to when all is rolled up, the first insertion after it (0 if there is none), and now. */
export function selectNotRolledUp(client: ClickHouseClient): string {
  const [mark, micros] = [lastMark(client, ''), 'toUnixTimestamp64Micro'];
  return `SELECT ${micros}(${mark}), ${micros}(min(inserted)), ${micros}(now64(6)) FROM ${samples({ client })} WHERE inserted > ${mark}`;
}

export function insertMark(client: ClickHouseClient, ap_id: string, at: string): string {
  return `INSERT INTO ${client.table('telemetry_marks')} (ap_id, at) SELECT ${stored(ap_id)}, ${at}`;
}

/** Up to when samples are rolled up, by their insertion; of an agent, when it was removed: earlier roll-ups are not its own. */
function lastMark(client: ClickHouseClient, ap_id: string): string {
  return `assumeNotNull((SELECT max(at) FROM ${client.table('telemetry_marks')} WHERE ap_id = ${stored(ap_id)}))`;
}

/** Agent, name, time and value, which is NaN for a text. Of a text there may be a second row, from when a name had one kind. */
export function selectNewest(client: ClickHouseClient, ap_ids: readonly string[], sinceMs: number): string {
  return `SELECT ap_id, name, ts, value FROM ${client.table('telemetry_fields')} FINAL
    WHERE ap_id IN [${listOf(ap_ids)}] AND ts >= ${time(Math.ceil(sinceMs))}
    ORDER BY ap_id, name, ts DESC LIMIT 1 BY ap_id, name, isNaN(value)`;
}

export function stored(text: string): string {
  return literal(toStoredText(text));
}

/** Name and value, NaN for a text, of each point that counts: of those with the same keys the one that was inserted last. */
function selectPoints({ client, metrics }: Pick<Rows, 'client' | 'metrics'>, keys: string, where: string): string {
  const version = 'bitShiftLeft(toUInt128(toUnixTimestamp64Micro(inserted)), 32) + repeat AS version';
  const [names, values] = metrics
    ? ['names', 'values']
    : ['arrayConcat(names, mapKeys(texts))', 'arrayConcat(values, arrayMap(text -> nan, mapKeys(texts)))'];
  return `SELECT ${keys}, name, argMax(each, version) AS value
    FROM (SELECT ${keys}, ${version}, ${names} AS all_names, ${values} AS all_values FROM ${samples({ client })} WHERE ${where})
    ARRAY JOIN all_names AS name, all_values AS each
    ${metrics ? `WHERE name IN (${listOf(metrics)})` : ''} GROUP BY ${keys}, name, isNaN(each)`;
}

function samples({ client }: Pick<Rows, 'client'>): string {
  return client.table('telemetry_samples');
}

function within({ ap_id, range: { startMs, endMs } }: Rows): string {
  return `ap_id = ${stored(ap_id)} AND ts >= ${time(Math.ceil(startMs))} AND ts <= ${time(Math.floor(endMs))}
    AND inserted >= ${time(Math.ceil(startMs) - maxAheadMs)}`;
}

function listOf(texts: readonly string[]): string {
  return texts.map(stored).join();
}

function time(ms: number): string {
  return `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`;
}
