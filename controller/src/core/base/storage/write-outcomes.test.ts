import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConflictError, TryLaterError } from '../errors.ts';
import { WriteOutcomes } from './write-outcomes.ts';

const full = new TryLaterError(503, 'disk_full', 'full', 10);

function start() {
  const clock = { ms: 5_000_000 };
  const told: unknown[] = [];
  const writes = new WriteOutcomes({ onRefused: (refusal) => told.push(refusal), now: () => clock.ms });
  const pass = (stored: number, refused: number) => {
    for (let n = 0; n < stored; n++) writes.stored();
    for (let n = 0; n < refused; n++) writes.failed(full);
  };
  return { clock, told, writes, pass };
}

test('at any time: refused if more than a fifth of at least ten writes of the last ten seconds were', () => {
  const step = fc.record({ seconds: fc.integer({ min: 0, max: 4 }), stored: fc.nat(12), refused: fc.nat(6) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { clock, writes, pass } = start();
      const passed: { second: number; stored: number; refused: number }[] = [];
      for (const { seconds, stored, refused } of steps) {
        clock.ms += seconds * 1000;
        pass(stored, refused);
        passed.push({ second: clock.ms / 1000, stored, refused });
        const recent = passed.filter(({ second }) => second > clock.ms / 1000 - 10);
        const sums = recent.reduce(
          (sum, each) => [sum[0]! + each.stored + each.refused, sum[1]! + each.refused],
          [0, 0],
        );
        const isRefused = sums[0]! >= 10 && sums[1]! > sums[0]! / 5;
        expect(writes.refusal).toEqual(
          isRefused ? { code: 'disk_full', writes: sums[0], refused: sums[1] } : undefined,
        );
      }
    }),
  );
});

test('it is told once a minute, with the code, while it lasts', () => {
  const { clock, told, pass } = start();
  for (let second = 0; second < 150; second++) {
    clock.ms += 1000;
    pass(2, 2);
  }
  expect(told).toHaveLength(3);
  expect(told[0]).toMatchObject({ code: 'disk_full' });
});

test('what is refused for another reason than storage is an answer', async () => {
  const { writes } = start();
  const errors = [
    new ConflictError('taken', 'taken'),
    new TryLaterError(429, 'too_many', 'budget', 1),
    new Error('a bug'),
  ];
  for (let n = 0; n < 30; n++) {
    await expect(writes.watch(Promise.reject(errors[n % 3]))).rejects.toBe(errors[n % 3]);
  }
  expect([writes.refusal, writes.refusedTotal]).toEqual([undefined, 0]);
});
