// Delivers events to all webhooks, on the node that holds the lease.
import type { EventLog } from '../../event-log/event-log.ts';
import type { LoggedEvent } from '../../event-log/event-record.ts';
import type { NodeLease } from '../../storage/node-lease.ts';
import type { SqlDatabase } from '../../storage/sql-database.ts';
import { DeliveryLoop, underLease } from '../delivery-loop.ts';
import { WebhookRunner, type WebhookRunnerOptions } from './webhook-runner.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

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
  readonly #loop: DeliveryLoop<WebhookRecord, WebhookRunner>;
  #gathering: NodeJS.Timeout | undefined;
  /** Successful deliveries of this process. */
  delivered = 0;

  constructor(options: WebhookDeliveryOptions) {
    const { lease, store, eventLog, choose, onError } = options;
    const createRunner = (recipient: WebhookRecord) =>
      new WebhookRunner({
        ...options,
        recipient,
        log: eventLog,
        choose: (events) => choose(recipient.selector, events),
        save: (progress, events) =>
          underLease(options, async (tx) => {
            if (!(await store.save(tx, progress))) return false;
            await eventLog.append(tx, events);
            return true;
          }),
        onDelivered: () => {
          this.delivered++;
        },
      });
    this.#loop = new DeliveryLoop({ what: 'webhooks', lease, list: () => store.list(), createRunner, onError });
  }

  start(): void {
    this.#loop.start();
  }

  /** Something was logged on this node. */
  logged(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      for (const runner of this.#loop.runners) runner.wake();
    }, gatherMs).unref();
  }

  /** A webhook was changed, or other nodes may have logged something. Never throws. */
  look(): Promise<void> {
    return this.#loop.look();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#gathering);
    await this.#loop.stop();
  }

  get waiting(): number {
    return this.#loop.runners.reduce((sum, { waiting }) => sum + waiting, 0);
  }
}
