// RabbitMQ as the broker: quorum queues, confirms, dead letters. One connection publishes and one consumes, since a
// server that is short of memory stops reading from those who publish, and would miss what consumers have done.
import { BackOff } from '@weft/contract/back-off';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { parseAmqpAddresses } from './amqp-address.ts';
import { AmqpConnection, messageOf } from './amqp-connection.ts';
import { type AmqpConsumer, type AmqpConsumerOptions, quietly, startAmqpConsumer } from './amqp-consumer.ts';
import { AmqpNews } from './amqp-news.ts';
import { AmqpPublisher } from './amqp-publisher.ts';
import { AmqpTopology, toDelivery } from './amqp-topology.ts';
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

export interface AmqpBrokerOptions extends BrokerOptions {
  /** amqp:// or amqps://, with user, password and virtual host; the nodes of a cluster are separated by commas. */
  url: string;
  /** Names the exchange and, unless it is `weft` itself, stands before the names of queues. */
  namespace?: string;
  /** Default: 5 s. */
  publishTimeoutMs?: number;
  /** Default: 5 s. */
  connectTimeoutMs?: number;
  /** A server that falls silent is given up after two to three of these; default: 6. */
  heartbeatSeconds?: number;
}

/** Never throws because the server is away or refuses: it keeps trying, and `check` tells why. */
export function openAmqpBroker(options: AmqpBrokerOptions): Broker {
  return new AmqpBroker(options);
}

class AmqpBroker implements Broker {
  readonly #options: AmqpBrokerOptions;
  readonly #timeoutMs: number;
  readonly #topology: AmqpTopology;
  readonly #outgoing: AmqpConnection;
  readonly #publisher: AmqpPublisher;
  readonly #news: AmqpNews;
  readonly #closing = new AbortController();
  readonly #consumers = new Set<AmqpConsumer>();
  #incoming: AmqpConnection | undefined;
  #isListening = false;
  readonly #redeclaring = new WeakMap<ChannelModel, Promise<string[]>>();

  constructor(options: AmqpBrokerOptions) {
    this.#options = options;
    this.#timeoutMs = options.publishTimeoutMs ?? 5_000;
    this.#topology = new AmqpTopology({
      queues: options.queues,
      deliveryLimit: options.deliveryLimit,
      maxLength: options.maxLength ?? 100_000,
      maxBytes: options.maxBytes ?? 2 ** 30,
      namespace: options.namespace ?? 'weft',
    });
    this.#outgoing = this.#connect('publishing');
    this.#publisher = new AmqpPublisher({
      connection: this.#outgoing,
      topology: this.#topology,
      timeoutMs: this.#timeoutMs,
      redeclare: (model) => this.#redeclare(model),
    });
    this.#news = new AmqpNews(this.#topology.news);
    void this.#news.startTelling(this.#outgoing, this.#closing.signal);
  }

  async publish(queue: string, body: Uint8Array, options: PublishOptions): Promise<void> {
    this.#assertQueue(queue);
    await this.#publisher.publish(queue, body, options);
  }

  async consume(queue: string, { prefetch }: ConsumeOptions, handler: Handler<Delivery>): Promise<Consumer> {
    this.#assertQueue(queue);
    return this.#start({
      queue: this.#topology.nameOf(queue),
      prefetch,
      take: (message, channel) => settle(message, channel, handler),
      redeclare: async (model) => (await this.#redeclare(model)).includes(queue),
      onReplaced: (deletedAtMs) => this.#reportLost(queue, deletedAtMs),
    });
  }

  async consumeDeadLetters(handler: Handler<DeadLetter>): Promise<Consumer> {
    const take = async (message: ConsumeMessage, channel: Channel, signal: AbortSignal) => {
      const letter = this.#topology.toDeadLetter(message);
      const { id, queue, reason } = letter;
      this.#tellOf({ kind: 'dead_letter', detail: `${id} of ${queue}: ${reason}`, queue });
      const backOff = new BackOff(retryPauses);
      let isOver = false;
      channel.once('close', () => {
        isOver = true;
      });
      // Kept in hand between attempts: given back, it would come again at once.
      while (!isOver) {
        try {
          await handler(letter);
          return quietly(() => channel.ack(message));
        } catch {
          if (signal.aborted) return quietly(() => channel.nack(message, false, true));
          await backOff.pause(signal);
        }
      }
    };
    return this.#start({
      queue: this.#topology.deadLetters,
      prefetch: 1,
      take,
      redeclare: async (model) => (await this.#redeclare(model)).length > 0,
      onReplaced: () => undefined,
    });
  }

  broadcast(news: string): void {
    this.#news.broadcast(news, this.#outgoing.blockedBecause !== undefined);
  }

  get tells(): boolean {
    return this.#news.isOpen && this.#outgoing.blockedBecause === undefined;
  }

  listen(onNews: (news: string) => void, onGap: () => void): void {
    this.#news.listen({ onNews, onGap });
    if (this.#isListening) return;
    this.#isListening = true;
    void this.#news.startHearing(this.#consuming(), this.#closing.signal);
  }

  async depth(queue: string): Promise<QueueDepth | undefined> {
    this.#assertQueue(queue);
    try {
      const model = await this.#outgoing.ready();
      const found = await this.#inTime(this.#topology.count(model, queue));
      if (found === undefined) await this.#inTime(this.#redeclare(model));
      return found;
    } catch {
      return undefined;
    }
  }

  consuming(queue: string): number {
    this.#assertQueue(queue);
    const name = this.#topology.nameOf(queue);
    return [...this.#consumers].filter((each) => each.queue === name && each.isTaking).length;
  }

  async check(): Promise<void> {
    for (const connection of [this.#outgoing, ...(this.#incoming ? [this.#incoming] : [])]) {
      const { blockedBecause } = connection;
      if (blockedBecause !== undefined) throw connection.unavailable(`it takes no messages now: ${blockedBecause}`);
      const model = await this.#inTime(connection.ready());
      // A missing queue is created by the next operation that needs it.
      await this.#inTime(this.#topology.count(model, this.#options.queues[0]!)).catch((error: unknown) => {
        throw error instanceof BrokerUnavailable ? error : connection.unavailable(messageOf(error));
      });
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
    this.#closing.abort();
    await Promise.all([this.#outgoing.close(), this.#incoming?.close()]);
  }

  #assertQueue(queue: string): void {
    if (!this.#options.queues.includes(queue)) throw new Error(`There is no queue ${queue}`);
  }

  #connect(purpose: string): AmqpConnection {
    return new AmqpConnection({
      addresses: parseAmqpAddresses(this.#options.url),
      purpose,
      heartbeatSeconds: this.#options.heartbeatSeconds ?? 6,
      connectTimeoutMs: this.#options.connectTimeoutMs ?? 5_000,
      prepare: async (model) => {
        await this.#redeclare(model);
      },
      onEvent: (event) => this.#tellOf(event),
    });
  }

  #consuming(): AmqpConnection {
    this.#incoming ??= this.#connect('consuming');
    return this.#incoming;
  }

  #start(options: Omit<AmqpConsumerOptions, 'connection'>): Consumer {
    const consumer = startAmqpConsumer({ connection: this.#consuming(), ...options });
    this.#consumers.add(consumer);
    return {
      stop: async () => {
        await consumer.stop();
        this.#consumers.delete(consumer);
      },
    };
  }

  /** Creates what is missing on the server; concurrent calls share one round. */
  #redeclare(model: ChannelModel): Promise<string[]> {
    const redeclaring =
      this.#redeclaring.get(model) ?? this.#declare(model).finally(() => this.#redeclaring.delete(model));
    this.#redeclaring.set(model, redeclaring);
    return redeclaring;
  }

  async #declare(model: ChannelModel): Promise<string[]> {
    const beganAtMs = performance.now();
    const missing = await this.#topology.declare(model);
    for (const queue of missing) this.#reportLost(queue, beganAtMs);
    return missing;
  }

  #reportLost(queue: string, atMs: number): void {
    const agoMs = performance.now() - atMs;
    this.#tellOf({ kind: 'queue_lost', detail: `${queue} was declared again`, queue, agoMs });
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#outgoing.unavailable('it does not answer')), this.#timeoutMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #tellOf(event: BrokerEvent): void {
    this.#options.onEvent?.(event);
  }
}

async function settle(message: ConsumeMessage, channel: Channel, handler: Handler<Delivery>): Promise<void> {
  try {
    await handler(toDelivery(message));
    quietly(() => channel.ack(message));
  } catch (error) {
    quietly(() => channel.nack(message, false, !(error instanceof RejectMessage)));
  }
}
