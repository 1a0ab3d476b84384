// Alarms of spans: laws for any history, and the examples that people think of.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { absences, alarmsOf, type Span } from './span-replay.ts';

const spansOf = (lengths: readonly number[], isLasting: boolean): Span[] => {
  const spans: Span[] = [];
  let at = 0;
  for (const [index, length] of lengths.entries()) {
    at += length;
    if (index % 2 === 0) spans.push({ fromMs: at, toMs: null });
    else spans.at(-1)!.toMs = at;
  }
  if (!isLasting && spans.at(-1)?.toMs === null) spans.at(-1)!.toMs = at + 1;
  return spans;
};
const history = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 20 }), fc.boolean())
  .map(([lengths, isLasting]) => spansOf(lengths, isLasting));

describe('alarms of spans', () => {
  test('are apart, in order, each begins with a span, and none is without one that was long enough', () => {
    fc.assert(
      fc.property(
        history,
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (spans, forMs, clearMs) => {
          const nowMs = 2000;
          const alarms = alarmsOf(spans, { forMs, clearMs, nowMs });
          for (const [index, { fromMs, toMs }] of alarms.entries()) {
            expect(spans.some((span) => span.fromMs === fromMs && (span.toMs ?? nowMs) - fromMs >= forMs)).toBe(true);
            if (toMs !== null) expect(toMs).toBeGreaterThan(fromMs);
            if (index < alarms.length - 1) expect(toMs!).toBeLessThanOrEqual(alarms[index + 1]!.fromMs);
          }
          const longEnough = spans.filter(({ fromMs, toMs }) => (toMs ?? nowMs) - fromMs >= forMs);
          expect(alarms.length > 0).toBe(longEnough.length > 0);
        },
      ),
    );
  });

  test('never become more by a longer time to fire or to clear', () => {
    fc.assert(
      fc.property(
        history,
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 40 }),
        (spans, forMs, clearMs) => {
          const count = (each: { forMs: number; clearMs: number }) => alarmsOf(spans, { ...each, nowMs: 2000 }).length;
          expect(count({ forMs, clearMs: clearMs + 10 })).toBeLessThanOrEqual(count({ forMs, clearMs }));
        },
      ),
    );
  });

  test('short pauses are within one, and what lasts is not over', () => {
    const spans = [
      { fromMs: 100, toMs: 200 },
      { fromMs: 205, toMs: 210 },
      { fromMs: 300, toMs: 301 },
      { fromMs: 400, toMs: null },
    ];
    expect(alarmsOf(spans, { forMs: 50, clearMs: 10, nowMs: 500 })).toEqual([
      { fromMs: 100, toMs: 220 },
      { fromMs: 400, toMs: null },
    ]);
  });
});

test('absence is between what came, and since the last of it', () => {
  expect(absences([0, 10, 20, 100, 105], 30, { fromMs: 5, nowMs: 200 })).toEqual([
    { fromMs: 50, toMs: 100 },
    { fromMs: 135, toMs: null },
  ]);
  expect(absences([0, 100], 30, { fromMs: 80, nowMs: 110 })).toEqual([{ fromMs: 80, toMs: 100 }]);
  expect(absences([], 30, { fromMs: 0, nowMs: 100 })).toEqual([]);
});
