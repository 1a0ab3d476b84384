// What only the embedded broker can get wrong: its bounds, and the order of what comes back.
import { afterEach, expect, test, vi } from 'vitest';
import { openMemoryBroker } from './broker.memory.ts';
import { type Broker, type BrokerOptions, RejectMessage } from './broker.ts';

const soon = { timeout: 180_000, interval: 5 };
let opened: Broker[] = [];

afterEach(async () => {
  await Promise.all(opened.map((broker) => broker.close()));
  opened = [];
});

function open(options: Partial<BrokerOptions> = {}): Broker {
  const broker = openMemoryBroker({ queues: ['work'], deliveryLimit: 3, ...options });
  opened.push(broker);
  return broker;
}

const publish = (broker: Broker, id: string, expiresInMs?: number) =>
  broker.publish('work', Buffer.from(`body of ${id}`), { id, ...(expiresInMs !== undefined && { expiresInMs }) });

test('the newest dead letters are kept, and no more than a tenth of a queue', async () => {
  const broker = open({ maxLength: 30 });
  const consumer = await broker.consume('work', { prefetch: 1 }, async () => {
    throw new RejectMessage('no');
  });
  for (let n = 0; n < 10; n++) await publish(broker, `m${n}`);
  await vi.waitFor(async () => expect(await broker.depth('work')).toMatchObject({ ready: 0 }), soon);
  await consumer.stop();
  const letters: string[] = [];
  await broker.consumeDeadLetters(async ({ id }) => void letters.push(id));
  await vi.waitFor(() => expect(letters).toEqual(['m7', 'm8', 'm9']), soon);
});

test('a queue holds no more bytes than it may, those in hand included, and takes more when they are gone', async () => {
  const broker = open({ maxBytes: 100 });
  await broker.publish('work', Buffer.alloc(60), { id: 'a' });
  await expect(broker.publish('work', Buffer.alloc(60), { id: 'b' })).rejects.toThrow('is full');
  await broker.publish('work', Buffer.alloc(40), { id: 'c' });
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  await broker.consume('work', { prefetch: 2 }, async ({ id }) => {
    seen.push(id);
    await gate.promise;
  });
  await vi.waitFor(() => expect(seen).toEqual(['a', 'c']), soon);
  await expect(broker.publish('work', Buffer.alloc(1), { id: 'd' })).rejects.toThrow('is full');
  gate.resolve();
  await vi.waitFor(() => broker.publish('work', Buffer.alloc(100), { id: 'e' }), soon);
});

test('what comes back is handed out before all that was never in hand, oldest first', async () => {
  const broker = open();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const consumer = await broker.consume('work', { prefetch: 2 }, async ({ id }) => {
    seen.push(id);
    await gate.promise;
    throw new Error('not now');
  });
  for (const id of ['a', 'b', 'c', 'd']) await publish(broker, id);
  await vi.waitFor(() => expect(seen).toEqual(['a', 'b']), soon);
  const stopped = consumer.stop();
  gate.resolve();
  await stopped;
  const again: string[] = [];
  await broker.consume('work', { prefetch: 1 }, async ({ id }) => void again.push(id));
  await vi.waitFor(() => expect(again).toEqual(['a', 'b', 'c', 'd']), soon);
});

test('what came back expires as well, and what is in hand does not', async () => {
  const broker = open();
  const gate = Promise.withResolvers<void>();
  const letters: string[] = [];
  await broker.consumeDeadLetters(async ({ id, reason }) => void letters.push(`${id} ${reason}`));
  const hasBegun = vi.fn();
  const consumer = await broker.consume('work', { prefetch: 1 }, async () => {
    hasBegun();
    await gate.promise;
    throw new Error('not now');
  });
  await publish(broker, 'taken', 100);
  await vi.waitFor(() => expect(hasBegun).toHaveBeenCalled(), soon);
  await publish(broker, 'waiting', 1);
  await vi.waitFor(() => expect(letters).toEqual(['waiting expired']), soon);
  const stopped = consumer.stop();
  gate.resolve();
  await stopped;
  await vi.waitFor(() => expect(letters).toEqual(['waiting expired', 'taken expired']), soon);
  expect(await broker.depth('work')).toMatchObject({ ready: 0 });
});

test('tens of thousands of messages pass in order, in a moment and not in the square of that', async () => {
  const broker = open({ maxLength: 30_000 });
  const ids = Array.from({ length: 30_000 }, (_, n) => `${n}`);
  for (const id of ids) await publish(broker, id, 3_600_000);
  await expect(publish(broker, 'one more')).rejects.toThrow('is full');
  const seen: string[] = [];
  await broker.consume('work', { prefetch: 32 }, async ({ id }) => void seen.push(id));
  await vi.waitFor(() => expect(seen.length).toBe(ids.length), { timeout: 180_000, interval: 50 });
  expect(seen).toEqual(ids);
});
