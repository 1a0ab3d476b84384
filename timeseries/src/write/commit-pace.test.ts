// Laws of waiting: whoever is alone does not wait, and many do not cost a flush each.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CommitPace, type PaceOptions } from './commit-pace.ts';

const flushMs = 0.3;

/** Appends that arrive at these moments: when each was durable, and how many commits that took. */
function run(arrivals: readonly number[], options?: PaceOptions): { delays: number[]; commits: number } {
  const pace = new CommitPace(options);
  const delays: number[] = [];
  let commits = 0;
  let freeAt = 0;
  for (let next = 0; next < arrivals.length; commits++) {
    const first = Math.max(arrivals[next]!, freeAt);
    let startAt = first;
    let end = next;
    const take = (until: number) => {
      while (end < arrivals.length && arrivals[end]! <= until) end++;
    };
    take(startAt);
    const deadline = first + pace.waitMs(end - next);
    while (startAt < deadline && pace.waitMs(end - next) > 0) {
      startAt = Math.min(deadline, arrivals[end] ?? deadline);
      take(startAt);
    }
    pace.begun(end - next, startAt);
    freeAt = startAt + flushMs;
    for (; next < end; next++) delays.push(freeAt - arrivals[next]!);
  }
  return { delays, commits };
}

const waited = (delays: readonly number[]) => delays.filter((delay) => delay > 2 * flushMs + 1e-6).length;

it('lets nobody wait who is alone, however often he comes', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 50, noNaN: true }), (pauseMs) => {
      const pace = new CommitPace();
      let nowMs = 0;
      let waits = 0;
      for (let append = 0; append < 3000; append++) {
        const waitMs = pace.waitMs(1);
        if (waitMs > 0) waits++;
        nowMs += waitMs;
        pace.begun(1, nowMs);
        nowMs += flushMs + pauseMs;
      }
      expect(waits).toBeLessThanOrEqual(3000 / 256 + 1);
    }),
  );
});

const anyPauses = fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 1, maxLength: 2000 });
const anyOptions = fc.record({
  waitMs: fc.integer({ min: 1, max: 20 }),
  fullGroup: fc.integer({ min: 2, max: 50 }),
  frequentPerMs: fc.double({ min: 0.05, max: 1, noNaN: true }),
});

it('never lets anybody wait for longer than its wait and two flushes, whenever others come', () => {
  fc.assert(
    fc.property(anyPauses, anyOptions, (pauses, options) => {
      let at = 0;
      const { delays } = run(
        pauses.map((pause) => (at += pause)),
        options,
      );
      expect(delays).toHaveLength(pauses.length);
      expect(Math.max(...delays)).toBeLessThanOrEqual(options.waitMs + 2 * flushMs + 1e-6);
    }),
  );
});

it('waits 4 ms unless told otherwise', () => {
  const { delays } = run(Array.from({ length: 5000 }, (_, index) => index));
  expect(Math.max(...delays)).toBeGreaterThan(4);
  expect(Math.max(...delays)).toBeLessThanOrEqual(4 + 2 * flushMs + 1e-6);
});

it.each([700, 1000, 1500])('%i appends a second, each from another, share commits', (perSecond) => {
  const arrivals = Array.from({ length: 5 * perSecond }, (_, index) => (index * 1000) / perSecond);
  const { commits } = run(arrivals);
  expect(commits / 5).toBeLessThan(300);
});

it('a few appends a second are committed at once', () => {
  const { delays } = run(Array.from({ length: 1000 }, (_, index) => index * 10));
  expect(waited(delays)).toBe(0);
});

it('where very many wait, what gathers during a flush is enough', () => {
  const { delays } = run(Array.from({ length: 50_000 }, (_, index) => index / 20));
  expect(waited(delays)).toBe(0);
});
