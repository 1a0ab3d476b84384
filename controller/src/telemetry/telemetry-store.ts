// The room of the telemetry path: keeps what agents report and gives it back by agent and window. Appending and querying
// are apart; every backend keeps the promises below.

/** What one agent reports for one moment. */
export interface Sample {
  /** Milliseconds since 1970, UTC. */
  ts: number;
  /** Names of metrics, without repeats, and their finite values in the same order. */
  names: string[];
  values: number[];
  /** Text fields: kept beside the metrics, never one of them. */
  texts: [name: string, text: string][];
}

/** How values that share a bucket become one. */
export type Aggregate = 'mean' | 'min' | 'max' | 'last' | 'sum' | 'count';

/** From `startMs` to `endMs`, both included. */
export interface TimeRange {
  startMs: number;
  endMs: number;
}

export interface SeriesQuery extends TimeRange {
  ap_id: string;
  /** Undefined: every field of the agent, texts included. */
  metrics?: readonly string[] | undefined;
  /** Above this many points in any asked series, all of them come as buckets. */
  maxPoints: number;
  aggregate: Aggregate;
}

/** Rows in order of time, oldest first, each moment once; a column holds NaN where a metric has no value. */
export interface Frame {
  /** Width of the buckets; undefined when the rows are the samples themselves. Buckets begin at multiples of it. */
  resolution_seconds: number | undefined;
  ts: Float64Array;
  columns: Map<string, Float64Array>;
  /** Never in buckets. */
  texts: Map<string, (string | undefined)[]>;
}

export interface FieldInfo {
  name: string;
  kind: 'metric' | 'text';
  /** When it was last reported. */
  lastTs: number;
}

export interface LatestValues {
  ap_id: string;
  /** The newest value of each metric, with its own time. */
  metrics: { name: string; ts: number; value: number }[];
}

/** A sample cannot be stored beside what the agent has reported so far. */
export class FieldConflict extends Error {
  override name = 'FieldConflict';
  readonly sampleIndex: number;
  readonly field: string;
  readonly reason: 'text_for_metric' | 'metric_for_text' | 'too_many_names';
  constructor(sampleIndex: number, field: string, reason: FieldConflict['reason']) {
    super(`${field}: ${reason}`);
    this.sampleIndex = sampleIndex;
    this.field = field;
    this.reason = reason;
  }
}

export const maxNamesPerAgent = 1024;

/** Every method throws TryLaterError (503) while the backend is out of reach or full; then nothing was stored. */
export interface TelemetryStore {
  /**
   * Stores all samples of one agent or none. Durable when it resolves: a kill of every process afterwards loses nothing.
   * A value of the same agent, time and name as an earlier one replaces it; other fields of that time stay. Any order
   * of times is fine. Throws FieldConflict for a text under the name of a metric, the reverse, and the 1,025th name.
   */
  append(ap_id: string, samples: readonly Sample[]): Promise<void>;
  /** What is stored, appends that have resolved included. An unknown agent, metric or empty window gives no rows. */
  query(query: SeriesQuery): Promise<Frame>;
  /** The agent's fields that were reported at or after `sinceMs`, ordered by name. Reads no points. */
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
  /** Removes what is older than the retention, in small steps; resolves whether there is more to remove. */
  prune(nowMs: number): Promise<boolean>;
  /** Throws if it cannot serve right now; the message says why, without secrets. */
  check(): Promise<void>;
  close(): Promise<void>;
}
