// The last day of one access point in half hours.
import { expect, test } from 'vitest';
import { toDay } from './network-figures.ts';

const minute = 60_000;
const startMs = 1_000 * 30 * minute;

test('means are of what was reported, and availability of five minutes since the first report', () => {
  const at = (minutes: number) => startMs + minutes * minute;
  const ts = [at(10), at(15), at(40)];
  const columns = new Map([
    ['connected_devices', [2, 4, 6]],
    ['qos_met_pct', [100, 50, Number.NaN]],
    ['power_w', [10, 20, Number.NaN]],
  ]);
  const day = toDay(ts, columns, { startMs, nowMs: at(60), isKnown: true, intervalMs: 1000 });
  expect(day.get(1000)).toMatchObject({ devices: 3, power: 15, judged: 3, met: 2, present: 2, expected: 4 });
  expect(day.get(1001)).toMatchObject({ devices: 6, power: 0, judged: 0, present: 1, expected: 6 });
  // One that reports every ten minutes was there in between.
  const seldom = toDay(ts, columns, { startMs, nowMs: at(60), isKnown: true, intervalMs: 10 * minute });
  expect(seldom.get(1000)).toMatchObject({ present: 4, expected: 4 });
});

test('one that was away all day is missing, and one that never reported is not', () => {
  const options = { startMs, nowMs: startMs + 30 * minute, intervalMs: 1000 };
  expect(toDay([], new Map(), { ...options, isKnown: true }).get(1000)).toMatchObject({ present: 0, expected: 6 });
  expect(toDay([], new Map(), { ...options, isKnown: false }).size).toBe(0);
});
