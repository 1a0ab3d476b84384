// News between nodes over a fanout exchange of RabbitMQ. Each node numbers its news, so that the others notice when
// they missed some.
import { randomUUID } from 'node:crypto';
import type { Channel, ConsumeMessage } from 'amqplib';
import { type AmqpConnection, closeChannel } from './amqp-connection.ts';
import { quietly } from './amqp-consumer.ts';
import { openChannel } from './amqp-topology.ts';

const maxTellers = 1_000;
/** Of the news that wait for a node; the oldest go, and the node notices. */
const maxWaiting = 10_000;

interface Listener {
  onNews(news: string): void;
  onGap(): void;
}

export class AmqpNews {
  readonly #exchange: string;
  readonly #node = randomUUID();
  readonly #listeners: Listener[] = [];
  /** Node → the number of its latest news. */
  readonly #latest = new Map<string, number>();
  #told = 0;
  #outgoing: Channel | undefined;
  #isHearing = false;

  constructor(exchange: string) {
    this.#exchange = exchange;
  }

  startTelling(connection: AmqpConnection, signal: AbortSignal): Promise<void> {
    return connection.keep(async (model) => {
      const channel = await openChannel(model);
      channel.once('close', () => {
        this.#outgoing = undefined;
      });
      this.#outgoing = channel;
      return channel;
    }, signal);
  }

  startHearing(connection: AmqpConnection, signal: AbortSignal): Promise<void> {
    return connection.keep(async (model) => {
      const channel = await openChannel(model);
      channel.once('close', () => {
        this.#isHearing = false;
      });
      const { queue } = await channel.assertQueue('', {
        exclusive: true,
        autoDelete: true,
        durable: false,
        arguments: { 'x-max-length': maxWaiting },
      });
      await channel.bindQueue(queue, this.#exchange, '');
      const hear = (message: ConsumeMessage | null) =>
        message === null ? void closeChannel(channel) : this.#hear(message);
      await channel.consume(queue, hear, { noAck: true });
      this.#latest.clear();
      this.#isHearing = true;
      this.#reportGap();
      return channel;
    }, signal);
  }

  get isOpen(): boolean {
    return this.#outgoing !== undefined && this.#isHearing;
  }

  broadcast(news: string, isBlocked: boolean): void {
    // Counted even if it cannot be sent: the next number shows the others that they missed this.
    this.#told++;
    const channel = this.#outgoing;
    if (channel === undefined || isBlocked) return;
    quietly(() => {
      channel.publish(this.#exchange, '', Buffer.from(news), { appId: this.#node, headers: { number: this.#told } });
    });
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
    if (this.#isHearing) queueMicrotask(listener.onGap);
  }

  #hear({ properties, content }: ConsumeMessage): void {
    const teller = String(properties.appId);
    if (teller === this.#node) return;
    const number = Number(properties.headers?.number);
    const before = this.#latest.get(teller);
    if (this.#latest.size >= maxTellers && before === undefined) this.#latest.clear();
    this.#latest.set(teller, number);
    if (before !== undefined && number !== before + 1) this.#reportGap();
    for (const { onNews } of this.#listeners) onNews(content.toString());
  }

  #reportGap(): void {
    for (const { onGap } of this.#listeners) onGap();
  }
}
