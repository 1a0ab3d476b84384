// What every broker promises, one test a sentence. Run for each backend by broker.contract.test.ts.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Broker,
  type BrokerEvent,
  type BrokerOptions,
  type DeadLetter,
  type Delivery,
  RejectMessage,
} from './broker.ts';

export interface BrokerFixture {
  /** Whether queues are there for whoever opens the broker later; else they are new, and it says so. */
  isDurable: boolean;
  /** On the same queues each time. */
  open(options?: Partial<BrokerOptions>): Broker;
  /** Closes all that was opened, and removes everything. */
  remove(): Promise<void>;
}

export const QUEUES = ['work', 'other'];
export const DELIVERY_LIMIT = 3;
const soon = { timeout: 180_000, interval: 5 };
/** Longer than anything takes that could still be under way. */
const quietMs = 150;

export const textOf = ({ body }: Pick<Delivery, 'body'>) => new TextDecoder().decode(body);

export function describeBroker(createFixture: () => Promise<BrokerFixture>): void {
  let fixture: BrokerFixture;
  let broker: Broker;

  beforeEach(async () => {
    fixture = await createFixture();
    broker = fixture.open();
  });
  afterEach(() => fixture.remove());

  /** Somebody opens the broker later, if its queues last until then. */
  const reopen = async () => {
    if (!fixture.isDurable) return;
    await broker.close();
    broker = fixture.open();
  };
  const publish = (id: string, queue = 'work', expiresInMs?: number) =>
    broker.publish(queue, Buffer.from(`body of ${id}`), { id, ...(expiresInMs !== undefined && { expiresInMs }) });

  /** Everything that the queue hands out from now on. */
  const collect = async (from = broker, queue = 'work') => {
    const deliveries: Delivery[] = [];
    const consumer = await from.consume(queue, { prefetch: 10 }, async (delivery) => void deliveries.push(delivery));
    return { deliveries, ids: () => deliveries.map(({ id }) => id), consumer };
  };
  const collectDeadLetters = async (from = broker) => {
    const letters: DeadLetter[] = [];
    await from.consumeDeadLetters(async (letter) => void letters.push(letter));
    return letters;
  };
  /** Nothing but time can show that something does not happen. */
  const expectNever = async (isSo: () => boolean) => {
    const end = performance.now() + quietMs;
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(end), soon);
    expect(isSo()).toBe(false);
  };

  describe('publish', () => {
    test('resolves when the message is in its queue: if queues last, for whoever opens the broker later too', async () => {
      await publish('a');
      await reopen();
      const { deliveries } = await collect();
      await vi.waitFor(() => expect(deliveries.length).toBe(1), soon);
      expect(deliveries[0]).toMatchObject({ id: 'a', redeliveries: 0 });
      expect(textOf(deliveries[0]!)).toBe('body of a');
    });

    test('takes any bytes, and none', async () => {
      const bodies = [new Uint8Array(), Uint8Array.from({ length: 256 }, (_, n) => n), Buffer.alloc(300_000, 7)];
      for (const [n, body] of bodies.entries()) await broker.publish('work', body, { id: `${n}` });
      const { deliveries } = await collect();
      await vi.waitFor(() => expect(deliveries.length).toBe(3), soon);
      for (const [n, body] of bodies.entries()) expect(Buffer.compare(deliveries[n]!.body, body)).toBe(0);
    });

    test('does not need the bytes any more once it has resolved', async () => {
      const body = Buffer.from('before');
      await broker.publish('work', body, { id: 'a' });
      body.fill('x');
      const { deliveries } = await collect();
      await vi.waitFor(() => expect(deliveries.map(textOf)).toEqual(['before']), soon);
    });

    test('the same id may be published again', async () => {
      await publish('a');
      await publish('a');
      const { ids } = await collect();
      await vi.waitFor(() => expect(ids()).toEqual(['a', 'a']), soon);
    });

    test('many at once are all there, in order', async () => {
      const names = Array.from({ length: 200 }, (_, n) => `m${n}`);
      await Promise.all(names.map((id) => publish(id)));
      expect(await broker.depth('work')).toMatchObject({ ready: 200 });
      const { ids } = await collect();
      await vi.waitFor(() => expect(ids()).toEqual(names), soon);
    });

    test('any other name is a mistake and throws at once', async () => {
      await expect(publish('a', 'nowhere')).rejects.toThrow('nowhere');
      await expect(collect(broker, 'nowhere')).rejects.toThrow('nowhere');
      await expect(broker.depth('nowhere')).rejects.toThrow('nowhere');
    });

    test('throws BrokerUnavailable once the queue is full, until there is room again', async () => {
      await broker.close();
      await fixture.remove();
      fixture = await createFixture();
      broker = fixture.open({ maxLength: 10 });
      const fill = async () => {
        for (let n = 0; n < 1000; n++) await publish(`m${n}`);
      };
      await expect(fill()).rejects.toMatchObject({ name: 'BrokerUnavailable' });
      await publish('elsewhere', 'other');
      const { ids, consumer } = await collect();
      await vi.waitFor(() => expect(ids().length).toBeGreaterThanOrEqual(10), soon);
      await consumer.stop();
      await vi.waitFor(() => publish('again'), soon);
    });

    test('throws BrokerUnavailable once it is closed', async () => {
      await broker.close();
      await expect(publish('a')).rejects.toMatchObject({ name: 'BrokerUnavailable' });
      await expect(broker.check()).rejects.toMatchObject({ name: 'BrokerUnavailable' });
    });
  });

  describe('expiresInMs', () => {
    test('removes the message from its queue and makes it a dead letter, with or without a consumer', async () => {
      const letters = await collectDeadLetters();
      await publish('a', 'work', 30);
      await vi.waitFor(() => expect(letters.length).toBe(1), soon);
      expect(letters[0]).toMatchObject({ id: 'a', queue: 'work', reason: 'expired' });
      expect(textOf(letters[0]!)).toBe('body of a');
      const { ids } = await collect();
      await publish('b', 'work', 60_000);
      await vi.waitFor(() => expect(ids()).toEqual(['b']), soon);
    });
  });

  describe('consume', () => {
    test('hands out the messages of its queue and of no other, oldest first', async () => {
      await publish('a');
      await publish('x', 'other');
      await publish('b');
      const [work, other] = [await collect(), await collect(broker, 'other')];
      await publish('c');
      await vi.waitFor(() => expect([work.ids(), other.ids()]).toEqual([['a', 'b', 'c'], ['x']]), soon);
    });

    test('never puts more than `prefetch` into the hands of a consumer', async () => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await publish(id);
      const gates: (() => void)[] = [];
      await broker.consume('work', { prefetch: 2 }, () => new Promise((resolve) => gates.push(resolve)));
      await vi.waitFor(() => expect(gates.length).toBe(2), soon);
      await expectNever(() => gates.length > 2);
      expect(await broker.depth('work')).toMatchObject({ ready: 3 });
      gates[0]!();
      await vi.waitFor(() => expect(gates.length).toBe(3), soon);
      for (let n = 1; n < 5; n++) {
        await vi.waitFor(() => expect(gates.length).toBeGreaterThan(n), soon);
        gates[n]!();
      }
      await vi.waitFor(async () => expect(await broker.depth('work')).toMatchObject({ ready: 0 }), soon);
    });

    test('hands a message to one of the consumers, and lets all of them work', async () => {
      const taken: [number, string][] = [];
      const gates: (() => void)[] = [];
      for (const which of [1, 2]) {
        await broker.consume('work', { prefetch: 1 }, ({ id }) => {
          taken.push([which, id]);
          return new Promise((resolve) => gates.push(resolve));
        });
      }
      for (const id of ['a', 'b']) await publish(id);
      await vi.waitFor(() => expect(taken.map(([, id]) => id).sort()).toEqual(['a', 'b']), soon);
      expect(new Set(taken.map(([which]) => which)).size).toBe(2);
      for (const open of gates) open();
    });

    test('removes the message when the handler resolves', async () => {
      await publish('a');
      const { ids, consumer } = await collect();
      await vi.waitFor(() => expect(ids()).toEqual(['a']), soon);
      await consumer.stop();
      await reopen();
      const again = await collect();
      await publish('b');
      await vi.waitFor(() => expect(again.ids()).toEqual(['b']), soon);
    });

    test('hands it out again if the handler throws, in whichever way, and says how often it was before', async () => {
      await publish('a');
      const seen: number[] = [];
      await broker.consume('work', { prefetch: 1 }, ({ redeliveries }) => {
        seen.push(redeliveries);
        if (redeliveries === 0) throw new Error('at once');
        return redeliveries === 1 ? Promise.reject(new Error('later')) : Promise.resolve();
      });
      await vi.waitFor(() => expect(seen).toEqual([0, 1, 2]), soon);
      await expectNever(() => seen.length > 3);
    });

    test('makes it a dead letter after it was handed out deliveryLimit + 1 times; others go on', async () => {
      const letters = await collectDeadLetters();
      const seen: string[] = [];
      await publish('poison');
      await broker.consume('work', { prefetch: 1 }, async ({ id }) => {
        seen.push(id);
        if (id === 'poison') throw new Error('never');
      });
      await vi.waitFor(() => expect(letters.length).toBe(1), soon);
      expect(letters[0]).toMatchObject({ id: 'poison', queue: 'work', reason: 'delivery_limit' });
      expect(textOf(letters[0]!)).toBe('body of poison');
      expect(seen).toEqual(Array.from({ length: DELIVERY_LIMIT + 1 }, () => 'poison'));
      await publish('good');
      await vi.waitFor(() => expect(seen.at(-1)).toBe('good'), soon);
    });

    test('makes it a dead letter at once if the handler throws RejectMessage', async () => {
      const letters = await collectDeadLetters();
      let count = 0;
      await publish('bad', 'other');
      await broker.consume('other', { prefetch: 1 }, async () => {
        count++;
        throw new RejectMessage('no such work');
      });
      await vi.waitFor(() => expect(letters).toMatchObject([{ id: 'bad', queue: 'other', reason: 'rejected' }]), soon);
      expect(count).toBe(1);
      expect(await broker.depth('other')).toMatchObject({ ready: 0 });
    });
  });

  describe('queue_lost', () => {
    const openAgain = async () => {
      const lost: (string | undefined)[] = [];
      await broker.close();
      broker = fixture.open({ onEvent: ({ kind, queue }) => kind === 'queue_lost' && lost.push(queue) });
      return lost;
    };

    test('tells of each queue that was made anew, and of none that was there', async () => {
      // Made by the one that was opened first, if it was faster than its end.
      await vi.waitFor(() => broker.check(), soon);
      const lost = await openAgain();
      await vi.waitFor(() => broker.check(), soon);
      if (fixture.isDurable) await expectNever(() => lost.length > 0);
      else await vi.waitFor(() => expect(lost).toEqual(QUEUES), soon);
    });

    test('is told when the queue is missing', async () => {
      await fixture.remove();
      const lost = await openAgain();
      await vi.waitFor(() => expect(lost).toEqual(QUEUES), soon);
    });
  });

  describe('stop', () => {
    test('takes no more messages, resolves when the handlers have ended, and may be repeated', async () => {
      const gate = Promise.withResolvers<void>();
      const seen: string[] = [];
      const consumer = await broker.consume('work', { prefetch: 2 }, async ({ id }) => {
        seen.push(id);
        await gate.promise;
      });
      await publish('a');
      await vi.waitFor(() => expect(seen).toEqual(['a']), soon);
      let isStopped = false;
      const stopping = consumer.stop().then(() => {
        isStopped = true;
      });
      await publish('b');
      await expectNever(() => isStopped || seen.includes('b'));
      gate.resolve();
      await stopping;
      await consumer.stop();
      await expectNever(() => seen.length > 1);
      // The first was done, the second waits for somebody else.
      const { ids } = await collect();
      await vi.waitFor(() => expect(ids()).toEqual(['b']), soon);
    });
  });

  describe('consumeDeadLetters', () => {
    const bury = async (id: string) => {
      await publish(id);
      const seen: string[] = [];
      const consumer = await broker.consume('work', { prefetch: 1 }, async (delivery) => {
        seen.push(delivery.id);
        throw new RejectMessage('no');
      });
      await vi.waitFor(() => expect(seen).toContain(id), soon);
      await consumer.stop();
    };

    test('keeps them until somebody takes them, across a restart if queues last, and then no more', async () => {
      await bury('a');
      await reopen();
      const letters: string[] = [];
      const consumer = await broker.consumeDeadLetters(async ({ id }) => void letters.push(id));
      await vi.waitFor(() => expect(letters).toEqual(['a']), soon);
      await consumer.stop();
      await reopen();
      const none = await collectDeadLetters();
      await bury('b');
      await vi.waitFor(() => expect(none.map(({ id }) => id)).toEqual(['b']), soon);
    });

    test('tries again after the handler throws, as often as it takes', async () => {
      const seen: string[] = [];
      await broker.consumeDeadLetters(async ({ id }) => {
        seen.push(id);
        if (seen.length < 4) throw new Error('not now');
      });
      await bury('a');
      await vi.waitFor(() => expect(seen).toEqual(['a', 'a', 'a', 'a']), soon);
      await bury('b');
      await vi.waitFor(() => expect(seen.at(-1)).toBe('b'), soon);
    });

    test('hands each to one consumer', async () => {
      const [one, two] = [await collectDeadLetters(), await collectDeadLetters()];
      for (const id of ['a', 'b', 'c']) await bury(id);
      await vi.waitFor(() => expect([...one, ...two].map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']), soon);
    });

    test('can be stopped while a handler keeps failing; the letter stays', async () => {
      let count = 0;
      const consumer = await broker.consumeDeadLetters(async () => {
        count++;
        throw new Error('never');
      });
      await bury('a');
      await vi.waitFor(() => expect(count).toBeGreaterThan(0), soon);
      await consumer.stop();
      const letters = await collectDeadLetters();
      await vi.waitFor(() => expect(letters.map(({ id }) => id)).toEqual(['a']), soon);
    });

    test('each is told as an event', async () => {
      const events: BrokerEvent[] = [];
      await broker.close();
      broker = fixture.open({ onEvent: (event) => events.push(event) });
      await collectDeadLetters();
      await bury('a');
      await vi.waitFor(() => expect(events.map(({ kind }) => kind)).toContain('dead_letter'), soon);
      expect(events.find(({ kind }) => kind === 'dead_letter')).toMatchObject({ queue: 'work' });
    });
  });

  describe('broadcast and listen', () => {
    test('a gap is reported after the first connection, and nobody hears itself', async () => {
      const [onNews, onGap] = [vi.fn(), vi.fn()];
      broker.listen(onNews, onGap);
      await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(1), soon);
      broker.broadcast('hello');
      await expectNever(() => onNews.mock.calls.length > 0);
    });

    test('never throws, not even once it is closed', async () => {
      await broker.close();
      expect(() => broker.broadcast('hello')).not.toThrow();
    });
  });

  describe('depth', () => {
    test('counts what waits, and cannot tell once it is closed', async () => {
      await vi.waitFor(async () => expect(await broker.depth('work')).toMatchObject({ ready: 0 }), soon);
      await publish('a');
      await publish('b');
      expect(await broker.depth('work')).toMatchObject({ ready: 2 });
      expect(await broker.depth('other')).toMatchObject({ ready: 0 });
      await broker.close();
      expect(await broker.depth('work')).toBeUndefined();
    });

    test('counts who takes from a queue, and `consuming` those of this broker', async () => {
      const counts = async () => [(await broker.depth('work'))?.consumers, broker.consuming('work')];
      await vi.waitFor(async () => expect(await counts()).toEqual([0, 0]), soon);
      const mine = [await collect(), await collect()];
      await collect(broker, 'other');
      await vi.waitFor(async () => expect(await counts()).toEqual([2, 2]), soon);
      await mine[0]!.consumer.stop();
      await vi.waitFor(async () => expect(await counts()).toEqual([1, 1]), soon);
      if (!fixture.isDurable) return;
      const stranger = fixture.open();
      const { consumer } = await collect(stranger);
      await vi.waitFor(async () => expect(await counts()).toEqual([2, 1]), soon);
      expect(stranger.consuming('work')).toBe(1);
      await consumer.stop();
      await vi.waitFor(async () => expect(await counts()).toEqual([1, 1]), soon);
    });

    test('counts a consumer that holds a message, which waits no more', async () => {
      await publish('a');
      const gate = Promise.withResolvers<void>();
      await broker.consume('work', { prefetch: 1 }, () => gate.promise);
      await vi.waitFor(async () => expect(await broker.depth('work')).toEqual({ ready: 0, consumers: 1 }), soon);
      gate.resolve();
    });
  });

  describe('close', () => {
    test('resolves when handlers under way have ended; what was not done stays in queues that last', async () => {
      const gate = Promise.withResolvers<void>();
      const seen: string[] = [];
      await broker.consume('work', { prefetch: 2 }, async ({ id }) => {
        seen.push(id);
        await gate.promise;
        if (id === 'b') throw new Error('not done');
      });
      for (const id of ['a', 'b', 'c']) await publish(id);
      await vi.waitFor(() => expect(seen).toEqual(['a', 'b']), soon);
      let isClosed = false;
      const closing = broker.close().then(() => {
        isClosed = true;
      });
      await expectNever(() => isClosed);
      gate.resolve();
      await closing;
      if (!fixture.isDurable) return;
      broker = fixture.open();
      const { ids } = await collect();
      await vi.waitFor(() => expect(ids().sort()).toEqual(['b', 'c']), soon);
    });

    test('may be repeated', async () => {
      await broker.check();
      await broker.close();
      await broker.close();
    });
  });
}
