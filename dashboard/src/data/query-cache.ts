// Answers that pages share: asked once, kept while somebody looks, asked again at intervals while the page is visible.
// What was known stays on show when a later request fails.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { BackOff } from '@weft/sdk/browser';
import { type Failure, toFailure } from '../api/client.ts';

export interface QueryState<Value> {
  /** The newest answer there was; undefined before the first. */
  data: Value | undefined;
  /** Set while the newest request is one that failed. */
  failure: Failure | undefined;
  isLoading: boolean;
  /** When `data` came; 0 before the first. */
  updatedAt: number;
}

export interface QueryOptions<Value> {
  fetch: (signal: AbortSignal) => Promise<Value>;
  /** How long after an answer to ask again; none: never by itself. A function goes by the answer. */
  pollMs?: number | ((data: Value) => number) | undefined;
  /** How long to wait before the first question, where another answer says as much until then. */
  firstAfterMs?: number | undefined;
}

interface Entry {
  options: QueryOptions<unknown>;
  state: Signal<QueryState<unknown>>;
  watchers: number;
  backOff: BackOff;
  timer: ReturnType<typeof setTimeout> | undefined;
  abort: AbortController | undefined;
}

const keptMs = 60_000;
const backOffOptions = { firstMs: 2000, longestMs: 30_000 };

export class QueryCache {
  readonly #entries = new Map<string, Entry>();
  readonly #isActive: () => boolean;

  /** While `isActive` says no (hidden page, nobody signed in) nothing is asked; call `wake` when that changes. */
  constructor(isActive: () => boolean) {
    this.#isActive = isActive;
  }

  /** The state of an answer, which may be asked for first; nothing is fetched until somebody watches. */
  state<Value>(key: string, options: QueryOptions<Value>): ReadonlySignal<QueryState<Value>> {
    let entry = this.#entries.get(key);
    if (!entry) {
      const empty = { data: undefined, failure: undefined, isLoading: false, updatedAt: 0 };
      entry = {
        options: options as QueryOptions<unknown>,
        state: signal<QueryState<unknown>>(empty),
        watchers: 0,
        backOff: new BackOff(backOffOptions),
        timer: undefined,
        abort: undefined,
      };
      this.#entries.set(key, entry);
    }
    entry.options = options as QueryOptions<unknown>;
    return entry.state as unknown as ReadonlySignal<QueryState<Value>>;
  }

  /** Keeps the answer fresh until the returned function is called. */
  watch<Value>(key: string, options: QueryOptions<Value>): () => void {
    this.state(key, options);
    const entry = this.#entries.get(key)!;
    entry.watchers++;
    if (entry.watchers === 1) {
      clearTimeout(entry.timer);
      entry.timer = undefined;
      const { firstAfterMs = 0 } = options;
      if (firstAfterMs > 0 && entry.state.peek().updatedAt === 0) {
        entry.timer = setTimeout(() => this.#ask(entry), firstAfterMs);
      } else if (this.#isOld(entry)) this.#ask(entry);
      else this.#planNext(entry);
    }
    return () => {
      entry.watchers--;
      if (entry.watchers > 0) return;
      // Somebody wanted it again and left before it came: whoever comes next must not take the old one for fresh.
      if (entry.abort) entry.state.value = { ...entry.state.peek(), updatedAt: 0 };
      entry.abort?.abort();
      clearTimeout(entry.timer);
      entry.timer = setTimeout(() => this.#entries.delete(key), keptMs);
    };
  }

  /** Asks again now for what is being looked at and whose key begins so (default: for all); the rest is forgotten. */
  refresh(...prefixes: string[]): void {
    for (const [key, entry] of this.#entries) {
      if (prefixes.length > 0 && !prefixes.some((prefix) => key.startsWith(prefix))) continue;
      if (entry.watchers > 0) this.#ask(entry);
      else {
        clearTimeout(entry.timer);
        this.#entries.delete(key);
      }
    }
  }

  /** Puts in place what is known otherwise, such as the answer to a change. */
  set<Value>(key: string, data: Value): void {
    const entry = this.#entries.get(key);
    if (entry) entry.state.value = { data, failure: undefined, isLoading: false, updatedAt: Date.now() };
  }

  /** The page is visible again, or somebody signed in: what has grown old meanwhile is asked for. */
  wake(): void {
    for (const entry of this.#entries.values()) {
      if (entry.watchers > 0 && !entry.abort && this.#isOld(entry)) this.#ask(entry);
    }
  }

  /** Somebody else is there now: nothing of the old is shown to them. */
  clear(): void {
    for (const entry of this.#entries.values()) {
      entry.abort?.abort();
      clearTimeout(entry.timer);
      entry.backOff.reset();
      entry.state.value = { data: undefined, failure: undefined, isLoading: false, updatedAt: 0 };
    }
  }

  async #ask(entry: Entry): Promise<void> {
    clearTimeout(entry.timer);
    entry.timer = undefined;
    if (!this.#isActive()) return;
    entry.abort?.abort();
    const abort = new AbortController();
    entry.abort = abort;
    entry.state.value = { ...entry.state.peek(), isLoading: true };
    try {
      const data = await entry.options.fetch(abort.signal);
      if (entry.abort !== abort) return;
      entry.backOff.reset();
      entry.state.value = { data, failure: undefined, isLoading: false, updatedAt: Date.now() };
    } catch (error) {
      if (entry.abort !== abort) return;
      const before = entry.state.peek();
      const failure = abort.signal.aborted ? before.failure : toFailure(error);
      if (failure) failure.isOfQuery = true;
      entry.state.value = { ...before, failure, isLoading: false };
    }
    entry.abort = undefined;
    this.#planNext(entry);
  }

  #planNext(entry: Entry): void {
    if (entry.watchers === 0) return;
    const waitMs = this.#waitMs(entry);
    if (waitMs !== undefined) entry.timer = setTimeout(() => this.#ask(entry), waitMs);
  }

  #waitMs(entry: Entry): number | undefined {
    const { data, failure, updatedAt } = entry.state.peek();
    if (failure) {
      // Refusals stay what they are; only what may pass is tried again.
      const mayPass = failure.status === 0 || failure.status === 429 || failure.status >= 500;
      if (!mayPass) return undefined;
      return entry.backOff.next((failure.retryAfterSeconds ?? 0) * 1000);
    }
    const pollMs = pollMsOf(entry.options, data);
    return pollMs === undefined ? undefined : Math.max(0, updatedAt + pollMs - Date.now());
  }

  #isOld(entry: Entry): boolean {
    const { data, failure, updatedAt } = entry.state.peek();
    if (failure || updatedAt === 0) return true;
    return Date.now() - updatedAt >= (pollMsOf(entry.options, data) ?? 1000);
  }
}

function pollMsOf({ pollMs }: QueryOptions<unknown>, data: unknown): number | undefined {
  return typeof pollMs === 'function' ? (data === undefined ? undefined : pollMs(data)) : pollMs;
}
