// Keeps a runner for each notification by e-mail, on the node that holds the lease.
import type { EventLog } from '../../event-log/event-log.ts';
import type { LoggedEvent } from '../../event-log/event-record.ts';
import { type NodeLease, NodeLeaseLost } from '../../storage/node-lease.ts';
import type { SqlDatabase } from '../../storage/sql-database.ts';
import { NotificationRunner, type NotificationRunnerOptions } from './notification-runner.ts';
import type { NotificationRecord, NotificationStore } from './notification-store.ts';

const everyMs = 1_000;

export interface NotificationDeliveryOptions extends Pick<NotificationRunnerOptions, 'send' | 'onError' | 'now'> {
  database: Pick<SqlDatabase, 'transaction'>;
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
  store: NotificationStore;
  eventLog: EventLog;
  choose: (selector: string, events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
}

export class NotificationDelivery {
  readonly #options: NotificationDeliveryOptions;
  readonly #runners = new Map<string, NotificationRunner>();
  /** A mail server that hangs must not hold up the other recipients. */
  readonly #running = new Map<string, Promise<void>>();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: NotificationDeliveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#running.values());
  }

  /** One round for each of them; resolves once all have begun. Never throws. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      .catch((error) => this.#options.onError(error, 'notifications cannot be read; trying again'))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Until what the last look began is over. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #lookOnce(): Promise<void> {
    const { lease, store } = this.#options;
    if (!lease.isHeld) {
      this.#runners.clear();
      return;
    }
    const records = new Map((await store.list()).map((record) => [record.id, record]));
    for (const [id, { notification }] of this.#runners) {
      const present = records.get(id);
      if (!present?.enabled || present.version !== notification.version) this.#runners.delete(id);
    }
    for (const record of records.values()) {
      if (!record.enabled) continue;
      let runner = this.#runners.get(record.id);
      if (runner === undefined) {
        runner = this.#createRunner(record);
        this.#runners.set(record.id, runner);
      }
      if (!this.#running.has(record.id)) this.#begin(record.id, runner);
    }
  }

  #begin(id: string, runner: NotificationRunner): void {
    const running = runner
      .run()
      .then((isSame) => {
        if (!isSame) this.#runners.delete(id);
      })
      .catch((error) => {
        this.#runners.delete(id);
        if (!(error instanceof NodeLeaseLost)) this.#options.onError(error, 'a notification is held up; trying again');
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, running);
  }

  #createRunner(notification: NotificationRecord): NotificationRunner {
    const { database, lease, store, eventLog, choose, send, onError, now } = this.#options;
    return new NotificationRunner({
      notification,
      log: eventLog,
      choose: (events) => choose(notification.rule.selector, events),
      send,
      save: (progress) =>
        database.transaction(async (tx) => {
          await lease.require(tx);
          return store.save(tx, progress);
        }),
      onError,
      ...(now && { now }),
    });
  }
}
