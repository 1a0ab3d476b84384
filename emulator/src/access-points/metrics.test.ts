import { describe, expect, test } from 'vitest';
import { town } from '../town.ts';
import { createWorld, type World } from '../world/world.ts';
import { accessPointTypes } from '../world/world-spec.ts';

describe.each(accessPointTypes)('%s', (type) => {
  const world = createWorld({ ...town({ counts: { [type]: 4 }, devicesEach: 10 }), peakMbpsPerDevice: 10 });
  for (let n = 0; n < 5; n++) world.step();
  const { ap_id, metrics } = world.accessPoints[0]!;

  test('reports what it says it reports: some fifteen metrics and more, each with a label and a unit', () => {
    const { fields } = world.latest(ap_id)!;
    expect(Object.keys(fields).sort()).toEqual(Object.keys(metrics).sort());
    expect(Object.keys(metrics).length).toBeGreaterThanOrEqual(15);
    for (const { label, unit } of Object.values(metrics)) {
      expect(label).toMatch(/^[A-Z]/);
      expect(typeof unit).toBe('string');
    }
  });

  test('to four decimals, and energy to nine', () => {
    for (const [name, value] of Object.entries(world.latest(ap_id)!.fields)) {
      const scale = name === 'energy_kwh' ? 1e9 : 1e4;
      expect(Math.round(value * scale) / scale).toBe(value);
    }
  });

  test('without what cannot be measured when nobody is there', () => {
    const empty = createWorld(town({ counts: { [type]: 1 }, devicesEach: 0 }));
    empty.step();
    const { fields } = empty.latest(ap_id)!;
    expect(fields).toMatchObject({ connected_devices: 0, throughput_mbps: 0, active: 1 });
    expect(Object.keys(fields)).not.toContain('mcs');
    expect(Object.keys(fields)).not.toContain('sinr_db');
  });
});

test('3GPP has names of its own for much of it', () => {
  const { metrics } = createWorld(town({ counts: { '5G': 1 }, devicesEach: 0 })).accessPoints[0]!;
  expect(metrics.prb_load_pct?.alias).toBe('RRU.PrbTotDl');
  expect(Object.values(metrics).filter(({ alias }) => alias !== undefined).length).toBeGreaterThan(8);
});

test('a longer interval reports means and sums of the seconds in it', () => {
  const spec = town({ counts: { WiFi: 2 }, devicesEach: 10 });
  const [everySecond, everyTen] = [createWorld(spec), createWorld({ ...spec, reportIntervalSeconds: 10 })];
  // The first comes at once and covers one second.
  const reports = (world: World) =>
    Array.from({ length: 11 }, () => world.step())
      .flat()
      .filter(({ ap_id }) => ap_id === 'wifi-0')
      .slice(1)
      .map(({ fields }) => fields);
  const [fine, coarse] = [reports(everySecond), reports(everyTen)];
  expect(coarse).toHaveLength(1);
  const sum = (metric: string) => fine.reduce((total, fields) => total + fields[metric]!, 0);
  expect(coarse[0]!.throughput_mbps).toBeCloseTo(sum('throughput_mbps') / 10, 3);
  expect(coarse[0]!.handovers_in).toBe(sum('handovers_in'));
});
