// Half an hour of mixed load on one Weft: nothing grows. `npm run soak` is the same for two hours. WEFT_SOAK_MINUTES is for
// whoever has less time.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf, type SoakSample, soak } from '../../bench/harness/soak.ts';
import { report } from '../outage.ts';
import { temporaryFolder } from '../weft-process.ts';

const minutes = Number(process.env.WEFT_SOAK_MINUTES ?? 30);

test('nothing grows in half an hour', { timeout: (minutes + 10) * 60_000 }, async () => {
  const result = await soak(join(temporaryFolder(), 'soak'), minutes, new AbortController().signal);
  report(`soak: ${JSON.stringify(result.samples.at(-1))}`);
  expect(result.problems).toEqual([]);
  expect(result.minutes).toBeGreaterThanOrEqual(minutes);
});

/** Half an hour of samples, ten seconds apart. */
const course = (change: (index: number) => Partial<SoakSample>): SoakSample[] =>
  Array.from({ length: 180 }, (_, index) => {
    const steady = {
      start: 1,
      minutes: index / 6,
      memoryMiB: 150,
      descriptors: 80,
      diskMiB: 70,
      lagMs: 12,
      ownLagMs: 12,
    };
    return { ...steady, points: index * 4_000, failures: 0, ...change(index) };
  });

test.each([
  ['nothing', () => ({}), /^$/],
  ['a memory that comes and goes', (index: number) => ({ memoryMiB: 150 + (index % 10) * 5 }), /^$/],
  ['a leak of memory', (index: number) => ({ memoryMiB: 150 + index / 3 }), /memoryMiB grew/],
  ['a leak of descriptors', (index: number) => ({ descriptors: 80 + Math.floor(index / 6) }), /descriptors grew/],
  ['a loop that is ever later', (index: number) => ({ lagMs: 12 + index / 4 }), /lagMs grew/],
  ['a machine that is ever busier', (index: number) => ({ lagMs: 12 + index / 4, ownLagMs: 12 + index / 5 }), /^$/],
  ['a disk that fills', (index: number) => ({ diskMiB: 70 + index }), /bytes on disk a point/],
  ['requests that fail', () => ({ failures: 3 }), /3 requests failed/],
])('%s is told', (_, change, expected) => {
  expect(problemsOf(course(change)).join('\n')).toMatch(expected);
});
