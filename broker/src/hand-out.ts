// Which waiting message of the embedded broker goes to which consumer: the oldest first, to the one with the most room.
import type { ConsumeOptions, DeadLetter, Delivery, Handler } from './broker.ts';
import type { MessageFile, StoredMessage } from './message-file.ts';

export interface Subscription {
  queue: string;
  options: ConsumeOptions;
  handler: Handler<Delivery>;
  running: Set<Promise<void>>;
  isStopped: boolean;
}

/** Takes as many messages as the consumers have room for. One that was handed out too often goes to `bury`. */
export function handOut(
  file: MessageFile,
  subscriptions: ReadonlySet<Subscription>,
  deliveryLimit: number,
  bury: (message: StoredMessage, reason: DeadLetter['reason']) => void,
): [Subscription, StoredMessage][] {
  const handedOut: [Subscription, StoredMessage][] = [];
  const free = new Map([...subscriptions].map((each) => [each, freeOf(each)]));
  const freest = (queue: string) =>
    [...free].filter(([each, room]) => each.queue === queue && room > 0).sort(([, a], [, b]) => b - a)[0]?.[0];
  for (const queue of new Set([...subscriptions].map((each) => each.queue))) {
    for (let to = freest(queue); to !== undefined; to = freest(queue)) {
      const [message] = file.take(queue, 1);
      if (message === undefined) break;
      // Handed out for the last time by a process that died of it.
      if (message.deliveries > deliveryLimit + 1) {
        bury(message, 'delivery_limit');
        continue;
      }
      handedOut.push([to, message]);
      free.set(to, free.get(to)! - 1);
    }
  }
  return handedOut;
}

function freeOf({ isStopped, options, running }: Subscription): number {
  return isStopped ? 0 : options.prefetch - running.size;
}
