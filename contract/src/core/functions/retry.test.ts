import { expect, test } from 'vitest';
import { retry } from './back-off.ts';

test('what fails is tried again until it works, or until an error is final', async () => {
  const errors: unknown[] = [];
  const pauseAfter = (error: unknown) => {
    errors.push(error);
    return error === 'final' ? undefined : 0;
  };
  let attempts = 0;
  const work = () => (++attempts < 3 ? Promise.reject(attempts) : Promise.resolve('done'));
  expect(await retry(work, { pauseAfter })).toBe('done');
  expect(errors).toEqual([1, 2]);
  await expect(retry(() => Promise.reject('final'), { pauseAfter })).rejects.toBe('final');
});

test('the signal ends it with its reason, before an attempt and in a pause; a final error comes first', async () => {
  const reason = new Error('stopping');
  let attempts = 0;
  const work = async () => {
    attempts++;
    throw new Error('no luck');
  };
  const inPause = new AbortController();
  const pausing = retry(work, {
    signal: inPause.signal,
    pauseAfter: () => {
      queueMicrotask(() => inPause.abort(reason));
      return 1_000_000;
    },
  });
  await expect(pausing).rejects.toBe(reason);
  await expect(retry(work, { signal: inPause.signal, pauseAfter: () => 0 })).rejects.toBe(reason);
  expect(attempts).toBe(1);
  const atWork = new AbortController();
  const final = async () => {
    atWork.abort(reason);
    throw new Error('no luck');
  };
  await expect(retry(final, { signal: atWork.signal, pauseAfter: () => undefined })).rejects.toThrow('no luck');
});
