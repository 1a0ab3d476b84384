// How long to wait before trying again: longer after each failure, and never the same for two that failed together.

export interface BackOffOptions {
  /** Before the second attempt, at most; 500 unless told. */
  firstMs?: number;
  /** Between any two attempts, at most; 30,000 unless told. */
  longestMs?: number;
  random?: () => number;
}

export class BackOff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor({ firstMs = 500, longestMs = 30_000, random = Math.random }: BackOffOptions = {}) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#random = random;
  }

  /** Between half and all of a time that doubles up to the longest; at least `leastMs`. */
  next(leastMs = 0): number {
    const wholeMs = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(this.#failures, 30));
    this.#failures++;
    return Math.max(leastMs, wholeMs * (0.5 + this.#random() / 2));
  }

  /** As after many failures. */
  longest(): number {
    return this.#longestMs * (0.5 + this.#random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
