// Keeps a runner for each webhook, on the node that holds the lease; wakes them when something was logged and writes down how
// far they have come.
import type { EventLog } from '../../event-log/event-log.ts';
import type { LoggedEvent } from '../../event-log/event-record.ts';
import { type NodeLease, NodeLeaseLost } from '../../storage/node-lease.ts';
import type { SqlDatabase } from '../../storage/sql-database.ts';
import { WebhookRunner, type WebhookRunnerOptions } from './webhook-runner.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

const lookEveryMs = 1_000;
const saveEveryMs = 250;
/** Events that come within this time are read together. */
const gatherMs = 20;

export interface WebhookDeliveryOptions extends Pick<WebhookRunnerOptions, 'send' | 'onError' | 'now' | 'random'> {
  database: Pick<SqlDatabase, 'transaction'>;
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
  store: WebhookStore;
  eventLog: EventLog;
  /** Those of the events that a selector selects. */
  choose: (selector: string, events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
}

export class WebhookDelivery {
  readonly #options: WebhookDeliveryOptions;
  readonly #runners = new Map<string, WebhookRunner>();
  #looking: Promise<void> | undefined;
  #timers: NodeJS.Timeout[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #isStopped = false;
  #deliveredBefore = 0;

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timers = [
      setInterval(() => void this.look(), lookEveryMs).unref(),
      setInterval(() => void this.#saveAll(), saveEveryMs).unref(),
    ];
    void this.look();
  }

  /** Something was logged on this node. */
  logged(): void {
    if (this.#runners.size === 0 || this.#isStopped) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      for (const runner of this.#runners.values()) runner.wake();
    }, gatherMs);
  }

  /** A webhook was changed, or other nodes may have logged something. Never throws. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      .catch((error) => this.#options.onError(error, 'webhooks cannot be read; trying again'))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** What is on its way is waited for, as long as one request may take. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#gathering);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    await this.#saveAll();
    this.#runners.clear();
  }

  get delivered(): number {
    return this.#deliveredBefore + [...this.#runners.values()].reduce((sum, { delivered }) => sum + delivered, 0);
  }

  get waiting(): number {
    return [...this.#runners.values()].reduce((sum, { waiting }) => sum + waiting, 0);
  }

  async #lookOnce(): Promise<void> {
    if (this.#isStopped) return;
    if (!this.#options.lease.isHeld) {
      for (const id of [...this.#runners.keys()]) await this.#drop(id);
      return;
    }
    const webhooks = new Map((await this.#options.store.list()).map((webhook) => [webhook.id, webhook]));
    for (const [id, { webhook }] of this.#runners) {
      const present = webhooks.get(id);
      if (!present?.enabled || present.version !== webhook.version) await this.#drop(id);
    }
    for (const webhook of webhooks.values()) {
      if (this.#isStopped) return;
      if (webhook.enabled && !this.#runners.has(webhook.id)) this.#runners.set(webhook.id, this.#createRunner(webhook));
    }
    for (const runner of this.#runners.values()) runner.wake();
  }

  #createRunner(webhook: WebhookRecord): WebhookRunner {
    const { database, lease, store, eventLog, choose, send, onError, now, random } = this.#options;
    return new WebhookRunner({
      webhook,
      store,
      log: eventLog,
      send,
      choose: (events) => choose(webhook.selector, events),
      save: (progress, events) =>
        database.transaction(async (tx) => {
          await lease.require(tx);
          if (!(await store.save(tx, progress))) return false;
          await eventLog.append(tx, events);
          return true;
        }),
      onError,
      ...(now && { now }),
      ...(random && { random }),
    });
  }

  /** Cut off: it is another webhook now, or another node delivers. */
  async #drop(id: string): Promise<void> {
    const runner = this.#runners.get(id);
    this.#runners.delete(id);
    this.#deliveredBefore += runner?.delivered ?? 0;
    await runner?.stop({ isCutOff: true });
  }

  async #saveAll(): Promise<void> {
    await Promise.all(
      [...this.#runners].map(async ([id, runner]) => {
        try {
          if (!(await runner.save()) && !this.#isStopped) await this.#drop(id);
        } catch (error) {
          if (error instanceof NodeLeaseLost) await this.#drop(id);
          else this.#options.onError(error, 'how far a webhook has come could not be stored; trying again');
        }
      }),
    );
  }
}
