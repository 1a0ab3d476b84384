// The embedded telemetry store as the server's thread sees it: turns names into numbers, puts the posts of a few
// milliseconds into one commit, and passes everything else on to the store's own thread.
import { Worker } from 'node:worker_threads';
import { TryLaterError } from '../errors.ts';
import { NewestValues } from './newest-values.ts';
import { unpackFrame } from './packed-frame.ts';
import { unpackLatest } from './packed-latest.ts';
import { type NumberedAgent, RecordWriter } from './sample-record.ts';
import type { RegisteredAgent } from './telemetry-engine.ts';
import {
  FieldConflict,
  type Frame,
  type LatestValues,
  type Sample,
  type SeriesQuery,
  type TelemetryStore,
  type TimeRange,
} from './telemetry-store.ts';
import type { ThreadAnswer, ThreadCall } from './telemetry-thread.ts';

/** Posts that arrive within this time share a flush to disk. */
const groupMs = 4;
/** This many posts do not wait for more. */
const fullGroup = 32;
const maxKnownAgents = 50_000;
/** Samples that wait for a commit; beyond it new posts are refused rather than piled up. */
const maxWaitingSamples = 200_000;

export interface SqliteTelemetryOptions {
  folder: string;
  rawRetentionMs: number;
  rollupRetentionMs: number;
  /** Told what could not be read back, and what cannot be stored for now. */
  onDamage: (message: string, isUnfinishedEnd: boolean) => void;
  /** The store can no longer promise anything: the process should end. */
  onFatal: (error: Error) => void;
}

export interface SqliteTelemetryStore extends TelemetryStore {
  /** Moves everything from memory and journal into blocks. */
  sealAll(): Promise<void>;
}

/** The posts that wait for the same commit, and share its promise. */
interface Group extends PromiseWithResolvers<void> {
  posts: { ap_id: string; agent: NumberedAgent; samples: readonly Sample[] }[];
  samples: number;
}

/** Resolves once everything that was stored before is there again. */
export async function openSqliteTelemetry(options: SqliteTelemetryOptions): Promise<SqliteTelemetryStore> {
  const store = new ThreadedTelemetryStore(options);
  await store.ready.catch((error: TryLaterError) => {
    // There is no later: whoever starts Weft has to know why.
    throw error.cause ?? error;
  });
  return store;
}

class ThreadedTelemetryStore implements SqliteTelemetryStore {
  readonly ready: Promise<void>;
  readonly #options: SqliteTelemetryOptions;
  readonly #thread: Worker;
  readonly #calls = new Map<number, { resolve: (result: never) => void; reject: (error: unknown) => void }>();
  readonly #agents = new Map<string, NumberedAgent>();
  readonly #writer = new RecordWriter();
  readonly #newest = new NewestValues();
  #lastLatest: Promise<unknown> = Promise.resolve();
  #lastCall = 0;
  #group: Group = emptyGroup();
  #timer: NodeJS.Timeout | undefined;
  #isCommitting = false;
  #failure: Error | undefined;

  constructor(options: SqliteTelemetryOptions) {
    this.#options = options;
    const { folder, rawRetentionMs, rollupRetentionMs } = options;
    this.#thread = new Worker(new URL('./telemetry-thread.ts', import.meta.url), {
      workerData: { folder, rawRetentionMs, rollupRetentionMs },
    });
    this.#thread.on('message', (answer: ThreadAnswer) => this.#onAnswer(answer));
    this.#thread.on('error', (error) => this.#fail(error as Error));
    this.#thread.on('exit', () => this.#fail(new Error('the telemetry thread has ended')));
    this.ready = new Promise((resolve, reject) => this.#calls.set(0, { resolve, reject }));
  }

  append(ap_id: string, samples: readonly Sample[]): Promise<void> {
    // An empty group would never be committed, and its promise never settled.
    if (samples.length === 0) return Promise.resolve();
    const agent = this.#agents.get(ap_id);
    return (agent && this.#enqueue(ap_id, agent, samples)) ?? this.#registerAndAppend(ap_id, samples);
  }

  async query(query: SeriesQuery): Promise<Frame> {
    return unpackFrame(await this.#call('query', [query]));
  }

  fields(ap_id: string, sinceMs: number) {
    return this.#call('fields', [ap_id, sinceMs]) as ReturnType<TelemetryStore['fields']>;
  }

  async latest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    // One after the other, so that nobody takes an agent for known whose values are still on their way.
    const answer = this.#lastLatest.then(() => this.#readLatest(ap_ids));
    this.#lastLatest = answer.catch(() => {});
    return answer;
  }

  async rows(ap_id: string, range: TimeRange, limit: number, metrics?: readonly string[]): Promise<Frame> {
    return unpackFrame(await this.#call('rows', [ap_id, range, limit, metrics]));
  }

  async remove(ap_id: string): Promise<void> {
    // Before, so that a post behind this call gets a new number; after, for one that was answered in between.
    this.#agents.delete(ap_id);
    await this.#call('remove', [ap_id]);
    this.#agents.delete(ap_id);
    this.#newest.forget(ap_id);
  }

  prune(nowMs: number): Promise<boolean> {
    return this.#call('prune', [nowMs]);
  }

  check(): Promise<void> {
    return this.#call('check', []);
  }

  sealAll(): Promise<void> {
    return this.#call('sealAll', []);
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    clearTimeout(this.#timer);
    while (!this.#writer.isEmpty || this.#isCommitting) await this.#flush();
    this.#thread.removeAllListeners('exit');
    // Its end, not its word, is what counts: a message of a thread that is ending may not come through.
    const ended = new Promise((resolve) => this.#thread.once('exit', resolve));
    this.#call('close', []).catch(() => {});
    await ended;
    this.#failure = new Error('the telemetry store is closed');
  }

  async #registerAndAppend(ap_id: string, samples: readonly Sample[]): Promise<void> {
    const names = samples.flatMap(({ names, texts }, sampleIndex) => [
      ...names.map((name) => ({ name, isText: false, sampleIndex })),
      ...texts.map(([name]) => ({ name, isText: true, sampleIndex })),
    ]);
    const { agent: no, fields }: RegisteredAgent = await this.#call('register', [ap_id, firstOfEach(names)]);
    const agent: NumberedAgent = { no, fields: new Map(fields.map(({ name, no, isText }) => [name, { no, isText }])) };
    if (this.#agents.size >= maxKnownAgents) this.#agents.delete(this.#agents.keys().next().value!);
    this.#agents.set(ap_id, agent);
    const stored = this.#enqueue(ap_id, agent, samples);
    if (!stored) throw new Error('a name that was registered has no number');
    await stored;
  }

  /** Undefined if the agent has names that are not registered yet. */
  #enqueue(ap_id: string, agent: NumberedAgent, samples: readonly Sample[]): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(unavailable(this.#failure));
    const group = this.#group;
    if (group.samples + samples.length > maxWaitingSamples) {
      return Promise.reject(
        new TryLaterError(503, 'telemetry_busy', 'More telemetry arrives than can be stored; try again shortly', 1),
      );
    }
    if (!this.#writer.add(agent, samples)) return undefined;
    group.samples += samples.length;
    group.posts.push({ ap_id, agent, samples });
    if (!this.#isCommitting) {
      if (group.posts.length >= fullGroup) this.#flushNow();
      else this.#timer ??= setTimeout(() => this.#flush(), groupMs);
    }
    return group.promise;
  }

  #flushNow(): void {
    clearTimeout(this.#timer);
    void this.#flush();
  }

  /** One commit at a time: what arrives meanwhile is the next group. */
  async #flush(): Promise<void> {
    this.#timer = undefined;
    const group = this.#group;
    if (this.#writer.isEmpty || this.#isCommitting) {
      await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    this.#group = emptyGroup();
    this.#isCommitting = true;
    try {
      const bytes = this.#writer.take();
      await this.#call('commit', [bytes], [bytes.buffer]);
      this.#noteNewest(group);
      group.resolve();
    } catch (error) {
      group.reject(error);
    }
    this.#isCommitting = false;
    if (!this.#writer.isEmpty) this.#timer ??= setTimeout(() => this.#flush(), 0);
  }

  async #readLatest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    const latest = new Map<string, LatestValues>();
    const missing: string[] = [];
    for (const ap_id of ap_ids) {
      const known = this.#newest.get(ap_id);
      if (known) latest.set(ap_id, known);
      else missing.push(ap_id);
    }
    if (missing.length > 0) {
      for (const ap_id of missing) this.#newest.expect(ap_id);
      const found = unpackLatest(await this.#call('latest', [missing]));
      for (const values of found) latest.set(values.ap_id, this.#newest.load(values));
    }
    return ap_ids.flatMap((ap_id) => latest.get(ap_id) ?? []);
  }

  #noteNewest({ posts }: Group): void {
    if (this.#newest.isEmpty) return;
    for (const { ap_id, agent, samples } of posts) {
      // One that was removed, or pushed out of memory, meanwhile: only the store's thread knows what became of its post.
      if (this.#agents.get(ap_id) === agent) this.#newest.recorded(ap_id, samples);
      else this.#newest.forget(ap_id);
    }
  }

  #call<T>(method: ThreadCall['method'], args: unknown[], transfer: ArrayBuffer[] = []): Promise<T> {
    if (this.#failure) return Promise.reject(unavailable(this.#failure));
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
    else if ('conflict' in answer) {
      const { sampleIndex, field, reason } = answer.conflict;
      call?.reject(new FieldConflict(sampleIndex, field, reason));
    } else {
      const error = new Error(answer.failure);
      call?.reject(unavailable(error));
      if (!answer.isPassing) this.#fail(error);
    }
  }

  /** After a failed flush nobody knows what is on disk: no more promises, and the process should end. */
  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    for (const { reject } of this.#calls.values()) reject(unavailable(error));
    this.#calls.clear();
    this.#group.reject(unavailable(error));
    this.#options.onFatal(error);
  }
}

function emptyGroup(): Group {
  const group = { ...Promise.withResolvers<void>(), posts: [], samples: 0 };
  // Nobody may be waiting for it.
  group.promise.catch(() => {});
  return group;
}

function firstOfEach<T extends { name: string; isText: boolean }>(names: T[]): T[] {
  const seen = new Map<string, T>();
  for (const entry of names) {
    const key = `${entry.isText} ${entry.name}`;
    if (!seen.has(key)) seen.set(key, entry);
  }
  return [...seen.values()];
}

function unavailable(cause: Error): TryLaterError {
  return new TryLaterError(503, 'telemetry_unavailable', 'Telemetry cannot be stored or read right now', 2, { cause });
}
