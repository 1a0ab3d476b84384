// The last day of one access point in half hours.
import { expect, test } from 'vitest';
import type { Caller } from '../../core/base/caller.ts';
import { type NetworkFiguresOptions, NetworkFiguresService, toDay } from './network-figures.ts';

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

test('of many a part is read, which stands for all; who is away counts as missing, and with nothing that it measured before', async () => {
  const nowMs = startMs + 10 * minute;
  const count = 250;
  const agents = Array.from({ length: count }, (_, n) => ({ id: `${n}`, ap_id: `ap-${n}`, configuredMs: minute }));
  const moment = {
    stateOf: ({ id }: { id: string }) => (id === '0' ? 'offline' : id === '1' ? 'never' : 'online'),
    lastSeenOf: () => nowMs,
    metricOf: () => () => 2,
  };
  const read: string[] = [];
  const options = {
    network: { select: async () => agents, moment: async () => moment },
    telemetry: {
      query: async ({ ap_id }: { ap_id: string }) => {
        read.push(ap_id);
        return { ts: [nowMs - minute], columns: new Map([['power_w', [10]]]) };
      },
    },
    shares: { turns: () => ({ run: (_who: string, work: () => unknown) => work() }) },
    now: () => nowMs,
  } as unknown as NetworkFiguresOptions;
  const figures = await new NetworkFiguresService(options).figures(
    { kind: 'user', username: 'ada' } as unknown as Caller,
    '',
  );
  expect([figures.access_points, figures.read, new Set(read).size]).toEqual([count, 100, 100]);
  expect(figures.power_w.day.at(-1)).toBe(count * 10);
  expect(figures.power_w.now).toBe((count - 2) * 2);
  expect(figures.availability_pct.now).toBeCloseTo((100 * (count - 2)) / (count - 1), 2);
});
