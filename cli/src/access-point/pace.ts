// The report interval, which a command may change.

/** Rates need two measurements; the first report waits at most this long. */
const firstAfterMs = 1_000;

export class Pace {
  #seconds: number;
  #lastAt: number;
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

  /** Resolves true when the next report is due, false when the agent stops. Missed reports are not made up for. */
  async next(): Promise<boolean> {
    if (this.#ending.aborted) return false;
    const isDue = await new Promise<boolean>((resolve) => {
      this.#decide = resolve;
      this.#wait();
    });
    this.#lastAt = Math.max(this.#lastAt + this.#seconds * 1000, performance.now() - 1000);
    return isDue;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const dueAt = this.#lastAt + this.#seconds * 1000;
    this.#timer = setTimeout(() => this.#end(true), Math.max(0, dueAt - performance.now()));
  }

  #end(isDue: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#decide(isDue);
  }
}
