// The one map with a bound: when it is full the oldest entry goes, and with a time to live each ends by itself. Everything
// takes constant time.

export interface BoundedMapOptions {
  /** How long an entry is there after it was set. Default: until it is the oldest of too many. */
  ttlMs?: number;
  now?: () => number;
}

interface Entry<Key, Value> {
  key: Key;
  value: Value;
  endsAt: number;
}

export class BoundedMap<Key, Value = true> {
  readonly #max: number;
  readonly #ttlMs: number;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  /**
   * Goes through the entries once, and never back: a new iterator would begin with the places of all that were removed, which
   * a full map has by the thousands.
   */
  #walk = this.#entries.values();
  #reached: Entry<Key, Value> | undefined;

  constructor(max: number, { ttlMs, now = () => performance.now() }: BoundedMapOptions = {}) {
    this.#max = max;
    this.#ttlMs = ttlMs ?? Number.POSITIVE_INFINITY;
    this.#now = now;
  }

  get size(): number {
    this.#dropEnded();
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#isAlive(entry) ? entry.value : undefined;
  }

  has(key: Key): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#isAlive(entry);
  }

  /** The newest entry from now on. */
  set(key: Key, value: Value): void {
    const endsAt = this.#ttlMs === Number.POSITIVE_INFINITY ? this.#ttlMs : this.#now() + this.#ttlMs;
    this.#entries.delete(key);
    this.#entries.set(key, { key, value, endsAt });
    this.#dropEnded();
    if (this.#entries.size > this.#max) this.#entries.delete(this.#oldest()!.key);
  }

  getOrInsert(key: Key, create: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = create();
    this.set(key, value);
    return value;
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The oldest first. */
  *[Symbol.iterator](): Iterator<[Key, Value]> {
    for (const entry of this.#entries.values()) if (this.#isAlive(entry)) yield [entry.key, entry.value];
  }

  #isAlive({ endsAt }: Entry<Key, Value>): boolean {
    return endsAt === Number.POSITIVE_INFINITY || endsAt > this.#now();
  }

  #dropEnded(): void {
    if (this.#ttlMs === Number.POSITIVE_INFINITY) return;
    for (let oldest = this.#oldest(); oldest && !this.#isAlive(oldest); oldest = this.#oldest()) {
      this.#entries.delete(oldest.key);
    }
  }

  /** What was set again is another entry: the walk passes the place of the former one by. */
  #oldest(): Entry<Key, Value> | undefined {
    while (!this.#reached || this.#entries.get(this.#reached.key) !== this.#reached) {
      const { value, done } = this.#walk.next();
      this.#reached = value;
      if (!done) continue;
      this.#walk = this.#entries.values();
      return undefined;
    }
    return this.#reached;
  }
}
