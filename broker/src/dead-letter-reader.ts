// Hands out the dead letters of the embedded broker, one after the other, each until its handler has taken it.
import { BackOff } from '@weft/contract/back-off';
import type { Consumer, DeadLetter, Handler } from './broker.ts';
import { retryPauses } from './broker.ts';

export interface DeadLetterSource {
  /** The oldest that is in nobody's hand; throws while the file cannot be read. */
  next(): (DeadLetter & { seq: number }) | undefined;
  remove(seq: number): void;
  /** By `seq`; shared by all readers. */
  inHand: Set<number>;
  /** Called when there may be new ones. */
  wakers: Set<() => void>;
  handler: Handler<DeadLetter>;
}

export function readDeadLetters({ next, remove, inHand, wakers, handler }: DeadLetterSource): Consumer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const backOff = new BackOff(retryPauses);
  let news = Promise.withResolvers<void>();
  const wake = () => news.resolve();
  wakers.add(wake);
  signal.addEventListener('abort', wake);

  const handOne = async () => {
    const letter = next();
    if (letter === undefined) {
      await news.promise;
      return;
    }
    const { seq, ...content } = letter;
    inHand.add(seq);
    try {
      await handler(content);
      remove(seq);
    } finally {
      inHand.delete(seq);
    }
  };
  const work = async () => {
    while (!signal.aborted) {
      news = Promise.withResolvers();
      try {
        await handOne();
        backOff.reset();
      } catch {
        await backOff.pause(signal);
      }
    }
  };
  // After the caller has its consumer.
  const ended = Promise.resolve().then(work);
  return {
    stop: async () => {
      stopping.abort();
      wakers.delete(wake);
      await ended;
    },
  };
}
