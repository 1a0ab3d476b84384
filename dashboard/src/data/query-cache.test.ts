// The shared answers: when they are asked for, and what stays on show when a request fails.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../api/client.ts';
import { QueryCache } from './query-cache.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function counted(answers: (() => unknown)[] = []) {
  let asked = 0;
  const fetch = async () => {
    const answer = answers[asked];
    asked++;
    return answer ? answer() : asked;
  };
  return { fetch, asked: () => asked };
}
const fails =
  (status: number, more = {}) =>
  () => {
    throw new Failure(status, 'x', 'no', more);
  };
const settle = () => vi.advanceTimersByTimeAsync(0);

it('a failure of what is asked again by itself is marked', async () => {
  const cache = new QueryCache(() => true);
  const { fetch } = counted([fails(0)]);
  cache.watch('a', { fetch });
  await settle();
  expect(cache.state('a', { fetch }).value.failure?.isOfQuery).toBe(true);
});

describe('an answer', () => {
  it('is asked for once, however many look at it', async () => {
    const cache = new QueryCache(() => true);
    const { fetch, asked } = counted();
    cache.watch('a', { fetch });
    cache.watch('a', { fetch });
    await settle();
    expect([asked(), cache.state('a', { fetch }).value.data]).toEqual([1, 1]);
  });

  it('waits before its first question where another answer says as much until then', async () => {
    const cache = new QueryCache(() => true);
    const { fetch, asked } = counted();
    const leave = cache.watch('a', { fetch, firstAfterMs: 2000 });
    await vi.advanceTimersByTimeAsync(1999);
    expect(asked()).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked()).toBe(1);
    leave();
    cache.watch('a', { fetch, firstAfterMs: 2000, pollMs: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(asked()).toBe(2);
  });

  it('is asked for again at its interval, for as long as somebody looks', async () => {
    const cache = new QueryCache(() => true);
    const { fetch, asked } = counted();
    const stop = cache.watch('a', { fetch, pollMs: 1000 });
    await vi.advanceTimersByTimeAsync(3500);
    expect(asked()).toBe(4);
    stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked()).toBe(4);
  });

  it('is there at once for whoever comes back, and renewed behind', async () => {
    const cache = new QueryCache(() => true);
    const { fetch } = counted();
    cache.watch('a', { fetch, pollMs: 1000 })();
    const stop = cache.watch('a', { fetch, pollMs: 1000 });
    await settle();
    stop();
    await vi.advanceTimersByTimeAsync(5000);
    cache.watch('a', { fetch, pollMs: 1000 });
    const state = cache.state<unknown>('a', { fetch });
    const before = state.value.data;
    expect([before, state.value.isLoading]).toEqual([expect.any(Number), true]);
    await settle();
    expect(state.value.data).not.toBe(before);
  });

  it('counts as old if whoever wanted it anew left before it came', async () => {
    const cache = new QueryCache(() => true);
    let asked = 0;
    const fetch = (signal: AbortSignal) => {
      asked++;
      return new Promise<number>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        setTimeout(resolve, 10, asked);
      });
    };
    const stop = cache.watch('a', { fetch, pollMs: 15_000 });
    await vi.advanceTimersByTimeAsync(20);
    cache.refresh('a');
    stop();
    await settle();
    cache.watch('a', { fetch, pollMs: 15_000 });
    await vi.advanceTimersByTimeAsync(20);
    expect([asked, cache.state<unknown>('a', { fetch }).value.data]).toEqual([3, 3]);
  });

  it('stays on show when a later request fails, with the failure beside it, until one succeeds', async () => {
    const cache = new QueryCache(() => true);
    const { fetch } = counted([() => 'first', fails(0), () => 'third']);
    cache.watch('a', { fetch, pollMs: 1000 });
    const state = cache.state('a', { fetch, pollMs: 1000 });
    await vi.advanceTimersByTimeAsync(1000);
    expect([state.value.data, state.value.failure?.status]).toEqual(['first', 0]);
    await vi.advanceTimersByTimeAsync(2000);
    expect([state.value.data, state.value.failure]).toEqual(['third', undefined]);
  });

  it('is not asked for again after a refusal, and not before the server said', async () => {
    const cache = new QueryCache(() => true);
    const refused = counted([fails(403)]);
    const later = counted([fails(503, { retryAfterSeconds: 20 })]);
    cache.watch('refused', { ...refused, pollMs: 1000 });
    cache.watch('later', { ...later, pollMs: 1000 });
    await vi.advanceTimersByTimeAsync(19_000);
    expect([refused.asked(), later.asked()]).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(1500);
    expect([refused.asked(), later.asked()]).toEqual([1, 2]);
  });

  it('is left alone while the page is hidden, and renewed when it shows again', async () => {
    let isActive = true;
    const cache = new QueryCache(() => isActive);
    const { fetch, asked } = counted();
    cache.watch('a', { fetch, pollMs: 1000 });
    await settle();
    isActive = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked()).toBe(1);
    isActive = true;
    cache.wake();
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toBe(3);
  });

  it('of one person is gone before the next one looks', async () => {
    const cache = new QueryCache(() => true);
    const { fetch } = counted();
    cache.watch('a', { fetch });
    await settle();
    cache.clear();
    expect(cache.state('a', { fetch }).value.data).toBeUndefined();
  });

  it('is asked for anew when something that it tells of has changed', async () => {
    const cache = new QueryCache(() => true);
    const { fetch, asked } = counted();
    cache.watch('agents:1', { fetch });
    cache.watch('users:1', { fetch });
    await settle();
    cache.refresh('agents');
    await settle();
    expect(asked()).toBe(3);
  });
});
