// Notices when this process itself stood still (a blocked event loop, no processor time, a stopped process). Reports were not
// heard meanwhile, so that this time counts against no access point; one event says how long it was.
import type { EventLog } from '../../accounts/event-log/event-log.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import type { Hearing } from './presence.ts';

const everyMs = 500;
/** Shorter delays of the timer are usual. */
const toleranceMs = 500;
/** Within one window, this much is worth an event; one window has one event. */
const toldFromMs = 5_000;
const windowMs = 60_000;

export interface StallWatchOptions {
  database: Pick<SqlDatabase, 'transaction'>;
  eventLog: Pick<EventLog, 'append'>;
  /** The name of this node. */
  node: string;
  onError: (error: unknown, message: string) => void;
  /** A clock that nobody can set. */
  steadyNow?: () => number;
}

export class StallWatch implements Hearing {
  readonly #options: StallWatchOptions;
  readonly #steadyNow: () => number;
  #lookedAt: number;
  deafMs = 0;
  #untoldMs = 0;
  #windowAt: number;
  #isTold = false;
  #ticks: PeriodicTask | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(options: StallWatchOptions) {
    this.#options = options;
    this.#steadyNow = options.steadyNow ?? (() => performance.now());
    this.#lookedAt = this.#steadyNow();
    this.#windowAt = this.#lookedAt;
  }

  start(): void {
    this.#lookedAt = this.#steadyNow();
    this.#ticks = new PeriodicTask({ everyMs, what: 'the look for stalls', run: () => this.tick() });
    this.#ticks.start();
  }

  async stop(): Promise<void> {
    await this.#ticks?.stop();
    this.#ticks = undefined;
    await this.#telling;
  }

  look(): void {
    if (this.#ticks) this.#look(this.#steadyNow());
  }

  /** What the timer does. */
  tick(): void {
    const now = this.#steadyNow();
    this.#look(now);
    this.#lookedAt = now;
    if (!this.#isTold && this.#untoldMs >= toldFromMs) this.#tell();
    if (now - this.#windowAt < windowMs) return;
    this.#windowAt = now;
    this.#isTold = false;
    this.#untoldMs = 0;
  }

  #look(now: number): void {
    const lateMs = now - this.#lookedAt - everyMs;
    if (lateMs <= toleranceMs) return;
    this.deafMs += lateMs;
    this.#untoldMs += lateMs;
    // The timer is due: what follows until it comes is no stall.
    this.#lookedAt = now;
  }

  #tell(): void {
    const { database, eventLog, node, onError } = this.#options;
    const seconds = Math.round(this.#untoldMs / 1000);
    this.#isTold = true;
    this.#untoldMs = 0;
    const text = `Weft stood still for ${seconds} s on ${node}; this time counts against no access point`;
    const event = { kind: 'node.stalled', subject_kind: 'node', subject: node, text, data: { node, seconds } };
    this.#telling = database
      .transaction((tx) => eventLog.append(tx, [{ ...event, severity: 'warning' }]))
      .catch((error) => onError(error, 'that Weft stood still could not be logged as an event'));
  }
}
