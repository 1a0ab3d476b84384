// The telemetry store: keeps what agents report and gives it back by agent and window. Appending and querying are apart;
// every backend keeps the promises below.
import type {
  FieldInfo,
  Frame,
  LatestValues as LatestOfSource,
  SeriesQuery as QueryOfSource,
  Sample,
  TimeRange,
} from '@weft/timeseries';

export {
  type Aggregate,
  chooseBucketWidth,
  type FieldInfo,
  type Frame,
  inFieldOrder,
  isNewest,
  maxAheadMs,
  maxNamesPerSource as maxNamesPerAgent,
  type Sample,
  type TimeRange,
  TooManyNames,
} from '@weft/timeseries';

export interface SeriesQuery extends Omit<QueryOfSource, 'source'> {
  ap_id: string;
}

export interface LatestValues extends Omit<LatestOfSource, 'source'> {
  ap_id: string;
}

/** Every method throws TryLaterError (503) while the backend is unreachable or full; then nothing was stored. */
export interface TelemetryStore {
  /** Once, before anything else, if the backend is there. Throws an Error that says what to do if it must not be used. */
  prepare?(): Promise<void>;
  /**
   * Stores all samples of one agent or none. Durable when it resolves: a kill of every process afterwards loses nothing.
   * A value of the same agent, time and name as an earlier one replaces it; other fields of that time stay. Any order
   * of times is fine. A name may have numbers and texts, which replace only their own kind. Throws TooManyNames for the
   * 1,025th name.
   */
  append(ap_id: string, samples: readonly Sample[]): Promise<void>;
  /**
   * What is stored, appends that have resolved included. An unknown agent, metric or empty window gives no rows. Buckets have the
   * width of `chooseBucketWidth` (`@weft/timeseries`).
   */
  query(query: SeriesQuery): Promise<Frame>;
  /** The agent's fields that were reported at or after `sinceMs`, by name; of one name the numbers first. Reads no points. */
  fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]>;
  /** For each of these agents that has metrics. */
  latest(ap_ids: readonly string[]): Promise<LatestValues[]>;
  /**
   * Up to `limit` rows of the range from `startMs` on, never buckets: to walk through any range in bounded memory, go on
   * from the last row's time plus one until fewer than `limit` come.
   */
  rows(ap_id: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame>;
  /** Forgets everything about an agent; repeated calls are harmless. */
  remove(ap_id: string): Promise<void>;
  /** Removes what is older than the retention, in small steps; resolves whether there is more to remove. Roll-ups may go by a time of their own. */
  prune(nowMs: number, rollupNowMs?: number): Promise<boolean>;
  /** Throws if it cannot serve right now; the message says why, without secrets. */
  check(): Promise<void>;
  /** What is wrong with what is stored, as codes for /readyz; it serves none the less. */
  warnings?(): string[];
  /** Afterwards every method throws TryLaterError; appends that were under way are stored or have thrown. */
  close(): Promise<void>;
}
