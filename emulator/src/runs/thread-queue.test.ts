// Questions that are computed in a thread, one after the other, whatever becomes of the one before.
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { ThreadQueue } from './thread-queue.ts';

/** Answers with what it was asked; ends itself, or never answers, where it is told to. */
const module = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (task) => {
      if (task.fails) process.exit(1);
      if (!task.hangs) parentPort.postMessage(task);
    });`)}`,
);
const open: ThreadQueue<object>[] = [];
afterEach(() => {
  for (const queue of open.splice(0)) queue.close();
});

function begin() {
  const queue = new ThreadQueue<object>({
    start: () => new Worker(module),
    idleMs: 60_000,
    what: 'The sum',
    code: 'sum_failed',
  });
  open.push(queue);
  const ask = (task: object, withinMs = 60_000) => queue.ask(() => ({ task, withinMs }));
  return { queue, ask };
}

test('one thread answers all, each when its turn comes', async () => {
  const { queue, ask } = begin();
  const made: number[] = [];
  const replies = [1, 2, 3].map(
    (n) =>
      queue.ask(() => {
        made.push(n);
        return { task: { n }, withinMs: 60_000 };
      }).reply,
  );
  expect(made).toEqual([1]);
  expect(await Promise.all(replies)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(await ask({ n: 4 }).reply).toEqual({ n: 4 });
  expect(queue.threads).toBe(1);
});

test('a question that ends its thread, or takes too long, fails alone', async () => {
  const { queue, ask } = begin();
  const replies = [ask({ fails: true }), ask({ n: 1 }), ask({ hangs: true }, 1), ask({ n: 2 })].map(
    ({ reply }) => reply,
  );
  expect(await Promise.all(replies)).toEqual([
    { error: { code: 'sum_failed', detail: 'The sum could not be computed' } },
    { n: 1 },
    { error: { code: 'sum_failed', detail: 'The sum took too long' } },
    { n: 2 },
  ]);
  expect(queue.threads).toBe(3);
});

test('who leaves is answered at once, and nobody behind is', async () => {
  const { queue, ask } = begin();
  const left = { error: { code: 'left', detail: '' } };
  const [first, second, third] = [ask({ hangs: true }), ask({ hangs: true }), ask({ n: 3 })];
  second.leave(left);
  expect(await second.reply).toBe(left);
  expect(queue.size).toBe(2);
  first.leave(left);
  expect(await first.reply).toBe(left);
  expect(await third.reply).toEqual({ n: 3 });
  first.leave(left);
  expect(await ask({ n: 4 }).reply).toEqual({ n: 4 });
});

test('what waits when it is closed is told that the run has ended, and starts no thread', async () => {
  const { queue, ask } = begin();
  const replies = [ask({ hangs: true }).reply, ask({ n: 1 }).reply];
  queue.close();
  const ended = { error: { code: 'sum_failed', detail: 'The run has ended' } };
  expect(await Promise.all(replies)).toEqual([ended, ended]);
  expect([queue.size, queue.threads]).toEqual([0, 1]);
});
