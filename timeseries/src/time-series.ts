// The interface of the store: what it promises, what it takes and returns, and the errors it throws.

/** What one source reports for one moment. */
export interface Sample {
  /** Milliseconds since 1970, UTC. */
  ts: number;
  /** Names of metrics, without repeats, and their finite values in the same order. */
  names: string[];
  values: number[];
  /** Text fields: kept beside the metrics, never one of them. A name may be both: these are two series. */
  texts: [name: string, text: string][];
}

/** How values that share a bucket become one. */
export type Aggregate = 'mean' | 'min' | 'max' | 'last' | 'sum' | 'count';

/** From `startMs` to `endMs`, both included. */
/** How far a clock may run ahead. */
export const maxAheadMs = 300_000;

/** Whether a value of this time is the newest beside one of `knownTs`: a time of the future, from when a clock was wrong, does not stay the newest. */
export function isNewest(ts: number, knownTs: number): boolean {
  return ts >= knownTs || knownTs > Date.now() + maxAheadMs;
}

export interface TimeRange {
  startMs: number;
  endMs: number;
}

export interface SeriesQuery extends TimeRange {
  source: string;
  /** Undefined: every field of the source, texts included. */
  metrics?: readonly string[] | undefined;
  /**
   * Above this many points in any asked series, all of them come as buckets. So they may in a window of more than 4,096 rows, if
   * the asked series have fewer points among them.
   */
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

export interface TimeSeriesOptions {
  /** For telemetry.db and journal/; must exist, and belong to one store at a time. */
  folder: string;
  /** How long samples are kept. */
  rawRetentionMs: number;
  /** How long roll-ups are kept, which answer longer windows. */
  rollupRetentionMs: number;
  /**
   * Called with a message for the operator: what could not be read back, or what cannot be stored or read for now.
   * `isUnfinishedEnd`: only the unacknowledged end of a journal was cut off, which is normal after a crash.
   */
  onDamage: (message: string, isUnfinishedEnd: boolean) => void;
  /** Called once when the store can no longer keep its promises: the process should end. */
  onFatal: (error: Error) => void;
  /** Returns what callers get thrown instead of StoreUnavailable. Default: the error itself. */
  toError?: (error: StoreUnavailable) => Error;
  /** After this time without an append, heads are sealed and caches emptied. Default: five minutes. */
  restMs?: number;
}

/** Every method throws StoreUnavailable while the disk is full, too slow or failing; then nothing was stored. */
export interface TimeSeriesStore {
  /**
   * Stores all samples of one source or none. Durable when it resolves: a kill of every process afterwards loses nothing.
   * A value of the same source, time and name as an earlier one replaces it; other fields of that time stay. Any order
   * of times is fine. A name may have numbers and texts, which replace only their own kind. Throws TooManyNames for the
   * 1,025th name.
   */
  append(source: string, samples: readonly Sample[]): Promise<void>;
  /** What is stored, appends that have resolved included. An unknown source, metric or empty window gives no rows. */
  query(query: SeriesQuery): Promise<Frame>;
  /** The source's fields that were reported at or after `sinceMs`, by name; of one name the numbers first. Reads no points. */
  fields(source: string, sinceMs: number): Promise<FieldInfo[]>;
  /** For each of these sources that has metrics. */
  latest(sources: readonly string[]): Promise<LatestValues[]>;
  /**
   * Up to `limit` rows of the range from `startMs` on, never buckets: to walk through any range in bounded memory, go on
   * from the last row's time plus one until fewer than `limit` come.
   */
  rows(source: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame>;
  /** Forgets everything about a source; repeated calls are harmless. */
  remove(source: string): Promise<void>;
  /** Removes what is older than the retention, in small steps; resolves whether there is more to remove. Roll-ups may go by a time of their own. */
  prune(nowMs: number, rollupNowMs?: number): Promise<boolean>;
  /** Throws if it cannot serve right now; the message says why, without secrets. */
  check(): Promise<void>;
  close(): Promise<void>;
  /** Moves everything from memory and journal into blocks. */
  sealAll(): Promise<void>;
}

/** A sample has a name that is one too many for its source. */
export class TooManyNames extends Error {
  override name = 'TooManyNames';
  readonly sampleIndex: number;
  readonly field: string;
  constructor(sampleIndex: number, field: string) {
    super(`${field}: a source has at most ${maxNamesPerSource} names`);
    this.sampleIndex = sampleIndex;
    this.field = field;
  }
}

/** Of both kinds together: a name that has numbers and texts counts once. */
export const maxNamesPerSource = 1024;

/** By name, of one name the numbers first. */
export function inFieldOrder(a: Pick<FieldInfo, 'name' | 'kind'>, b: Pick<FieldInfo, 'name' | 'kind'>): number {
  return a.name < b.name || (a.name === b.name && a.kind === 'metric') ? -1 : 1;
}

/** The store cannot store or read anything right now; nothing was stored. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
  /** `busy`: more arrives than the disk takes, try again shortly. `full`: the disk is. `failed`: see `cause`. */
  readonly reason: 'busy' | 'full' | 'failed';
  constructor(reason: StoreUnavailable['reason'], options?: ErrorOptions) {
    super(reason === 'busy' ? 'more arrives than can be stored' : 'the store is unavailable', options);
    this.reason = reason;
  }
}
