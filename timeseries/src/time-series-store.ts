// The store on the caller's thread: replaces names by numbers, puts the appends that wait together into one commit, and passes
// everything else to the store's own thread.
import { Worker } from 'node:worker_threads';
import type { RegisteredSource } from './engine.ts';
import type { ThreadAnswer, ThreadCall } from './engine-thread.ts';
import { NewestValues } from './newest-values.ts';
import { unpackFrame, unpackLatest } from './thread-messages.ts';
import {
  type FieldInfo,
  type Frame,
  type LatestValues,
  type Sample,
  type SeriesQuery,
  StoreUnavailable,
  type TimeRange,
  type TimeSeriesOptions,
  type TimeSeriesStore,
  TooManyNames,
} from './time-series.ts';
import { AppendOrder } from './write/append-order.ts';
import { CommitPace } from './write/commit-pace.ts';
import { type NumberedSource, namesOf, RecordWriter, toNumberedSource } from './write/sample-record.ts';

const maxKnownSources = 50_000;
/** Samples that wait for a commit; beyond it new ones are refused, so that memory stays bounded. */
const maxWaitingSamples = 200_000;

/** The appends that wait for the same commit, and share its promise. */
interface Group extends PromiseWithResolvers<void> {
  appends: { source: string; numbered: NumberedSource; samples: readonly Sample[] }[];
  samples: number;
}

/** Resolves once everything that was stored before can be read again. */
export async function openTimeSeries(options: TimeSeriesOptions): Promise<TimeSeriesStore> {
  const store = new ThreadedStore(options);
  await store.ready.catch((error: Error) => {
    // The caller needs the reason, not that the store is unavailable.
    throw error.cause ?? error;
  });
  return store;
}

class ThreadedStore implements TimeSeriesStore {
  readonly ready: Promise<void>;
  readonly #options: TimeSeriesOptions;
  readonly #thread: Worker;
  readonly #calls = new Map<number, { resolve: (result: never) => void; reject: (error: unknown) => void }>();
  readonly #numbered = new Map<string, NumberedSource>();
  readonly #order = new AppendOrder();
  readonly #writer = new RecordWriter();
  readonly #newest = new NewestValues();
  #lastLatest: Promise<unknown> = Promise.resolve();
  #lastCall = 0;
  #group: Group = emptyGroup();
  readonly #pace = new CommitPace();
  /** The next commit begins once this turn of the event loop has taken what has arrived with it. */
  #soon: NodeJS.Immediate | undefined;
  #later: NodeJS.Timeout | undefined;
  #isCommitting = false;
  #failure: Error | undefined;

  constructor(options: TimeSeriesOptions) {
    this.#options = options;
    const { folder, rawRetentionMs, rollupRetentionMs, restMs } = options;
    this.#thread = new Worker(new URL('./engine-thread.ts', import.meta.url), {
      workerData: { folder, rawRetentionMs, rollupRetentionMs, restMs },
    });
    this.#thread.on('message', (answer: ThreadAnswer) => this.#onAnswer(answer));
    this.#thread.on('error', (error) => this.#fail(error as Error));
    this.#thread.on('exit', () => this.#fail(new Error('the telemetry thread has ended')));
    this.ready = new Promise((resolve, reject) => this.#calls.set(0, { resolve, reject }));
  }

  append(source: string, samples: readonly Sample[]): Promise<void> {
    // An empty group would never be committed, and its promise never settled.
    if (samples.length === 0) return Promise.resolve();
    const numbered = this.#order.has(source) ? undefined : this.#numbered.get(source);
    return (
      (numbered && this.#enqueue(source, numbered, samples)) ??
      this.#order.add(source, () => this.#register(source, samples))
    );
  }

  async query(query: SeriesQuery): Promise<Frame> {
    return unpackFrame(await this.#call('query', [query]));
  }

  fields(source: string, sinceMs: number) {
    return this.#call('fields', [source, sinceMs]) as Promise<FieldInfo[]>;
  }

  async latest(sources: readonly string[]): Promise<LatestValues[]> {
    // One after the other: a source counts as known from the request on, before its values have arrived.
    const answer = this.#lastLatest.then(() => this.#readLatest(sources));
    this.#lastLatest = answer.catch(() => {});
    return answer;
  }

  async rows(source: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame> {
    return unpackFrame(await this.#call('rows', [source, range, limit, metrics]));
  }

  async remove(source: string): Promise<void> {
    // Before, so that an append behind this call gets a new number; after, for one that was registered in between.
    this.#numbered.delete(source);
    await this.#call('remove', [source]);
    this.#numbered.delete(source);
    this.#newest.forget(source);
  }

  prune(nowMs: number, rollupNowMs = nowMs): Promise<boolean> {
    return this.#call('prune', [nowMs, rollupNowMs]);
  }

  check(): Promise<void> {
    return this.#call('check', []);
  }

  sealAll(): Promise<void> {
    return this.#call('sealAll', []);
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    while (!this.#writer.isEmpty || this.#isCommitting) await this.#flush();
    this.#thread.removeAllListeners('exit');
    // Wait for its exit, not for its answer: a message of a thread that is ending may be lost.
    const ended = new Promise((resolve) => this.#thread.once('exit', resolve));
    this.#call('close', []).catch(() => {});
    await ended;
    this.#failure = new Error('the telemetry store is closed');
  }

  async #register(source: string, samples: readonly Sample[]): Promise<{ stored: Promise<void> }> {
    const known = this.#numbered.get(source);
    const enqueued = known && this.#enqueue(source, known, samples);
    if (enqueued) return { stored: enqueued };
    const { no, fields }: RegisteredSource = await this.#call('register', [source, namesOf(samples)]);
    const numbered = toNumberedSource(no, fields);
    if (this.#numbered.size >= maxKnownSources) this.#numbered.delete(this.#numbered.keys().next().value!);
    this.#numbered.set(source, numbered);
    const stored = this.#enqueue(source, numbered, samples);
    if (!stored) throw new Error('a name that was registered has no number');
    return { stored };
  }

  /** Undefined if the source has names that are not registered yet. */
  #enqueue(source: string, numbered: NumberedSource, samples: readonly Sample[]): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#unavailable(this.#failure));
    const group = this.#group;
    if (group.samples + samples.length > maxWaitingSamples) {
      return Promise.reject(this.#toError(new StoreUnavailable('busy')));
    }
    if (!this.#writer.add(numbered, samples)) return undefined;
    group.samples += samples.length;
    group.appends.push({ source, numbered, samples });
    this.#plan();
    return group.promise;
  }

  #plan(): void {
    if (this.#isCommitting || this.#soon) return;
    const waitMs = this.#pace.waitMs(this.#group.appends.length);
    if (waitMs === 0) this.#soon = setImmediate(() => this.#flush());
    else this.#later ??= setTimeout(() => this.#flush(), waitMs);
  }

  #unplan(): void {
    clearImmediate(this.#soon);
    clearTimeout(this.#later);
    this.#soon = undefined;
    this.#later = undefined;
  }

  /** One commit at a time: what arrives meanwhile is the next group. */
  async #flush(): Promise<void> {
    this.#unplan();
    if (this.#writer.isEmpty || this.#isCommitting) {
      await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    const group = this.#group;
    this.#group = emptyGroup();
    this.#isCommitting = true;
    this.#pace.begun(group.appends.length, performance.now());
    const bytes = this.#writer.take();
    const error = await this.#call('commit', [bytes], [bytes.buffer]).then(
      () => undefined,
      (failure: Error) => failure,
    );
    this.#isCommitting = false;
    // The next one first: it is written while those who have waited for this one are answered.
    if (!this.#writer.isEmpty) {
      if (this.#pace.waitMs(this.#group.appends.length) === 0) void this.#flush();
      else this.#plan();
    }
    if (error) group.reject(error);
    else {
      this.#noteNewest(group);
      group.resolve();
    }
  }

  async #readLatest(sources: readonly string[]): Promise<LatestValues[]> {
    const latest = new Map<string, LatestValues>();
    const missing: string[] = [];
    for (const source of sources) {
      const known = this.#newest.get(source);
      if (known) latest.set(source, known);
      else missing.push(source);
    }
    if (missing.length > 0) {
      for (const source of missing) this.#newest.expect(source);
      const found = unpackLatest(await this.#call('latest', [missing]));
      for (const values of found) latest.set(values.source, this.#newest.load(values));
    }
    return sources.flatMap((source) => latest.get(source) ?? []);
  }

  #noteNewest({ appends }: Group): void {
    if (this.#newest.isEmpty) return;
    for (const { source, numbered, samples } of appends) {
      // It was removed, or evicted from memory, meanwhile: only the store's thread knows the result of the append.
      if (this.#numbered.get(source) === numbered) this.#newest.recorded(source, samples);
      else this.#newest.forget(source);
    }
  }

  #unavailable(cause: Error): Error {
    return this.#toError(new StoreUnavailable('failed', { cause }));
  }

  #toError(error: StoreUnavailable): Error {
    return this.#options.toError?.(error) ?? error;
  }

  #call<T>(method: ThreadCall['method'], args: unknown[], transfer: ArrayBuffer[] = []): Promise<T> {
    if (this.#failure) return Promise.reject(this.#unavailable(this.#failure));
    const id = ++this.#lastCall;
    this.#thread.postMessage({ id, method, args }, transfer);
    return new Promise((resolve, reject) =>
      this.#calls.set(id, { resolve: resolve as (result: never) => void, reject }),
    );
  }

  #onAnswer(answer: ThreadAnswer): void {
    if ('damage' in answer) {
      this.#options.onDamage(answer.damage, answer.isUnfinishedEnd);
      return;
    }
    if ('fatal' in answer) {
      this.#fail(new Error(answer.fatal));
      return;
    }
    const call = this.#calls.get(answer.id);
    this.#calls.delete(answer.id);
    if ('result' in answer) call?.resolve(answer.result as never);
    else if ('oneTooMany' in answer)
      call?.reject(new TooManyNames(answer.oneTooMany.sampleIndex, answer.oneTooMany.field));
    else {
      const error = new Error(answer.failure);
      call?.reject(
        answer.isFull ? this.#toError(new StoreUnavailable('full', { cause: error })) : this.#unavailable(error),
      );
      if (!answer.isTransient) this.#fail(error);
    }
  }

  /** After a failed flush it is unknown what is on disk: every call fails from now on, and the process should end. */
  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    for (const { reject } of this.#calls.values()) reject(this.#unavailable(error));
    this.#calls.clear();
    this.#group.reject(this.#unavailable(error));
    this.#options.onFatal(error);
  }
}

function emptyGroup(): Group {
  const group = { ...Promise.withResolvers<void>(), appends: [], samples: 0 };
  // Without a handler, a rejection that nobody waits for would end the process.
  group.promise.catch(() => {});
  return group;
}
