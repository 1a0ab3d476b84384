// Service levels: minutes are conserved, worse values never give more good minutes, sleep is not held against anybody.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countMinutes, isBelowGoal, slotMsOf, toSlots } from './service-levels.ts';

const minute = 60_000;
const row = fc.record({
  latency_ms: fc.double({ min: 0, max: 300, noNaN: true }),
  prb_load_pct: fc.oneof(fc.constant(Number.NaN), fc.double({ min: 0, max: 100, noNaN: true })),
  active: fc.constantFrom(0, 1),
});

function levelsOf(rows: readonly Record<string, number>[], slotMs = minute) {
  const ts = rows.map((_, n) => n * minute);
  const names = [...new Set(rows.flatMap(Object.keys))];
  const columns = new Map(names.map((name) => [name, rows.map((each) => each[name]!)]));
  const slots = toSlots(ts, columns, slotMs);
  return countMinutes(slots, Math.max(1, rows.length), slotMs);
}

describe('service levels', () => {
  test('count no minute twice, and no more good ones than there were', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 60 }), (rows) => {
        const levels = levelsOf(rows);
        expect(levels[0]).toMatchObject({ level: 'availability', minutes: rows.length, good_minutes: rows.length });
        const awake = rows.filter(({ active }) => active === 1).length;
        for (const { level, minutes, good_minutes } of levels) {
          expect(good_minutes).toBeLessThanOrEqual(minutes);
          if (level !== 'availability') expect(minutes).toBeLessThanOrEqual(awake);
        }
      }),
    );
  });

  test('never get better by higher latency', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 60 }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (rows, more) => {
          const good = (list: typeof rows) =>
            levelsOf(list).find(({ level }) => level === 'latency')?.good_minutes ?? 0;
          expect(good(rows.map((each) => ({ ...each, latency_ms: each.latency_ms + more })))).toBeLessThanOrEqual(
            good(rows),
          );
        },
      ),
    );
  });

  test('take the mean of a slot, and slots that are as long as reports are rare', () => {
    expect([slotMsOf(1_000), slotMsOf(10_000), slotMsOf(30_000), slotMsOf(300_000)]).toEqual([
      ...[minute, minute, minute, 10 * minute],
    ]);
    const slots = toSlots([0, 20_000, 40_000, 70_000], new Map([['latency_ms', [50, 250, 60, 50]]]), minute);
    expect(slots.map(({ value }) => value('latency_ms'))).toEqual([120, 50]);
    expect(countMinutes(slots, 2, minute)).toContainEqual({
      level: 'latency',
      good_minutes: 1,
      minutes: 2,
      goal: 0.95,
    });
  });

  test('of energy go by the technology, and are not there where that is not known', () => {
    const energyOf = (rows: readonly Record<string, number>[]) =>
      levelsOf(rows).find(({ level }) => level === 'energy');
    const cell = { power_w: 940, prb_load_pct: 50 };
    expect(energyOf([cell, { ...cell, power_w: 960 }])).toMatchObject({ good_minutes: 1, minutes: 2 });
    expect(energyOf([{ power_w: 30, channel_utilisation_pct: 5 }])).toMatchObject({ good_minutes: 0, minutes: 1 });
    expect(energyOf([{ power_w: 30, prb_load_pct: Number.NaN }])).toBeUndefined();
  });

  test('are a cause once enough minutes are below their goal', () => {
    const level = (good_minutes: number, minutes: number) =>
      isBelowGoal({ level: 'latency', good_minutes, minutes, goal: 0.95 });
    expect([level(0, 9), level(9, 10), level(10, 10), level(94, 100), level(95, 100)]).toEqual([
      ...[false, true, false, true, false],
    ]);
  });
});
