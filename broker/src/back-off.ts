// How long to wait before the next attempt: longer each time, and never the same for everybody.
import { setTimeout as pause } from 'node:timers/promises';

export class BackOff {
  readonly #firstMs: number;
  readonly #mostMs: number;
  #attempts = 0;

  constructor(firstMs = 100, mostMs = 10_000) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
  }

  /** Between half and all of what doubles with each call. */
  nextMs(): number {
    const fullMs = Math.min(this.#firstMs * 2 ** this.#attempts++, this.#mostMs);
    return fullMs * (0.5 + Math.random() / 2);
  }

  /** Waits that long, or until the signal. */
  async pause(signal: AbortSignal): Promise<void> {
    await pause(this.nextMs(), undefined, { signal }).catch(() => undefined);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
