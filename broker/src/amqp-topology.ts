// The exchanges and queues on RabbitMQ: their names, how they are declared, and how a dead letter is read.
import { randomUUID } from 'node:crypto';
import type { ChannelModel, ConsumeMessage, Options } from 'amqplib';
import { closeChannel, ForeignQueue, messageOf } from './amqp-connection.ts';
import type { DeadLetter, Delivery, QueueDepth } from './broker.ts';

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;

export interface TopologyOptions {
  queues: readonly string[];
  deliveryLimit: number;
  maxLength: number;
  maxBytes: number;
  /** `weft` has queues of the plain names; others put theirs before. */
  namespace: string;
}

export class AmqpTopology {
  readonly exchange: string;
  readonly deadLetters: string;
  readonly news: string;
  readonly #options: TopologyOptions;

  constructor(options: TopologyOptions) {
    this.#options = options;
    this.exchange = options.namespace;
    this.deadLetters = `${options.namespace}.dead`;
    this.news = `${options.namespace}.news`;
  }

  nameOf(queue: string): string {
    return this.exchange === 'weft' ? queue : `${this.exchange}.${queue}`;
  }

  /** Creates what is missing, and resolves which queues were. Throws if something exists with other arguments. */
  async declare(model: ChannelModel): Promise<string[]> {
    const missing: string[] = [];
    for (const queue of this.#options.queues) if (!(await this.#isThere(model, queue))) missing.push(queue);
    const channel = await openChannel(model);
    try {
      await channel.assertExchange(this.exchange, 'direct', { durable: true });
      await channel.assertExchange(this.deadLetters, 'fanout', { durable: true });
      await channel.assertExchange(this.news, 'fanout', { durable: true });
      // Dead letters first: a queue refuses to start without a place for its own.
      await channel.assertQueue(this.deadLetters, this.#deadLetterArguments());
      await channel.bindQueue(this.deadLetters, this.deadLetters, '');
      for (const queue of this.#options.queues) {
        await channel.assertQueue(this.nameOf(queue), this.#queueArguments());
        await channel.bindQueue(this.nameOf(queue), this.exchange, queue);
      }
      await closeChannel(channel);
    } catch (error) {
      if ((error as { code?: number }).code !== PRECONDITION_FAILED) throw error;
      throw new ForeignQueue(messageOf(error));
    }
    return missing;
  }

  /** Undefined if there is no such queue. */
  async count(model: ChannelModel, queue: string): Promise<QueueDepth | undefined> {
    const channel = await openChannel(model);
    try {
      const { messageCount, consumerCount } = await channel.checkQueue(this.nameOf(queue));
      await closeChannel(channel);
      return { ready: messageCount, consumers: consumerCount };
    } catch (error) {
      if ((error as { code?: number }).code === NOT_FOUND) return undefined;
      throw error;
    }
  }

  toDeadLetter(message: ConsumeMessage): DeadLetter {
    const headers = message.properties.headers ?? {};
    // The newest of its deaths comes first.
    const death = (headers['x-death'] as { reason?: string; queue?: string }[] | undefined)?.[0];
    const name = String(death?.queue ?? headers['x-first-death-queue'] ?? message.fields.routingKey);
    const reason = String(death?.reason ?? headers['x-first-death-reason']);
    return {
      id: idOf(message),
      queue: this.#options.queues.find((queue) => this.nameOf(queue) === name) ?? name,
      reason: reason === 'delivery_limit' || reason === 'expired' || reason === 'maxlen' ? reason : 'rejected',
      body: message.content,
    };
  }

  async #isThere(model: ChannelModel, queue: string): Promise<boolean> {
    return (await this.count(model, queue)) !== undefined;
  }

  #queueArguments(): Options.AssertQueue {
    return {
      durable: true,
      arguments: {
        'x-queue-type': 'quorum',
        'x-delivery-limit': this.#options.deliveryLimit,
        'x-dead-letter-exchange': this.deadLetters,
        // A message leaves its queue only when it is safe among the dead letters.
        'x-dead-letter-strategy': 'at-least-once',
        'x-overflow': 'reject-publish',
        'x-max-length': this.#options.maxLength,
        'x-max-length-bytes': this.#options.maxBytes,
      },
    };
  }

  #deadLetterArguments(): Options.AssertQueue {
    return {
      durable: true,
      arguments: { 'x-queue-type': 'quorum', 'x-max-length': Math.ceil(this.#options.maxLength / 10) },
    };
  }
}

export function toDelivery(message: ConsumeMessage): Delivery {
  const counted = message.properties.headers?.['x-delivery-count'];
  const redeliveries = typeof counted === 'number' ? counted : Number(message.fields.redelivered);
  return { id: idOf(message), body: message.content, redeliveries };
}

/** A channel whose end is known by what was asked of it, never by an event that nobody listens to. */
export async function openChannel(model: ChannelModel) {
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  return channel;
}

/** Messages of others may have none. */
function idOf({ properties }: ConsumeMessage): string {
  return typeof properties.messageId === 'string' ? properties.messageId : `unnamed-${randomUUID()}`;
}
