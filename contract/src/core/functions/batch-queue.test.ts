import { expect, test } from 'vitest';
import { BatchQueue, type BatchQueueOptions } from './batch-queue.ts';

/** A queue whose writes end when the test says so; a negative number fails its batch. */
function open(options: Pick<BatchQueueOptions<number, string>, 'take' | 'pauseMs'> = {}) {
  const writes: { items: readonly number[]; end: () => void }[] = [];
  const queue = new BatchQueue<number, string>({
    write: async (items) => {
      await new Promise<void>((end) => writes.push({ items, end }));
      if (items.some((item) => item < 0)) throw new Error(`not ${items}`);
      return items.map((item) => `done ${item}`);
    },
    ...options,
  });
  const begun = (count: number) => expect.poll(() => writes.length, { interval: 1 }).toBe(count);
  return { queue, writes, begun };
}

test('what is added in one turn is written together, and each gets its own result', async () => {
  const { queue, writes, begun } = open();
  const results = Promise.all([1, 2, 3].map((item) => queue.add(item)));
  expect([queue.size, writes]).toEqual([3, []]);
  await begun(1);
  expect([queue.size, writes[0]!.items]).toEqual([0, [1, 2, 3]]);
  writes[0]!.end();
  expect(await results).toEqual(['done 1', 'done 2', 'done 3']);
});

test('what comes while a write is under way waits for the next one; never two at once', async () => {
  const { queue, writes, begun } = open();
  const first = queue.add(1);
  await begun(1);
  const later = [queue.add(2), queue.add(3)];
  await new Promise(setImmediate);
  expect([queue.size, writes.length]).toEqual([2, 1]);
  writes[0]!.end();
  await first;
  await begun(2);
  expect(writes[1]!.items).toEqual([2, 3]);
  writes[1]!.end();
  expect(await Promise.all(later)).toEqual(['done 2', 'done 3']);
  const again = queue.add(4);
  await begun(3);
  writes[2]!.end();
  expect(await again).toBe('done 4');
});

test('a failure is that of its batch alone', async () => {
  const { queue, writes, begun } = open();
  const failed = Promise.allSettled([queue.add(1), queue.add(-1)]);
  await begun(1);
  const next = queue.add(2);
  writes[0]!.end();
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await begun(2);
  writes[1]!.end();
  expect(await next).toBe('done 2');
});

test('`take` bounds a batch, in order; at least one is taken', async () => {
  const { queue, writes, begun } = open({ take: (waiting) => (waiting[0] === 1 ? 2 : 0) });
  const results = Promise.all([1, 2, 3].map((item) => queue.add(item)));
  await begun(1);
  writes[0]!.end();
  await begun(2);
  writes[1]!.end();
  await results;
  expect(writes.map(({ items }) => items)).toEqual([[1, 2], [3]]);
});

test('a batch gathers for as long as `pauseMs` says, or until enough have come', async () => {
  let pauseMs = 1e6;
  const { queue, writes, begun } = open({ pauseMs: (waiting) => (waiting < 3 ? pauseMs : 0) });
  const results = [queue.add(1), queue.add(2)];
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(writes).toEqual([]);
  results.push(queue.add(3), queue.add(4));
  await begun(1);
  expect(writes[0]!.items).toEqual([1, 2, 3, 4]);
  pauseMs = 5;
  results.push(queue.add(5));
  writes[0]!.end();
  await begun(2);
  expect(writes[1]!.items).toEqual([5]);
  writes[1]!.end();
  expect(await Promise.all(results)).toHaveLength(5);
});

test('idle resolves once nothing waits and nothing is written, and at once if there is nothing', async () => {
  const { queue, writes, begun } = open();
  await queue.idle();
  let isIdle = false;
  void queue.add(1);
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await begun(1);
  void queue.add(2);
  writes[0]!.end();
  await begun(2);
  expect(isIdle).toBe(false);
  writes[1]!.end();
  await idle;
});
