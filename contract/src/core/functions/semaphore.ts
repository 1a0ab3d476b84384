// A counting semaphore: bounds how many may work at something at once. The others wait in order of arrival.
import { onAbort } from './pause.ts';

export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#free = permits;
  }

  get hasFree(): boolean {
    return this.#free > 0;
  }

  /** How many wait for a permit. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves with a permit, which `release` gives back. Throws the reason of the signal; then there is no permit. */
  async acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const take = () => {
        release?.();
        resolve();
      };
      this.#waiting.push(take);
      const release =
        signal &&
        onAbort(signal, () => {
          this.#waiting.splice(this.#waiting.indexOf(take), 1);
          reject(signal.reason);
        });
    });
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }

  /** Runs `work` with a permit. Throws what it throws, or the reason of the signal before it began. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.acquire(signal);
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}
