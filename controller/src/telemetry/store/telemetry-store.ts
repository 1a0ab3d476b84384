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
  FieldConflict,
  type FieldInfo,
  type Frame,
  maxNamesPerSource as maxNamesPerAgent,
  type Sample,
  type TimeRange,
} from '@weft/timeseries';

export interface ReadOptions {
  /**
   * What was stored in the last seconds may be missing, if the settings allow so: for charts and downloads. Never for what
   * decides something, or is joined with what comes live.
   */
  mayBeStale?: boolean;
}

export interface SeriesQuery extends Omit<QueryOfSource, 'source'>, ReadOptions {
  ap_id: string;
}

export interface LatestValues extends Omit<LatestOfSource, 'source'> {
  ap_id: string;
}

/** One of the servers of a store that may have several. */
export interface StoreServer {
  /** Hosts and database, without passwords. */
  readonly place: string;
  /** Throws if it cannot serve right now. */
  check(): Promise<void>;
}

/** Every method throws TryLaterError (503) while the backend is out of reach or full; then nothing was stored. */
export interface TelemetryStore {
  /** Once, when the tables of the accounts exist. Throws an Error that says what to do if it must not be used like this. */
  prepare?(): Promise<void>;
  /**
   * Stores all samples of one agent or none. Durable when it resolves: a kill of every process afterwards loses nothing.
   * A value of the same agent, time and name as an earlier one replaces it; other fields of that time stay. Any order
   * of times is fine. Throws FieldConflict for a text under the name of a metric, the reverse, and the 1,025th name.
   */
  append(ap_id: string, samples: readonly Sample[]): Promise<void>;
  /**
   * What is stored, appends that have resolved included, unless it may be stale. An unknown agent, metric or empty window gives no rows. Buckets have
   * the width of `chooseBucketWidth` (`@weft/timeseries`).
   */
  query(query: SeriesQuery): Promise<Frame>;
  /** The agent's fields that were reported at or after `sinceMs`, ordered by name. Reads no points. */
  fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]>;
  /** For each of these agents that has metrics. If some of several servers are away, of those on the others. */
  latest(ap_ids: readonly string[]): Promise<LatestValues[]>;
  /**
   * Up to `limit` rows of the range from `startMs` on, never buckets: to walk through any range in bounded memory, go on
   * from the last row's time plus one until fewer than `limit` come.
   */
  rows(
    ap_id: string,
    range: TimeRange,
    limit: number,
    metrics?: readonly string[],
    options?: ReadOptions,
  ): Promise<Frame>;
  /** Forgets everything about an agent; repeated calls are harmless. */
  remove(ap_id: string): Promise<void>;
  /** Removes what is older than the retention, in small steps; resolves whether there is more to remove. */
  prune(nowMs: number): Promise<boolean>;
  /** Throws if it cannot serve right now; the message says why, without secrets. With several servers: if none can. */
  check(): Promise<void>;
  /** If it may have several: each has some of the agents. */
  readonly servers?: readonly StoreServer[];
  /** Afterwards every method throws TryLaterError; appends that were under way are stored or have thrown. */
  close(): Promise<void>;
}
