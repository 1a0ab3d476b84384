import { expect, test } from 'vitest';
import { congestionOf, fullestOf } from './congestion.ts';
import type { Course, Moment } from './course.ts';

/** Three access points, a report every half minute. */
function courseOf(
  reports: { loads: [wifi: number, lamp: number, wifi: number]; waiting: number; served?: number }[],
): Course {
  const moments = reports.map(({ loads, waiting, served = 10 }, n): Moment => {
    const totals = { served_devices: served, backlog_mbit: waiting, connected_devices: 10, throughput_mbps: 0 };
    return { seconds: 30 * (n + 1), changes: 0, power_w: 0, active: 3, ...totals, loads };
  });
  const sums = {
    devices: 10,
    energyKwh: 0,
    deliveredGbit: 0,
    unservedHours: 0,
    changes: 0,
    qosMetPct: 100,
    latencyMs: 0,
  };
  return { moments, technologies: ['WiFi', 'LiFi', 'WiFi'], ...sums };
}

const course = courseOf([
  { loads: [1, 0.2, 0.1], waiting: 100 },
  { loads: [0.8, 0.2, 0.1], waiting: 200 },
  { loads: [0.4, 1, 0.8], waiting: 10, served: 8 },
  { loads: [0.4, 0.9, 0.8], waiting: 30 },
]);

test('loads and waiting traffic are those of whole minutes', () => {
  const { fullest, load95, overloaded, waitingMbit, worstMinuteMbit, unserved } = congestionOf(course);
  expect(fullest).toBeCloseTo((0.9 + 0.95) / 2);
  expect(load95).toBeCloseTo(0.95);
  expect(overloaded).toBeCloseTo(1 / 6);
  expect({ waitingMbit, worstMinuteMbit, unserved }).toEqual({ waitingMbit: 85, worstMinuteMbit: 150, unserved: 0.5 });
});

test('the fullest of a kind is the one that was so over the whole time', () => {
  expect(fullestOf(course, 'WiFi')(course.moments)).toBeCloseTo(0.65);
  expect(fullestOf(course, 'LiFi')(course.moments.slice(2))).toBeCloseTo(0.95);
});
