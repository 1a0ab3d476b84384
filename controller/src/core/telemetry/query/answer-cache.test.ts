import { expect, test } from 'vitest';
import { AnswerCache } from './answer-cache.ts';

function createCounted() {
  let now = 0;
  let made = 0;
  const cache = new AnswerCache<string>(
    (text) => text.length,
    () => now,
  );
  const ask = (ap_id: string, key: string, length = 1) =>
    cache.get(ap_id, key, async () => String(++made).padEnd(length, ' '));
  return { cache, ask, made: () => made, passMs: (ms: number) => (now += ms) };
}

test('D5 identical requests of the same moment share one answer', async () => {
  const { ask, made } = createCounted();
  const answers = await Promise.all(Array.from({ length: 500 }, () => ask('ap-1', 'k')));
  expect(new Set(answers)).toEqual(new Set(['1']));
  await ask('ap-1', 'other');
  await ask('ap-2', 'k');
  expect(made()).toBe(3);
});

test('an answer is good for less than a second, and not beyond the next post of its agent', async () => {
  const { cache, ask, made, passMs } = createCounted();
  await ask('ap-1', 'k');
  passMs(999);
  await ask('ap-1', 'k');
  expect(made()).toBe(1);
  passMs(1);
  await ask('ap-1', 'k');
  expect(made()).toBe(2);
  cache.invalidate('ap-2');
  await ask('ap-1', 'k');
  expect(made()).toBe(2);
  cache.invalidate('ap-1');
  await ask('ap-1', 'k');
  expect(made()).toBe(3);
});

test('one that was begun before a post is not handed out after it', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const cache = new AnswerCache<string>((text) => text.length);
  const before = cache.get('ap-1', 'k', () => promise);
  cache.invalidate('ap-1');
  const after = cache.get('ap-1', 'k', async () => 'new');
  resolve('old');
  expect([await before, await after]).toEqual(['old', 'new']);
  expect(await cache.get('ap-1', 'k', async () => 'newer')).toBe('new');
});

test('failures and very long answers are not kept', async () => {
  const { cache, ask, made } = createCounted();
  await expect(cache.get('ap-1', 'k', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await ask('ap-1', 'k', 600_000)).toHaveLength(600_000);
  await ask('ap-1', 'k');
  expect(made()).toBe(2);
});

test('however many are asked for, few are kept', async () => {
  const { ask, made } = createCounted();
  for (let n = 0; n < 2000; n++) await ask(`ap-${n}`, 'k');
  await ask('ap-0', 'k');
  expect(made()).toBe(2000);
  await ask('ap-new', 'k');
  await ask('ap-0', 'k');
  expect(made()).toBe(2002);
});
