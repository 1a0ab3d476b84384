// The ids of ended sessions in memory, because they are looked at for every request. What another process ended is read
// again at most `freshMs` after the last time, like the records of callers.
import type { EndedSession, SessionStore } from './session-store.ts';

/** How much later than its time an entry may become visible: clocks differ, and transactions take time. */
const overlapMs = 60_000;
/** How often expired ids are dropped. */
const dropMs = 10 * 60_000;

interface EndedSessionsOptions {
  sessions: Pick<SessionStore, 'listEnded'>;
  freshMs: number;
  now: () => number;
}

export class EndedSessions {
  readonly #options: EndedSessionsOptions;
  #expiryById = new Map<string, number>();
  #loadedAt = Number.NEGATIVE_INFINITY;
  #readFromMs = 0;
  #dropAtMs = 0;
  #changes = 0;
  #loading: Promise<void> | undefined;

  constructor(options: EndedSessionsOptions) {
    this.#options = options;
  }

  isFresh(now = performance.now()): boolean {
    return now - this.#loadedAt < this.#options.freshMs;
  }

  has(id: string): boolean {
    return this.#expiryById.size > 0 && this.#expiryById.has(id);
  }

  add({ id, expires_at }: Pick<EndedSession, 'id' | 'expires_at'>): void {
    this.#expiryById.set(id, expires_at);
  }

  /** The next `isFresh` is false. */
  forget(): void {
    this.#changes++;
    this.#loadedAt = Number.NEGATIVE_INFINITY;
  }

  /** Throws TryLaterError (503) while the database is unavailable. */
  refresh(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const [startedAt, now, changes] = [performance.now(), this.#options.now(), this.#changes];
    // Time went back, as it may when the database is first reached.
    if (now - overlapMs < this.#readFromMs) this.#readFromMs = this.#dropAtMs = 0;
    for (const ended of await this.#options.sessions.listEnded(this.#readFromMs, now)) this.add(ended);
    this.#readFromMs = now - overlapMs;
    if (now >= this.#dropAtMs) {
      this.#dropAtMs = now + dropMs;
      for (const [id, expiresAt] of this.#expiryById) if (expiresAt <= now) this.#expiryById.delete(id);
    }
    if (changes === this.#changes) this.#loadedAt = startedAt;
  }
}
