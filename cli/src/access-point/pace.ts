// The report interval, which a command may change.

/** Rates need two measurements; the first report waits at most this long. */
const firstAfterMs = 1_000;
/** Reports between the regular ones: soon after what they are for, and not too many of them. */
const early = { afterMs: 100, atMostEveryMs: 500 };

export class Pace {
  #seconds: number;
  #lastAt: number;
  /** When a report is due before the next regular one. */
  #earlyAt = Number.POSITIVE_INFINITY;
  #lastEarlyAt = Number.NEGATIVE_INFINITY;
  readonly #ending: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #decide: (isDue: boolean) => void = () => {};

  constructor(seconds: number, ending: AbortSignal) {
    this.#seconds = seconds;
    this.#lastAt = performance.now() + firstAfterMs - seconds * 1000;
    this.#ending = ending;
    ending.addEventListener('abort', () => this.#end(false));
  }

  get seconds(): number {
    return this.#seconds;
  }

  get isOver(): boolean {
    return this.#ending.aborted;
  }

  /** Counted from the last report on. */
  set(seconds: number): void {
    this.#seconds = seconds;
    if (this.#timer !== undefined) this.#wait();
  }

  /** Something has changed that should not wait for the next regular report. */
  soon(): void {
    const now = performance.now();
    this.#earlyAt = Math.min(this.#earlyAt, Math.max(now + early.afterMs, this.#lastEarlyAt + early.atMostEveryMs));
    if (this.#timer !== undefined) this.#wait();
  }

  /** Resolves true when the next report is due, false when the agent stops. Missed reports are not made up for. */
  async next(): Promise<boolean> {
    if (this.#ending.aborted) return false;
    const isDue = await new Promise<boolean>((resolve) => {
      this.#decide = resolve;
      this.#wait();
    });
    const now = performance.now();
    if (this.#earlyAt <= now) this.#lastEarlyAt = now;
    this.#earlyAt = Number.POSITIVE_INFINITY;
    // An early one comes on top of the regular ones.
    const dueAt = this.#lastAt + this.#seconds * 1000;
    if (dueAt <= now + 1) this.#lastAt = Math.max(dueAt, now - 1000);
    return isDue;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const dueAt = Math.min(this.#lastAt + this.#seconds * 1000, this.#earlyAt);
    this.#timer = setTimeout(() => this.#end(true), Math.max(0, dueAt - performance.now()));
  }

  #end(isDue: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#decide(isDue);
  }
}
