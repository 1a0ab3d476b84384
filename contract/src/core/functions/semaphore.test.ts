import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

test('no more than its permits are at work at once, and the others follow in order of arrival', async () => {
  const semaphore = new Semaphore(2);
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const started: number[] = [];
  const runs = ends.map(({ promise }, index) =>
    semaphore.run(async () => {
      started.push(index);
      await promise;
      return index;
    }),
  );
  await Promise.resolve();
  expect([started, semaphore.hasFree, semaphore.waiting]).toEqual([[0, 1], false, 2]);
  ends[1]!.resolve();
  expect(await runs[1]).toBe(1);
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of ends) resolve();
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
  expect([semaphore.hasFree, semaphore.waiting]).toEqual([true, 0]);
});

test('a permit comes back from work that fails', async () => {
  const semaphore = new Semaphore(1);
  await expect(semaphore.run(() => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
  expect(semaphore.hasFree).toBe(true);
});

test('who is called off while waiting throws the reason and takes no permit', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire();
  const calledOff = new AbortController();
  const waiting = semaphore.acquire(calledOff.signal);
  const next = semaphore.acquire();
  calledOff.abort(new Error('never mind'));
  await expect(waiting).rejects.toThrow('never mind');
  await expect(semaphore.acquire(calledOff.signal)).rejects.toThrow('never mind');
  semaphore.release();
  await next;
  semaphore.release();
  expect(semaphore.hasFree).toBe(true);
});
