// One connection to RabbitMQ that reconnects by itself, to any node of a cluster, and channels on it that are reopened.

import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { BackOff } from '@weft/contract/back-off';
import type { Channel, ChannelModel } from 'amqplib';
import { type AmqpAddress, toConnectOptions } from './amqp-address.ts';
import { type BrokerEvent, BrokerUnavailable, retryPauses } from './broker.ts';

const goodbyeMs = 1_000;

export interface AmqpConnectionOptions {
  /** The nodes of a cluster: if one is gone, the next is tried. */
  addresses: readonly AmqpAddress[];
  /** What it is for, in events. */
  purpose: string;
  heartbeatSeconds: number;
  connectTimeoutMs: number;
  /** Runs on every new connection before anybody else may use it; if it throws, the connection is given up. */
  prepare(model: ChannelModel): Promise<void>;
  onEvent(event: BrokerEvent): void;
}

/** Somebody else has declared something of the same name, and it would not do what Weft needs. */
export class ForeignQueue extends Error {
  override name = 'ForeignQueue';
  constructor(answer: string) {
    const [, what = 'queue or exchange', name = ''] = /for (queue|exchange) '([^']+)'/.exec(answer) ?? [];
    super(
      `the ${what} ${name} is there with other arguments; delete it once it is empty, or use another virtual host: ${answer}`,
    );
  }
}

export class AmqpConnection {
  readonly #options: AmqpConnectionOptions;
  readonly #closing = new AbortController();
  readonly #backOff = new BackOff(retryPauses);
  #attempt = Promise.withResolvers<ChannelModel>();
  /** Settled by the next success only, however many attempts it takes. */
  #success = Promise.withResolvers<ChannelModel>();
  readonly #aborted: Promise<never>;
  /** Whether somebody is connecting now, so that waiting for it makes sense. */
  #isTrying = true;
  #model: ChannelModel | undefined;
  #problem: string | undefined;
  #isForeign = false;
  #blockedBecause: string | undefined;
  readonly #ended: Promise<void>;
  readonly #label: string;
  /** Of the address that is tried next: at first any, so that nodes of Weft spread over those of RabbitMQ. */
  #next: number;

  constructor(options: AmqpConnectionOptions) {
    this.#options = options;
    this.#label = labelOf(options.addresses);
    this.#next = Math.floor(Math.random() * options.addresses.length);
    this.#aborted = new Promise((_, reject) => {
      this.#closing.signal.addEventListener('abort', () => reject(this.unavailable('it is being closed')));
    });
    this.#aborted.catch(() => undefined);
    this.#attempt.promise.catch(() => undefined);
    this.#ended = this.#run();
  }

  /** Why the server takes no messages, while it does not. */
  get blockedBecause(): string | undefined {
    return this.#blockedBecause;
  }

  get model(): ChannelModel | undefined {
    return this.#model;
  }

  /** The connection, after an attempt that is under way; throws BrokerUnavailable if there is none. */
  async ready(): Promise<ChannelModel> {
    if (this.#model) return this.#model;
    if (this.#isTrying) return this.#attempt.promise;
    throw this.unavailable(this.#problem ?? 'not connected');
  }

  unavailable(reason: string): BrokerUnavailable {
    return new BrokerUnavailable(`RabbitMQ at ${this.#label} is unavailable: ${reason}`, {
      code: this.#isForeign ? 'foreign_queue' : 'broker_unavailable',
    });
  }

  /**
   * Opens a channel, now and whenever it or the connection is lost, until the signal. An error of `open` is reported
   * and retried with back-off.
   */
  async keep(open: (model: ChannelModel) => Promise<Channel>, signal: AbortSignal): Promise<void> {
    const backOff = new BackOff(retryPauses);
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
    stopped.catch(() => undefined);
    while (!signal.aborted && !this.#closing.signal.aborted) {
      try {
        const channel = await open(await Promise.race([this.#success.promise, stopped, this.#aborted]));
        backOff.reset();
        await Promise.race([untilClosed(channel), stopped]);
      } catch (error) {
        if (this.#model && !signal.aborted)
          this.#options.onEvent({ kind: 'lost', detail: `a channel: ${messageOf(error)}` });
      }
      await backOff.pause(AbortSignal.any([signal, this.#closing.signal]));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const model = this.#model;
    if (model) {
      // The library waits for ever for a server that does not answer.
      await inTimeForGoodbye(model.close());
      cut(model);
    }
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#isTrying = true;
      try {
        await this.#serve(await this.#connect());
      } catch (error) {
        const problem = reasonOf(error);
        // Once, at the first attempt: those who wait would only learn of it when they give up.
        if (problem !== this.#problem && !signal.aborted) {
          this.#options.onEvent({ kind: 'lost', detail: `${this.#options.purpose}: ${problem}` });
        }
        this.#problem = problem;
        this.#isForeign = error instanceof ForeignQueue;
      }
      this.#isTrying = false;
      this.#attempt.reject(this.unavailable(this.#problem ?? 'not connected'));
      this.#attempt = Promise.withResolvers();
      this.#attempt.promise.catch(() => undefined);
      await this.#backOff.pause(signal);
    }
  }

  /** To the first node that answers. */
  async #connect(): Promise<ChannelModel> {
    const { addresses } = this.#options;
    for (let tried = 1; ; tried++) {
      const address = addresses[this.#next]!;
      // Also after a success: what is lost later is tried elsewhere first.
      this.#next = (this.#next + 1) % addresses.length;
      try {
        return await this.#connectTo(address);
      } catch (error) {
        if (tried === addresses.length || this.#closing.signal.aborted) throw error;
      }
    }
  }

  async #connectTo(address: AmqpAddress): Promise<ChannelModel> {
    const { heartbeatSeconds, connectTimeoutMs } = this.#options;
    // Loaded when it is needed: with the embedded broker it never is.
    const { connect } = await import('amqplib');
    const connecting = connect(toConnectOptions(address, heartbeatSeconds), {
      noDelay: true,
      timeout: connectTimeoutMs,
      clientProperties: { connection_name: `weft ${this.#options.purpose}` },
    });
    try {
      return await Promise.race([connecting, this.#aborted]);
    } catch (error) {
      connecting.then(cut, () => undefined);
      throw error;
    }
  }

  /** Resolves when the connection is over. */
  async #serve(model: ChannelModel): Promise<void> {
    const { purpose, prepare, onEvent } = this.#options;
    const over = Promise.withResolvers<string>();
    model.on('error', (error) => over.resolve(error.message));
    model.on('close', (error) => over.resolve(error?.message ?? 'the server closed the connection'));
    model.on('blocked', (reason) => {
      this.#blockedBecause = reason;
      onEvent({ kind: 'blocked', detail: reason });
    });
    model.on('unblocked', () => {
      this.#blockedBecause = undefined;
      onEvent({ kind: 'unblocked', detail: purpose });
    });
    try {
      await Promise.race([
        prepare(model),
        this.#aborted,
        over.promise.then((reason) => {
          throw new Error(reason);
        }),
      ]);
      if (!this.#closing.signal.aborted) {
        this.#model = model;
        this.#problem = undefined;
        this.#isForeign = false;
        this.#backOff.reset();
        this.#attempt.resolve(model);
        this.#success.resolve(model);
        onEvent({ kind: 'connected', detail: purpose });
        this.#problem = await over.promise;
        if (!this.#closing.signal.aborted) onEvent({ kind: 'lost', detail: `${purpose}: ${this.#problem}` });
      }
    } finally {
      if (this.#model) this.#success = Promise.withResolvers();
      this.#model = undefined;
      this.#blockedBecause = undefined;
      cut(model);
    }
  }
}

/** Of all nodes, with the virtual host once. */
function labelOf(addresses: readonly AmqpAddress[]): string {
  return addresses
    .map(({ label }, index) => (index < addresses.length - 1 ? label.slice(0, label.indexOf('/')) : label))
    .join(',');
}

/** The library's own promise never settles if the connection is lost before the answer. */
export async function closeChannel(channel: Channel): Promise<void> {
  await inTimeForGoodbye(Promise.race([channel.close(), untilClosed(channel)]));
}

/** Waits for a clean close for a bounded time, and ignores errors. */
export async function inTimeForGoodbye(goodbye: Promise<unknown>): Promise<void> {
  await Promise.race([goodbye.catch(() => undefined), pause(goodbyeMs, undefined, { ref: false })]);
}

function untilClosed(channel: Channel): Promise<void> {
  return new Promise((resolve) => channel.once('close', resolve));
}

/** The library waits for the server's close; with a silent server that would never end. */
function cut(model: ChannelModel): void {
  model.on('error', () => undefined);
  // With an error, or the library would not notice and go on waiting for heartbeats.
  (model.connection as unknown as { stream: Socket }).stream.destroy(new Error('given up'));
}

/** The library drops the server's words when it is refused at the last step. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  if (!message.includes('Expected ConnectionOpenOk')) return message;
  return 'the virtual host is not there, or this user may not use it';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
