// Removes events that are too old, in bounded steps. Every node does it, without coordination.
import { setTimeout as pause } from 'node:timers/promises';
import { Rounds } from '../rounds.ts';
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
  readonly #rounds: Rounds;

  constructor(options: EventRetentionOptions) {
    this.#options = options;
    const { onChange } = options;
    this.#rounds = new Rounds({ everyMs, what: 'the removal of old events', run: () => this.#prune(), onChange });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Until nothing is too old. Never throws. */
  run(): Promise<void> {
    return this.#rounds.once();
  }

  async #prune(): Promise<void> {
    const { log, keptMs, now = Date.now } = this.#options;
    const nowMs = now();
    const before = { events: nowMs - keptMs, devices: nowMs - Math.min(keptMs, deviceKeptMs) };
    while (!this.#rounds.isStopped && (await log.prune(before, stepRows))) await pause(betweenStepsMs);
  }
}
