import { expect, test } from 'vitest';
import { SharedAsks } from './coverage-service.ts';

function open() {
  const asks = new SharedAsks<number>();
  const begun: { signal: AbortSignal; resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
  const ask = (key: string, gone: AbortSignal = new AbortController().signal) =>
    asks.ask(key, gone, (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      begun.push({ signal, resolve, reject });
      return promise;
    });
  return { ask, begun };
}

test('equal questions that are open together are asked once; a later one is asked anew', async () => {
  const { ask, begun } = open();
  const both = Promise.all([ask('a'), ask('a'), ask('b')]);
  expect(begun.length).toBe(2);
  begun[0]!.resolve(1);
  begun[1]!.resolve(2);
  expect(await both).toEqual([1, 1, 2]);
  const later = ask('a');
  begun[2]!.resolve(3);
  expect(await later).toBe(3);
});

test('a failure is everybody’s', async () => {
  const { ask, begun } = open();
  const both = Promise.allSettled([ask('a'), ask('a')]);
  begun[0]!.reject(new Error('no'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('who leaves is answered at once; the question is given up when the last one has left', async () => {
  const { ask, begun } = open();
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = [ask('a', first.signal), ask('a', second.signal)];
  first.abort();
  await expect(asked[0]).rejects.toMatchObject({ code: 'caller_gone' });
  expect(begun[0]!.signal.aborted).toBe(false);
  second.abort();
  await expect(asked[1]).rejects.toMatchObject({ status: 503 });
  expect(begun[0]!.signal.aborted).toBe(true);
  const next = ask('a');
  begun[1]!.resolve(4);
  expect(await next).toBe(4);
});
