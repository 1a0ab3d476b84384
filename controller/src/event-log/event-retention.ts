// Removes events that are too old, in bounded steps. Every node does it, without coordination.
import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from './event-log.ts';

const everyMs = 60_000;
const stepRows = 500;
const betweenStepsMs = 20;
const deviceKeptMs = 24 * 3_600_000;

export interface EventRetentionOptions {
  log: Pick<EventLog, 'prune'>;
  keptMs: number;
  /** Called when it begins to fail, and when it works again. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

export class EventRetention {
  readonly #options: EventRetentionOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;
  #isFailing = false;

  constructor(options: EventRetentionOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.run().finally(() => {
        this.#round = undefined;
      });
    }, everyMs).unref();
  }

  /** Resolves once the step in progress is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  /** Until nothing is too old. Never throws. */
  async run(): Promise<void> {
    const { log, keptMs, onChange } = this.#options;
    const now = this.#now();
    const before = { events: now - keptMs, devices: now - Math.min(keptMs, deviceKeptMs) };
    try {
      while (!this.#isStopped && (await log.prune(before, stepRows))) await pause(betweenStepsMs);
      if (this.#isFailing) onChange('old events are removed again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) onChange('old events cannot be removed; it will be tried again', error);
      this.#isFailing = true;
    }
  }
}
