// Sums of the fleet, now and over time.
import { describe, expect, it } from 'vitest';
import { type Sums, sampleOf, stepOf, sumLatest, sumSeries, toTrend } from './fleet-sums.ts';

const sums = (power_w: number): Sums => ({ throughput_mbps: 0, connected_devices: 0, power_w });
const ts = (seconds: number) => new Date(seconds * 1000).toISOString();

it('adds up what is there now, and leaves out who is offline or says no number', () => {
  const metrics = (power: unknown) => ({ power_w: { ts: '', value: power }, connected_devices: { ts: '', value: 2 } });
  const agents = [
    { ap_id: 'a', presence: 'online' as const, metrics: metrics(100) },
    { ap_id: 'b', presence: 'late' as const, metrics: metrics(20) },
    { ap_id: 'c', presence: 'offline' as const, metrics: metrics(5000) },
    { ap_id: 'd', presence: 'online' as const, metrics: metrics('much') },
  ];
  expect(sumLatest(agents)).toEqual({ throughput_mbps: 0, connected_devices: 6, power_w: 120 });
  expect(sumLatest(agents, (ap_id) => ap_id === 'b').power_w).toBe(20);
});

it('adds up series bin by bin: the mean of each agent, then the sum of all', () => {
  const one = [
    {
      metric: 'power_w',
      points: [
        { ts: ts(0), value: 10 },
        { ts: ts(30), value: 30 },
        { ts: ts(60), value: 5 },
      ],
    },
  ];
  const other = [
    { metric: 'power_w', points: [{ ts: ts(59), value: 100 }] },
    { metric: 'humidity', points: [{ ts: ts(0), value: 9 }] },
  ];
  const bins = sumSeries([one, other], 60);
  expect([...bins].map(([bin, { power_w }]) => [bin, power_w])).toEqual([
    [0, 120],
    [1, 5],
  ]);
});

describe('the trend over a window', () => {
  const stored = new Map([
    [6, sums(60)],
    [7, sums(70)],
  ]);
  const window = { windowSeconds: 50, step: 10, now: 95 };

  it('holds what was stored, then what was seen, and gaps between', () => {
    const trend = toTrend(
      stored,
      [
        { time: 91, sums: sums(80) },
        { time: 94, sums: sums(100) },
      ],
      window,
    );
    expect(trend.from).toBe(50);
    expect(trend.bins.map((bin) => bin?.power_w)).toEqual([undefined, 60, 70, undefined, 90]);
  });
});

it('a large fleet is read in part, evenly, and what is read stands for all', () => {
  const names = Array.from({ length: 250 }, (_, index) => index);
  expect(sampleOf(names, 250)).toEqual({ sample: names, weight: 1 });
  const { sample, weight } = sampleOf(names, 100);
  expect([new Set(sample).size, sample[0], sample[99], weight]).toEqual([100, 0, 247, 2.5]);
  const series = [{ metric: 'power_w', points: [{ ts: ts(0), value: 10 }] }];
  expect(sumSeries([series, series], 60, weight).get(0)?.power_w).toBe(50);
});

it('a bin is as long as the points that came, else a sixtieth of the window', () => {
  expect(stepOf(3600, 120)).toBe(120);
  expect(stepOf(3600, undefined)).toBe(60);
  expect(stepOf(30, undefined)).toBe(1);
});
