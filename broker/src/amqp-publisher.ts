// Publishes to RabbitMQ, one at a time or thousands: a message counts as published when the server confirms it.
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import type { AmqpConnection } from './amqp-connection.ts';
import type { AmqpTopology } from './amqp-topology.ts';
import type { PublishOptions } from './broker.ts';

/** What the server has not confirmed is kept in memory, even after its publisher gave up. */
const maxUnconfirmed = 5_000;
const maxUnconfirmedBytes = 64 * 2 ** 20;
const maxExpirationMs = 2 ** 32 - 1;

export interface PublisherOptions {
  connection: AmqpConnection;
  topology: AmqpTopology;
  timeoutMs: number;
  /** Creates queues and exchanges that are missing. */
  redeclare(model: ChannelModel): Promise<unknown>;
}

type Verdict = 'confirmed' | 'returned' | 'refused' | 'lost';

export class AmqpPublisher {
  readonly #options: PublisherOptions;
  /** By message id: those that the server may still send back. */
  readonly #returnable = new Map<string, Set<{ isReturned: boolean }>>();
  #channel: Promise<ConfirmChannel> | undefined;
  #unconfirmed = 0;
  #unconfirmedBytes = 0;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** See Broker.publish. */
  async publish(queue: string, body: Uint8Array, options: PublishOptions): Promise<void> {
    const { connection, timeoutMs } = this.#options;
    const { blockedBecause } = connection;
    if (blockedBecause !== undefined) throw connection.unavailable(`it takes no messages now: ${blockedBecause}`);
    if (this.#unconfirmed >= maxUnconfirmed || this.#unconfirmedBytes + body.length > maxUnconfirmedBytes) {
      // One that is larger than the bound may go alone.
      if (this.#unconfirmed > 0) throw connection.unavailable('too much waits for its confirmation');
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(connection.unavailable(`no confirmation in ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      await Promise.race([this.#publishAndMend(queue, body, options), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #publishAndMend(queue: string, body: Uint8Array, options: PublishOptions): Promise<void> {
    const { connection, redeclare } = this.#options;
    let verdict = await this.#send(queue, body, options);
    if (verdict === 'returned') {
      await this.#orUnavailable(async () => redeclare(await connection.ready()));
      verdict = await this.#send(queue, body, options);
    }
    if (verdict === 'returned') throw connection.unavailable(`it has no queue ${queue}`);
    if (verdict === 'refused') throw connection.unavailable(`the queue ${queue} takes no more`);
    if (verdict === 'lost') throw connection.unavailable('the connection was lost before the confirmation');
  }

  async #send(queue: string, body: Uint8Array, { id, expiresInMs }: PublishOptions): Promise<Verdict> {
    const { topology } = this.#options;
    const channel = await this.#orUnavailable(() => this.#open());
    const sending = { isReturned: false };
    this.#expectReturn(id, sending);
    this.#unconfirmed++;
    this.#unconfirmedBytes += body.length;
    try {
      return await new Promise<Verdict>((resolve) => {
        const content = Buffer.from(body.buffer, body.byteOffset, body.length);
        channel.publish(
          topology.exchange,
          queue,
          content,
          {
            mandatory: true,
            persistent: true,
            messageId: id,
            contentType: 'application/json',
            ...(expiresInMs !== undefined && { expiration: toExpiration(expiresInMs) }),
          },
          (error: Error | null) => {
            if (error === null) resolve(sending.isReturned ? 'returned' : 'confirmed');
            else resolve(error.message === 'message nacked' ? 'refused' : 'lost');
          },
        );
      });
    } catch {
      // The channel was closed a moment ago.
      return 'lost';
    } finally {
      this.#unconfirmed--;
      this.#unconfirmedBytes -= body.length;
      this.#forgetReturn(id, sending);
    }
  }

  /** The one channel for all; opened again by the first who needs it after it was lost. */
  #open(): Promise<ConfirmChannel> {
    this.#channel ??= this.#openNew().catch((error: unknown) => {
      this.#channel = undefined;
      throw error;
    });
    return this.#channel;
  }

  async #openNew(): Promise<ConfirmChannel> {
    const { connection, redeclare } = this.#options;
    const model = await connection.ready();
    const channel = await model.createConfirmChannel();
    channel.on('close', () => {
      this.#channel = undefined;
    });
    // It ends in this way when the exchange is gone.
    channel.on('error', () => void redeclare(model).catch(() => undefined));
    channel.on('return', ({ properties }) => {
      for (const sending of this.#returnable.get(String(properties.messageId)) ?? []) sending.isReturned = true;
    });
    return channel;
  }

  #expectReturn(id: string, sending: { isReturned: boolean }): void {
    const same = this.#returnable.get(id) ?? new Set();
    this.#returnable.set(id, same.add(sending));
  }

  #forgetReturn(id: string, sending: { isReturned: boolean }): void {
    const same = this.#returnable.get(id);
    same?.delete(sending);
    if (same?.size === 0) this.#returnable.delete(id);
  }

  async #orUnavailable<T>(work: () => Promise<T>): Promise<T> {
    const { connection } = this.#options;
    try {
      return await work();
    } catch (error) {
      throw error instanceof Error && error.name === 'BrokerUnavailable'
        ? error
        : connection.unavailable(String(error));
    }
  }
}

function toExpiration(expiresInMs: number): string {
  return String(Math.min(Math.max(Math.ceil(expiresInMs), 0), maxExpirationMs));
}
