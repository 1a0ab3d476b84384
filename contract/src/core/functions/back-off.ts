// How long to wait before the next attempt: longer after each failure, and never the same for all who failed together.
import { pause, pauseUnless } from './pause.ts';

/** Far beyond any bound, and still a number. */
const maxDoublings = 30;

export interface BackOffOptions {
  /** Upper bound of the first pause; default: 500. */
  firstMs?: number;
  /** Upper bound of any pause; default: 30,000. */
  longestMs?: number;
  random?: () => number;
}

/** The pause after `failures` earlier ones: between half and all of a time that doubles up to the longest. */
export function backOffMs(
  failures: number,
  { firstMs = 500, longestMs = 30_000, random = Math.random }: BackOffOptions = {},
): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures, maxDoublings)) * (0.5 + random() / 2);
}

/** Counts the failures of one thing that is tried again and again. */
export class BackOff {
  readonly #options: BackOffOptions;
  #failures = 0;

  constructor(options: BackOffOptions = {}) {
    this.#options = options;
  }

  /** The next pause; at least `leastMs`. */
  next(leastMs = 0): number {
    return Math.max(leastMs, backOffMs(this.#failures++, this.#options));
  }

  /** As after many failures. */
  longest(): number {
    return backOffMs(0, { ...this.#options, firstMs: Number.POSITIVE_INFINITY });
  }

  /** Waits for the next pause, or until the signal. */
  pause(signal?: AbortSignal): Promise<void> {
    return pauseUnless(signal, this.next());
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** Repeats what may work later. */
export interface RetryOptions {
  /** How long to wait after this error; undefined: it is final, and thrown. */
  pauseAfter: (error: unknown) => number | undefined;
  signal?: AbortSignal | undefined;
}

/** Resolves as soon as `work` does. Throws an error that is final, or the reason of the signal. */
export async function retry<T>(work: () => Promise<T>, { pauseAfter, signal }: RetryOptions): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const pauseMs = pauseAfter(error);
      if (pauseMs === undefined) throw error;
      await pause(pauseMs, signal);
    }
  }
}
