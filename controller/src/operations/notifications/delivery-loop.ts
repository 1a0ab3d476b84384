// What webhooks and mail share: the event log is the outbox, and on the node that holds the lease each recipient has a runner
// that reads it from its position, tries again what fails, and writes down how far it has come. None delays another.
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent } from '../../core/accounts/event-log/event-record.ts';
import { PeriodicTask } from '../../core/base/periodic-task.ts';
import { type NodeLease, NodeLeaseLost } from '../../core/base/storage/node-lease.ts';
import type { SqlDatabase, SqlQueries } from '../../core/base/storage/sql-database.ts';

const everyMs = 1_000;

/** A webhook or a notification. `version` grows with every change of its settings. */
export interface Recipient {
  id: string;
  enabled: boolean;
  version: number;
}

export interface DeliveryRunner<Of extends Recipient> {
  readonly recipient: Of;
  /**
   * One round; resolves false if the recipient is another one now. If it throws, because the database is away, it runs again
   * with the next look.
   */
  run(): Promise<boolean>;
  /** No more is sent. What is on its way is waited for and written down; with `isCutOff`, it is cut off. */
  stop(options: { isCutOff: boolean }): Promise<void>;
}

/** What it takes to deliver, to whomever. */
export interface DeliveryParts {
  database: Pick<SqlDatabase, 'transaction'>;
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
  eventLog: EventLog;
  /** Those of the events that a selector selects. */
  choose: (selector: string, events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
}

export interface DeliveryLoopOptions<Of extends Recipient, Runner> {
  /** Of whom, as in "the delivery to … is held up". */
  what: string;
  lease: Pick<NodeLease, 'isHeld'>;
  list: () => Promise<readonly Of[]>;
  createRunner: (recipient: Of) => Runner;
  onError: (error: unknown, message: string) => void;
}

export class DeliveryLoop<Of extends Recipient, Runner extends DeliveryRunner<Of>> {
  readonly #options: DeliveryLoopOptions<Of, Runner>;
  readonly #runners = new Map<string, Runner>();
  /** Rounds in progress, by recipient: one that hangs must not hold up the others. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #looks: PeriodicTask;

  constructor(options: DeliveryLoopOptions<Of, Runner>) {
    this.#options = options;
    const { what, onError } = options;
    this.#looks = new PeriodicTask({ everyMs, what: `the delivery to ${what}`, run: () => this.#lookOnce(), onError });
  }

  get runners(): Runner[] {
    return [...this.#runners.values()];
  }

  start(): void {
    this.#looks.start();
    this.#looks.soon();
  }

  /** Recipients were changed, or other nodes may have logged something. Resolves once each has begun its round; never throws. */
  look(): Promise<void> {
    return this.#looks.once();
  }

  /** Until the rounds that have begun are over. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** What is on its way is waited for, as long as one request may take. */
  async stop(): Promise<void> {
    await this.#looks.stop();
    await this.settled();
    await Promise.all(this.runners.map((runner) => runner.stop({ isCutOff: false })));
    this.#runners.clear();
  }

  async #lookOnce(): Promise<void> {
    const { lease, list, createRunner } = this.#options;
    if (this.#looks.isStopped) return;
    const recipients = lease.isHeld ? (await list()).filter(({ enabled }) => enabled) : [];
    const present = new Map(recipients.map((recipient) => [recipient.id, recipient]));
    for (const runner of this.runners) {
      const { id, version } = runner.recipient;
      if (present.get(id)?.version !== version) await this.#drop(runner);
    }
    if (this.#looks.isStopped) return;
    for (const recipient of recipients) {
      if (!this.#runners.has(recipient.id)) this.#runners.set(recipient.id, createRunner(recipient));
    }
    for (const runner of this.runners) if (!this.#running.has(runner.recipient.id)) this.#begin(runner);
  }

  #begin(runner: Runner): void {
    const { what, onError } = this.#options;
    const { id } = runner.recipient;
    const round = async () => {
      try {
        if (!(await runner.run())) await this.#drop(runner);
      } catch (error) {
        if (error instanceof NodeLeaseLost) await this.#drop(runner);
        else onError(error, `the delivery to ${what} is held up; it will be tried again`);
      }
    };
    const running = round().finally(() => this.#running.delete(id));
    this.#running.set(id, running);
  }

  /** It is another recipient now, or another node delivers. */
  async #drop(runner: Runner): Promise<void> {
    if (this.#runners.get(runner.recipient.id) === runner) this.#runners.delete(runner.recipient.id);
    await runner.stop({ isCutOff: true });
  }
}

/** A transaction of what only the node that delivers may write; throws NodeLeaseLost if that is another one. */
export function underLease<T>(
  { database, lease }: { database: Pick<SqlDatabase, 'transaction'>; lease: Pick<NodeLease, 'require'> },
  work: (tx: SqlQueries) => Promise<T>,
): Promise<T> {
  return database.transaction(async (tx) => {
    await lease.require(tx);
    return work(tx);
  });
}

export interface LogCursorOptions {
  log: Pick<EventLog, 'read' | 'newest'>;
  position: number;
  kinds: readonly string[];
  readAtOnce: number;
  /** Those of the events that are for this recipient. */
  choose: (events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
}

/** Reads the event log from a position. */
export class LogCursor {
  readonly #options: LogCursorOptions;
  /** Everything up to this event was read. */
  readUpTo: number;

  constructor(options: LogCursorOptions) {
    this.#options = options;
    this.readUpTo = options.position;
  }

  /**
   * Gives the next events that are for this recipient to `take`, in the turn in which the position moves past them: whoever
   * writes it down must have them. Resolves whether there are more to read.
   */
  async next(take: (events: readonly LoggedEvent[]) => void): Promise<boolean> {
    const { log, kinds, readAtOnce, choose } = this.#options;
    // In this order: what becomes visible between the two has a higher id.
    const newest = await log.newest();
    if (newest <= this.readUpTo) return false;
    const page = await log.read({ after: this.readUpTo, before: newest + 1, kinds: [...kinds], limit: readAtOnce });
    const events = await choose(page.events);
    take(events);
    this.readUpTo = page.next ?? newest;
    return page.next !== null;
  }
}
