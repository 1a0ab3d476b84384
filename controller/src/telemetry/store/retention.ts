// Removes telemetry that is older than the retention, now and then, in steps small enough that nobody notices.
import { setTimeout as pause } from 'node:timers/promises';
import type { TelemetryStore } from './telemetry-store.ts';

const everyMs = 60_000;
const betweenStepsMs = 20;

export class Retention {
  readonly #store: Pick<TelemetryStore, 'prune'>;
  readonly #onError: (error: unknown, message: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(store: Pick<TelemetryStore, 'prune'>, onError: (error: unknown, message: string) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#round = this.#round.then(() => this.prune());
    }, everyMs).unref();
  }

  /** Resolves once the step in progress is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  /** Until nothing is left that is too old. */
  async prune(nowMs = Date.now()): Promise<void> {
    try {
      while (!this.#isStopped && (await this.#store.prune(nowMs))) await pause(betweenStepsMs);
    } catch (error) {
      this.#onError(error, 'old telemetry could not be deleted; it will be retried');
    }
  }
}
