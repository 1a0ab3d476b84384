// Whether a record of some kind may have changed anywhere: one read answers it for all of them, because every change raises
// their revision.

export class RecordRevision {
  readonly #read: () => Promise<number>;
  readonly #freshMs: number;
  #known: number | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<number> | undefined;
  #forgotten = 0;

  /** `freshMs`: how long what was read is trusted. */
  constructor(read: () => Promise<number>, freshMs: number) {
    this.#read = read;
    this.#freshMs = freshMs;
  }

  /** Undefined if it must be read again. Runs for every request. */
  known(now: number): number | undefined {
    return now - this.#readAt < this.#freshMs ? this.#known : undefined;
  }

  /** Not older than `freshMs`. Calls at the same time share the read. */
  async current(): Promise<number> {
    const known = this.known(performance.now());
    if (known !== undefined) return known;
    if (this.#reading) return this.#reading;
    const reading = this.#load().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  /** Another process has changed something now. */
  forget(): void {
    this.#forgotten++;
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#reading = undefined;
  }

  async #load(): Promise<number> {
    const [startedAt, forgotten] = [performance.now(), this.#forgotten];
    const revision = await this.#read();
    if (forgotten === this.#forgotten) {
      this.#known = revision;
      this.#readAt = startedAt;
    }
    return revision;
  }
}
