// The embedded broker: queues in one SQLite file, used by one process. All that happens in one turn of the event loop
// (publishing, handing out, what became of messages) shares one transaction, so that one write to disk serves many.
import { BackOff } from '@weft/contract/back-off';
import { openBody, type Seal, sealBody } from './body-seal.ts';
import {
  type Broker,
  type BrokerOptions,
  BrokerUnavailable,
  type ConsumeOptions,
  type Consumer,
  type DeadLetter,
  type Delivery,
  type Handler,
  type PublishOptions,
  RejectMessage,
  retryPauses,
} from './broker.ts';
import { readDeadLetters } from './dead-letter-reader.ts';
import { handOut, type Subscription } from './hand-out.ts';
import { MessageFile, type NewMessage, type StoredMessage } from './message-file.ts';

/** How long a message that is done may stay in the file when nothing else asks for a write: it is harmless there. */
const lazyMs = 20;
const maxExpiredPerTurn = 100;
const maxTimerMs = 2 ** 31 - 1;

export interface SqliteBrokerOptions extends BrokerOptions {
  file: string;
  /** Keeps bodies unreadable in the file. */
  seal?: Seal;
}

interface Publishing {
  message: NewMessage;
  resolve(): void;
  reject(error: Error): void;
}

/** What is to become of a message that was handed out. */
interface Settlement {
  message: StoredMessage;
  outcome: 'done' | 'back' | DeadLetter['reason'];
}

/** Opens nothing yet: a file that cannot be opened is reported by `check` and by publishing, and tried again. */
export function openSqliteBroker(options: SqliteBrokerOptions): Broker {
  return new SqliteBroker(options);
}

class SqliteBroker implements Broker {
  readonly #options: SqliteBrokerOptions;
  readonly #maxLength: number;
  readonly #maxBytes: number;
  readonly #subscriptions = new Set<Subscription>();
  readonly #deadLetterConsumers = new Set<Consumer>();
  readonly #deadLetterWakers = new Set<() => void>();
  readonly #deadLettersInHand = new Set<number>();
  readonly #retry = new BackOff(retryPauses);
  #file: MessageFile | undefined;
  /** Undefined before the first turn. */
  #isServing: boolean | undefined;
  #isClosed = false;
  #publishing: Publishing[] = [];
  #settlements: Settlement[] = [];
  #soon: NodeJS.Immediate | undefined;
  #later: { timer: NodeJS.Timeout; at: number } | undefined;

  constructor(options: SqliteBrokerOptions) {
    this.#options = options;
    this.#maxLength = options.maxLength ?? 100_000;
    this.#maxBytes = options.maxBytes ?? 2 ** 30;
    // Opened in the first turn, so that messages left from before expire even if nobody asks.
    this.#wake();
  }

  async publish(queue: string, body: Uint8Array, { id, expiresInMs }: PublishOptions): Promise<void> {
    this.#assertQueue(queue);
    if (this.#isClosed) throw new BrokerUnavailable('The broker is shutting down');
    const message = {
      queue,
      id,
      ...sealBody(this.#options.seal, { queue, id, body }),
      expires_at: expiresInMs === undefined ? null : Math.ceil(Date.now() + expiresInMs),
    };
    return new Promise((resolve, reject) => {
      this.#publishing.push({ message, resolve, reject });
      this.#wake();
    });
  }

  async consume(queue: string, options: ConsumeOptions, handler: Handler<Delivery>): Promise<Consumer> {
    this.#assertQueue(queue);
    const subscription = { queue, options, handler, running: new Set<Promise<void>>(), isStopped: false };
    this.#subscriptions.add(subscription);
    if (this.#file?.isNew) options.onQueueLost?.();
    this.#wake();
    return { stop: () => this.#stop(subscription) };
  }

  async consumeDeadLetters(handler: Handler<DeadLetter>): Promise<Consumer> {
    const consumer = readDeadLetters({
      next: () => this.#nextDeadLetter(),
      remove: (seq) => this.#open().transaction(() => this.#open().removeDeadLetter(seq)),
      inHand: this.#deadLettersInHand,
      wakers: this.#deadLetterWakers,
      handler: async (letter) => {
        this.#tell('dead_letter', `${letter.id} of ${letter.queue}: ${letter.reason}`, letter.queue);
        await handler(letter);
      },
    });
    this.#deadLetterConsumers.add(consumer);
    return consumer;
  }

  tell(): void {
    // There is no other node.
  }

  listen(_onNews: (news: string) => void, onGap: () => void): void {
    queueMicrotask(onGap);
  }

  async depth(queue: string): Promise<number | undefined> {
    this.#assertQueue(queue);
    try {
      return this.#open().sizeOf(queue).waiting;
    } catch {
      return undefined;
    }
  }

  async check(): Promise<void> {
    try {
      this.#open().check();
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => this.#stop(subscription)));
    await Promise.all([...this.#deadLetterConsumers].map((consumer) => consumer.stop()));
    this.#turn();
    this.#isClosed = true;
    clearImmediate(this.#soon);
    clearTimeout(this.#later?.timer);
    this.#file?.close();
    this.#file = undefined;
  }

  #assertQueue(queue: string): void {
    if (!this.#options.queues.includes(queue)) throw new Error(`There is no queue ${queue}`);
  }

  #open(): MessageFile {
    if (this.#isClosed) throw new Error('it is shutting down');
    if (this.#file === undefined) {
      this.#file = new MessageFile(this.#options.file);
      if (this.#file.isNew) {
        for (const queue of this.#options.queues) this.#tell('queue_lost', `${queue} was created again`, queue);
        for (const { options } of this.#subscriptions) options.onQueueLost?.();
      }
    }
    return this.#file;
  }

  async #stop(subscription: Subscription): Promise<void> {
    subscription.isStopped = true;
    await Promise.all(subscription.running);
    this.#subscriptions.delete(subscription);
    if (this.#settlements.length > 0) this.#turn();
  }

  /** The next turn comes at once, or within `delayMs`. */
  #wake(delayMs = 0): void {
    if (this.#isClosed) return;
    if (delayMs <= 0) {
      this.#soon ??= setImmediate(() => this.#turn());
      return;
    }
    const at = performance.now() + delayMs;
    if (this.#later !== undefined && this.#later.at <= at) return;
    clearTimeout(this.#later?.timer);
    this.#later = { at, timer: setTimeout(() => this.#turn(), Math.min(delayMs, maxTimerMs)) };
  }

  #turn(): void {
    clearImmediate(this.#soon);
    clearTimeout(this.#later?.timer);
    this.#soon = this.#later = undefined;
    if (this.#isClosed) return;
    const publishing = this.#publishing;
    this.#publishing = [];
    let handedOut: [Subscription, StoredMessage][];
    let buried = 0;
    const bury = (message: StoredMessage, reason: DeadLetter['reason']) => {
      this.#open().bury(message, reason, Math.ceil(this.#maxLength / 10));
      buried++;
    };
    const refused = new Set<Publishing>();
    try {
      const file = this.#open();
      handedOut = file.transaction(() => {
        for (const { message, outcome } of this.#settlements) {
          if (outcome === 'done') file.remove(message);
          else if (outcome === 'back') file.putBack(message);
          else bury(message, outcome);
        }
        for (const each of publishing) {
          if (this.#hasRoom(file, each.message)) file.insert(each.message);
          else refused.add(each);
        }
        for (const message of file.takeExpired(Date.now(), maxExpiredPerTurn)) bury(message, 'expired');
        return handOut(file, this.#subscriptions, this.#options.deliveryLimit, bury);
      });
    } catch (error) {
      const failure = this.#unavailable(error);
      for (const { reject } of publishing) reject(failure);
      if (this.#isServing !== false) this.#tell('lost', failure.message);
      this.#isServing = false;
      this.#wake(this.#retry.next());
      return;
    }
    if (!this.#isServing) this.#tell('connected', this.#options.file);
    this.#isServing = true;
    this.#retry.reset();
    this.#settlements = [];
    for (const each of publishing) {
      if (refused.has(each)) each.reject(new BrokerUnavailable(`The queue ${each.message.queue} is full`));
      else each.resolve();
    }
    for (const [subscription, message] of handedOut) this.#run(subscription, message);
    if (buried > 0) for (const wake of this.#deadLetterWakers) wake();
    const expiry = this.#open().nextExpiry();
    if (expiry !== undefined) this.#wake(Math.max(1, expiry - Date.now()));
  }

  #hasRoom(file: MessageFile, { queue, body }: NewMessage): boolean {
    const { messages, bytes } = file.sizeOf(queue);
    return messages < this.#maxLength && bytes + body.length <= this.#maxBytes;
  }

  #run(subscription: Subscription, message: StoredMessage): void {
    const work = this.#outcomeOf(subscription.handler, message).then((outcome) => {
      subscription.running.delete(work);
      this.#settlements.push({ message, outcome });
      const isUrgent = outcome !== 'done' || (this.#file?.sizeOf(message.queue).waiting ?? 0) > 0;
      this.#wake(isUrgent ? 0 : lazyMs);
    });
    subscription.running.add(work);
  }

  async #outcomeOf(handler: Handler<Delivery>, message: StoredMessage): Promise<Settlement['outcome']> {
    const body = openBody(this.#options.seal, message);
    if (body === undefined) return 'rejected';
    try {
      await handler({ id: message.id, body, redeliveries: message.deliveries - 1 });
      return 'done';
    } catch (error) {
      if (error instanceof RejectMessage) return 'rejected';
      return message.deliveries > this.#options.deliveryLimit ? 'delivery_limit' : 'back';
    }
  }

  #nextDeadLetter(): (DeadLetter & { seq: number }) | undefined {
    const file = this.#open();
    let row = file.deadLetterAfter(0);
    while (row !== undefined && this.#deadLettersInHand.has(row.seq)) row = file.deadLetterAfter(row.seq);
    if (row === undefined) return undefined;
    const { seq, id, queue, reason } = row;
    return { seq, id, queue, reason, body: openBody(this.#options.seal, row) ?? new Uint8Array() };
  }

  #unavailable(cause: unknown): BrokerUnavailable {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new BrokerUnavailable(`The broker's file ${this.#options.file} is unavailable: ${reason}`, { cause });
  }

  #tell(kind: 'connected' | 'lost' | 'queue_lost' | 'dead_letter', detail: string, queue?: string): void {
    this.#options.onEvent?.({ kind, detail, ...(queue !== undefined && { queue }) });
  }
}
