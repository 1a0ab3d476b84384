// Takes messages from one queue of RabbitMQ, and goes on after the channel, the queue or the connection was lost.
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { type AmqpConnection, closeChannel, inTimeForGoodbye } from './amqp-connection.ts';
import { openChannel } from './amqp-topology.ts';
import type { Consumer } from './broker.ts';

export interface AmqpConsumerOptions {
  connection: AmqpConnection;
  /** The name on the server. */
  queue: string;
  prefetch: number;
  /** The result of the message is up to it; must not throw. */
  take(message: ConsumeMessage, channel: Channel, signal: AbortSignal): Promise<void>;
  /** Creates the queue if it is missing; resolves whether it was. */
  redeclare(model: ChannelModel): Promise<boolean>;
  /** The queue was deleted, and somebody else has created it again; when it was deleted, in `performance.now()`. */
  onReplaced(deletedAtMs: number): void;
}

export interface AmqpConsumer extends Consumer {
  /** The name on the server. */
  readonly queue: string;
  /** Whether the server knows it as one, as far as is known here. */
  readonly isTaking: boolean;
}

export function startAmqpConsumer({
  connection,
  queue,
  prefetch,
  take,
  redeclare,
  onReplaced,
}: AmqpConsumerOptions): AmqpConsumer {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let current: { channel: Channel; consumerTag: string } | undefined;
  let isFirst = true;
  let deletedAtMs: number | undefined;

  const open = async (model: ChannelModel) => {
    // The connection has just been prepared; a channel that was lost on it may have been lost for want of its queue.
    const wasMissing = !isFirst && (await redeclare(model));
    if (deletedAtMs !== undefined && !wasMissing) onReplaced(deletedAtMs);
    isFirst = false;
    deletedAtMs = undefined;
    const channel = await openChannel(model);
    channel.once('close', () => {
      if (current?.channel === channel) current = undefined;
    });
    await channel.prefetch(prefetch);
    const { consumerTag } = await channel.consume(queue, (message) => {
      if (message === null) {
        // The queue was deleted: start again on a new channel.
        deletedAtMs = performance.now();
        void closeChannel(channel);
      } else if (stopping.signal.aborted) {
        quietly(() => channel.nack(message, false, true));
      } else {
        const work = take(message, channel, stopping.signal).finally(() => running.delete(work));
        running.add(work);
      }
    });
    current = { channel, consumerTag };
    if (stopping.signal.aborted) await closeChannel(channel);
    return channel;
  };
  const kept = connection.keep(open, stopping.signal);

  return {
    queue,
    get isTaking() {
      return current !== undefined && !stopping.signal.aborted;
    },
    stop: async () => {
      stopping.abort();
      const last = current;
      if (last) await inTimeForGoodbye(last.channel.cancel(last.consumerTag));
      while (running.size > 0) await Promise.all(running);
      if (last) await closeChannel(last.channel);
      await kept;
    },
  };
}

/** On a channel that was lost meanwhile there is nothing to say: the server hands the message out again. */
export function quietly(say: () => void): void {
  try {
    say();
  } catch {
    // See above.
  }
}
