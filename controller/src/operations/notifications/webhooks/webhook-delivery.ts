import { DeliveryLoop, type DeliveryParts, underLease } from '../delivery-loop.ts';
import { WebhookRunner, type WebhookRunnerOptions } from './webhook-runner.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

/** Events that come within this time are read together. */
const gatherMs = 20;

type OfRunner = Pick<WebhookRunnerOptions, 'send' | 'onError' | 'now' | 'random'>;

export interface WebhookDeliveryOptions extends DeliveryParts, OfRunner {
  store: WebhookStore;
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
