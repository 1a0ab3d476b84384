import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProcessorSharing } from './processor-sharing.ts';

interface Job {
  start: number;
  arrivals: { at: number; work: number }[];
}

function play(jobs: readonly Job[], capacity: number) {
  const sharing = new ProcessorSharing();
  sharing.begin();
  for (const { start, arrivals } of jobs) {
    const job = sharing.add(start);
    for (const { at, work } of arrivals) sharing.arrive(job, at, work);
  }
  sharing.play(capacity);
  return jobs.map((_, job) => ({
    left: sharing.leftOf(job),
    served: sharing.servedOf(job),
    waited: sharing.waitedOf(job),
    busy: sharing.busyOf(job),
  }));
}

const work = fc.double({ min: 0, max: 1, noNaN: true });
const someJobs = fc.array(
  fc.record({
    start: work,
    arrivals: fc.array(fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), work }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);

test('by hand: one alone, then two together', () => {
  // 0.4 of work from the beginning; 0.2 come to another at 0.2: both have 0.2 left then, and share until 0.6.
  const [first, second] = play(
    [
      { start: 0.4, arrivals: [] },
      { start: 0, arrivals: [{ at: 0.2, work: 0.2 }] },
    ],
    1,
  );
  expect(first!.busy).toBeCloseTo(0.6, 12);
  expect(second!.busy).toBeCloseTo(0.4, 12);
  expect(first!.waited).toBeCloseTo(0.2 * 0.3 + 0.4 * 0.1, 12);
  expect(second!.waited).toBeCloseTo(0.4 * 0.1, 12);
  expect([first!.left, second!.left]).toEqual([0, 0]);
});

describe('laws', () => {
  test('nothing is lost, and the server never idles while there is work', () => {
    fc.assert(
      fc.property(someJobs, fc.double({ min: 0, max: 1, noNaN: true }), (jobs, capacity) => {
        const results = play(jobs, capacity);
        let [busy, served] = [0, 0];
        for (const [n, { left, served: done, busy: had }] of results.entries()) {
          const all = jobs[n]!.start + jobs[n]!.arrivals.reduce((sum, { work }) => sum + work, 0);
          expect(left + done).toBeCloseTo(all, 9);
          busy = Math.max(busy, had);
          served += done;
        }
        expect(served).toBeGreaterThanOrEqual(capacity * busy - 1e-9);
        expect(served).toBeLessThanOrEqual(capacity + 1e-9);
      }),
    );
  });

  test('with less capacity, or more work of another, nobody is served more or waits less', () => {
    fc.assert(
      fc.property(someJobs, work, work, work, (jobs, capacity, less, more) => {
        const before = play(jobs, capacity);
        for (const after of [play(jobs, capacity * less), play([...jobs, { start: more, arrivals: [] }], capacity)]) {
          for (const [n, { served, waited }] of before.entries()) {
            expect(after[n]!.served).toBeLessThanOrEqual(served + 1e-9);
            expect(after[n]!.waited).toBeGreaterThanOrEqual(waited - 1e-9);
          }
        }
      }),
    );
  });
});
