// The one runner of periodic work. It never overlaps itself, a failed round is reported and the next one still comes, a stop
// waits for the round in progress, and its timer keeps no process alive.
import { forAll } from './time-slices.ts';

export interface PeriodicTaskOptions {
  /** From round to round. A round that takes longer skips those that were due meanwhile. */
  everyMs: number;
  /** Where nodes would do the same at the same moment: each pause is longer by up to this share of `everyMs`. */
  jitter?: number;
  /** Where `everyMs` is more often than has to be: rounds that take long come less often, but no further apart than this. */
  relaxedMs?: number;
  /** What the work is, as in "… is held up; it will be tried again". */
  what: string;
  /** One round; what it throws is reported. */
  run: () => Promise<void> | void;
  /** Called when it begins to fail, and when it works again. */
  onChange?: (message: string, error?: unknown) => void;
  /** Called for each failure. */
  onError?: (error: unknown, message: string) => void;
}

/** From the beginning of such work to that of the next, if it comes more often than it has to: for a fifth of the time, or as often as it has to and there is a pause. */
export function relaxed(tookMs: number, relaxedMs: number): number {
  return relaxedMs === 0 ? 0 : Math.max(1.3 * tookMs, Math.min(5 * tookMs, relaxedMs));
}

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, and whether somebody asked for that round. */
  #dueAt = Number.POSITIVE_INFINITY;
  #isAsked = false;
  #isStarted = false;
  #round: Promise<void> | undefined;
  #isAnotherAsked = false;
  #isFailing = false;
  /** The last round, if it did not fail. */
  #tookMs = 0;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** Long rounds look at it between their steps. */
  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** And pause no longer than until it is. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The first round comes after one interval. A repeated call changes nothing; after a stop it starts again. */
  start(): void {
    if (this.isStopped) this.#stopping = new AbortController();
    this.#isStarted = true;
    this.#schedule();
  }

  /**
   * A round within this time, also before the start; never later than it was due before. Those who ask meanwhile share it; one
   * that is asked for during a round follows it.
   */
  soon(withinMs = 0): void {
    if (this.isStopped) return;
    if (withinMs > 0) {
      this.#isAsked = true;
      this.#setTimer(withinMs);
    } else if (this.#round) this.#isAnotherAsked = true;
    else void this.#begin();
  }

  /** A round that begins now, or after the one in progress; also after a stop. Never throws. */
  async once(): Promise<void> {
    while (this.#round) await this.#round;
    await this.#begin();
  }

  /** Resolves once the round in progress is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
    await this.#round;
  }

  #schedule(): void {
    const { everyMs, jitter = 0, relaxedMs = 0 } = this.#options;
    const usualMs = everyMs * (1 + jitter * Math.random());
    if (this.#isStarted) this.#setTimer(Math.max(usualMs, relaxed(this.#tookMs, relaxedMs)));
  }

  #setTimer(delayMs: number): void {
    const dueAt = performance.now() + delayMs;
    if (this.isStopped || dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      const isAsked = this.#isAsked;
      this.#isAsked = false;
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#schedule();
      if (isAsked || !this.#round) this.soon();
    }, delayMs).unref();
  }

  #begin(): Promise<void> {
    this.#isAnotherAsked = false;
    // Also where a request has asked for it: it is nobody's, and goes on when whoever asked has left.
    this.#round = forAll(() => this.#attempt()).finally(() => {
      this.#round = undefined;
      if (this.#isAnotherAsked) this.soon();
    });
    return this.#round;
  }

  async #attempt(): Promise<void> {
    const { run, what, onChange, onError } = this.#options;
    const beganAt = performance.now();
    try {
      await run();
      this.#tookMs = performance.now() - beganAt;
      if (this.#isFailing) onChange?.(`${what} goes on`);
      this.#isFailing = false;
    } catch (error) {
      this.#tookMs = 0;
      const message = `${what} is held up; it will be tried again`;
      onError?.(error, message);
      if (!this.#isFailing) onChange?.(message, error);
      this.#isFailing = true;
    }
  }
}
