// The embedded broker: queues in the memory of this process, for its own consumers. They are empty after a restart, and
// say so (`queue_lost`): whoever published keeps what must not be lost, and publishes it again.
import { BackOff } from '@weft/contract/back-off';
import {
  type Broker,
  type BrokerEvent,
  type BrokerOptions,
  BrokerUnavailable,
  type ConsumeOptions,
  type Consumer,
  type DeadLetter,
  type Delivery,
  type Handler,
  type PublishOptions,
  type QueueDepth,
  RejectMessage,
  retryPauses,
} from './broker.ts';

const maxTimerMs = 2 ** 31 - 1;

interface Message {
  seq: number;
  id: string;
  body: Uint8Array;
  expiresAt: number;
  /** How often it was handed out. */
  deliveries: number;
  expiry?: NodeJS.Timeout;
}

interface Subscription {
  queue: Queue;
  prefetch: number;
  handler: Handler<Delivery>;
  running: Set<Promise<void>>;
  isStopped: boolean;
}

export function openMemoryBroker(options: BrokerOptions): Broker {
  return new MemoryBroker(options);
}

class MemoryBroker implements Broker {
  readonly #options: BrokerOptions;
  readonly #maxLength: number;
  readonly #maxBytes: number;
  readonly #queues: ReadonlyMap<string, Queue>;
  readonly #subscriptions = new Set<Subscription>();
  readonly #letters: DeadLetter[] = [];
  readonly #letterConsumers = new Set<Consumer>();
  #letterCame = Promise.withResolvers<void>();
  #lastSeq = 0;
  #turn: NodeJS.Immediate | undefined;
  #isClosed = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#maxLength = options.maxLength ?? 100_000;
    this.#maxBytes = options.maxBytes ?? 2 ** 26;
    this.#queues = new Map(options.queues.map((name) => [name, new Queue(name)]));
    // Once whoever opens it can hear it.
    setImmediate(() => {
      for (const queue of options.queues) this.#report('queue_lost', `${queue} is new`, queue);
    });
  }

  async publish(queue: string, body: Uint8Array, { id, expiresInMs }: PublishOptions): Promise<void> {
    const to = this.#queueOf(queue);
    this.#assertOpen();
    if (to.messages >= this.#maxLength || to.bytes + body.length > this.#maxBytes) {
      throw new BrokerUnavailable(`The queue ${queue} is full`);
    }
    const expiresAt = expiresInMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresInMs;
    // A copy: the caller may use its bytes again.
    const message: Message = { seq: ++this.#lastSeq, id, body: new Uint8Array(body), expiresAt, deliveries: 0 };
    to.add(message);
    this.#await(to, message);
  }

  async consume(queue: string, { prefetch }: ConsumeOptions, handler: Handler<Delivery>): Promise<Consumer> {
    const from = this.#queueOf(queue);
    const subscription = { queue: from, prefetch, handler, running: new Set<Promise<void>>(), isStopped: false };
    this.#subscriptions.add(subscription);
    this.#wake();
    return { stop: () => this.#stop(subscription) };
  }

  async consumeDeadLetters(handler: Handler<DeadLetter>): Promise<Consumer> {
    const stopping = new AbortController();
    const stopped = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
    // After the caller has its consumer.
    const ended = Promise.resolve().then(() => this.#handOutLetters(handler, stopping.signal, stopped));
    const consumer = {
      stop: async () => {
        stopping.abort();
        await ended;
        this.#letterConsumers.delete(consumer);
      },
    };
    this.#letterConsumers.add(consumer);
    return consumer;
  }

  broadcast(): void {
    // There is no other node.
  }

  get tells(): boolean {
    return true;
  }

  listen(_onNews: (news: string) => void, onGap: () => void): void {
    queueMicrotask(onGap);
  }

  async depth(queue: string): Promise<QueueDepth | undefined> {
    return this.#isClosed ? undefined : { ready: this.#queueOf(queue).waiting, consumers: this.consuming(queue) };
  }

  consuming(queue: string): number {
    return [...this.#subscriptions].filter((each) => each.queue.name === queue && !each.isStopped).length;
  }

  async check(): Promise<void> {
    this.#assertOpen();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => this.#stop(subscription)));
    await Promise.all([...this.#letterConsumers].map((consumer) => consumer.stop()));
    this.#isClosed = true;
    clearImmediate(this.#turn);
    for (const queue of this.#queues.values()) while (queue.take());
  }

  #queueOf(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw new Error(`There is no queue ${name}`);
    return queue;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new BrokerUnavailable('The broker is shutting down');
  }

  async #stop(subscription: Subscription): Promise<void> {
    subscription.isStopped = true;
    await Promise.all(subscription.running);
    this.#subscriptions.delete(subscription);
  }

  /** The message waits: for a consumer, or for its end. */
  #await(queue: Queue, message: Message): void {
    if (message.expiresAt !== Number.POSITIVE_INFINITY) {
      const leftMs = Math.min(Math.max(1, message.expiresAt - Date.now()), maxTimerMs);
      message.expiry = setTimeout(() => {
        if (Date.now() < message.expiresAt) return this.#await(queue, message);
        queue.leave(message);
        this.#bury(queue, message, 'expired');
      }, leftMs).unref();
    }
    this.#wake();
  }

  /** Handing out has a turn of its own, so that publishers and consumers that go on at once let others have theirs. */
  #wake(): void {
    this.#turn ??= setImmediate(() => {
      this.#turn = undefined;
      for (const queue of this.#queues.values()) this.#handOut(queue);
    });
  }

  /** The oldest messages, each to the consumer with the most room. */
  #handOut(queue: Queue): void {
    const subscriptions = [...this.#subscriptions].filter((each) => each.queue === queue);
    while (queue.waiting > 0) {
      const [to] = subscriptions.filter((each) => roomOf(each) > 0).sort((a, b) => roomOf(b) - roomOf(a));
      if (to === undefined) return;
      const message = queue.take()!;
      const work = this.#run(to, message).finally(() => to.running.delete(work));
      to.running.add(work);
    }
  }

  /** Never rejects. */
  async #run({ queue, handler }: Subscription, message: Message): Promise<void> {
    try {
      await handler({ id: message.id, body: message.body, redeliveries: message.deliveries++ });
      queue.remove(message);
    } catch (error) {
      if (error instanceof RejectMessage) this.#bury(queue, message, 'rejected');
      else if (message.deliveries > this.#options.deliveryLimit) this.#bury(queue, message, 'delivery_limit');
      else {
        queue.putBack(message);
        this.#await(queue, message);
      }
    }
    this.#wake();
  }

  #bury(queue: Queue, message: Message, reason: DeadLetter['reason']): void {
    const { id, body } = message;
    queue.remove(message);
    this.#letters.push({ id, queue: queue.name, reason, body });
    this.#forgetOldLetters();
    this.#letterCame.resolve();
    this.#letterCame = Promise.withResolvers();
  }

  #forgetOldLetters(): void {
    while (this.#letters.length > Math.ceil(this.#maxLength / 10)) this.#letters.shift();
  }

  async #handOutLetters(handler: Handler<DeadLetter>, signal: AbortSignal, stopped: Promise<unknown>): Promise<void> {
    const backOff = new BackOff(retryPauses);
    while (!signal.aborted) {
      const letter = this.#letters.shift();
      if (letter === undefined) {
        await Promise.race([this.#letterCame.promise, stopped]);
        continue;
      }
      const { id, queue, reason } = letter;
      this.#report('dead_letter', `${id} of ${queue}: ${reason}`, queue);
      try {
        await handler(letter);
        backOff.reset();
      } catch {
        this.#letters.unshift(letter);
        this.#forgetOldLetters();
        await backOff.pause(signal);
      }
    }
  }

  #report(kind: BrokerEvent['kind'], detail: string, queue: string): void {
    this.#options.onEvent?.({ kind, detail, queue });
  }
}

/** Messages in order, those in consumers' hands counted. */
class Queue {
  readonly name: string;
  messages = 0;
  bytes = 0;
  /** What came back; older than all that was never handed out. */
  readonly #returned: Message[] = [];
  readonly #fresh = new Set<Message>();
  /** Kept between calls: a new one would pass all that has left since the set was last rebuilt. */
  #next = this.#fresh.values();

  constructor(name: string) {
    this.name = name;
  }

  get waiting(): number {
    return this.#returned.length + this.#fresh.size;
  }

  add(message: Message): void {
    this.messages++;
    this.bytes += message.body.length;
    this.#fresh.add(message);
  }

  /** The oldest that waits, now in somebody's hands. */
  take(): Message | undefined {
    let message = this.#returned.shift() ?? this.#next.next().value;
    if (message === undefined) {
      this.#next = this.#fresh.values();
      message = this.#next.next().value;
    }
    if (message === undefined) return undefined;
    this.#fresh.delete(message);
    clearTimeout(message.expiry);
    return message;
  }

  /** It waits no more, without having been taken. */
  leave(message: Message): void {
    this.#fresh.delete(message);
    const place = this.#returned.indexOf(message);
    if (place >= 0) this.#returned.splice(place, 1);
  }

  putBack(message: Message): void {
    this.#returned.push(message);
    this.#returned.sort((a, b) => a.seq - b.seq);
  }

  /** It is done, or a dead letter. */
  remove({ body }: Message): void {
    this.messages--;
    this.bytes -= body.length;
  }
}

function roomOf({ isStopped, prefetch, running }: Subscription): number {
  return isStopped ? 0 : prefetch - running.size;
}
