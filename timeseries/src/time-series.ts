// What the store takes and gives back, and what it refuses with.

/** What one source reports for one moment. */
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
  source: string;
  /** Undefined: every field of the source, texts included. */
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
  source: string;
  /** The newest value of each metric, with its own time. */
  metrics: { name: string; ts: number; value: number }[];
}

/** A sample cannot be stored beside what the source has reported so far. */
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

export const maxNamesPerSource = 1024;

/** The store cannot take or read anything right now; nothing was stored. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
  /** `busy`: more arrives than the disk takes, try again shortly. `failed`: see `cause`. */
  readonly reason: 'busy' | 'failed';
  constructor(reason: StoreUnavailable['reason'], options?: ErrorOptions) {
    super(reason === 'busy' ? 'more arrives than can be stored' : 'the store cannot be used', options);
    this.reason = reason;
  }
}
