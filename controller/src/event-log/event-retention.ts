// Removes events that are too old, in bounded steps. Every node does it, without coordination.
import { setTimeout as pause } from 'node:timers/promises';
import { PeriodicTask } from '../periodic-task.ts';
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

export class EventRetention extends PeriodicTask {
  readonly #options: EventRetentionOptions;

  constructor(options: EventRetentionOptions) {
    const { onChange } = options;
    super({ everyMs, jitter: 0.1, what: 'the removal of old events', run: () => this.#prune(), onChange });
    this.#options = options;
  }

  async #prune(): Promise<void> {
    const { log, keptMs, now = Date.now } = this.#options;
    const nowMs = now();
    const before = { events: nowMs - keptMs, devices: nowMs - Math.min(keptMs, deviceKeptMs) };
    while (!this.isStopped && (await log.prune(before, stepRows))) await pause(betweenStepsMs);
  }
}
