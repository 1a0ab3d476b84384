import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { town } from '../town.ts';
import { createWorld, restoreWorld, type World } from './world.ts';
import type { AccessPointSpec, WorldSpec } from './world-spec.ts';

const mixed = { '5G': 4, WiFi: 4, LiFi: 4 };
const run = (world: World, seconds: number) => Array.from({ length: seconds }, () => world.step());
/** The mean of a metric over some seconds; absent values do not count. */
const mean = (world: World, ap_id: string, metric: string, seconds: number) => {
  const values = run(world, seconds)
    .flat()
    .filter((sample) => sample.ap_id === ap_id)
    .flatMap(({ fields }) => fields[metric] ?? []);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
};

describe('a world in numbers', () => {
  const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const counts = fc
    .record({ '5G': fc.nat(3), WiFi: fc.nat(4), LiFi: fc.nat(4) })
    .filter((c) => c['5G'] + c.WiFi + c.LiFi > 0);
  const orders = fc.array(
    fc.record({
      at: fc.nat(19),
      ap: fc.nat(10),
      name: fc.constantFrom('sleep', 'wake', 'reboot', 'crash', 'backhaul_cut', 'jammed_channel'),
    }),
    { maxLength: 8 },
  );
  const obey = (world: World, { ap, name }: { ap: number; name: string }) => {
    const { ap_id } = world.accessPoints[ap % world.accessPoints.length]!;
    if (name === 'crash' || name === 'backhaul_cut' || name === 'jammed_channel')
      world.fault(ap_id, { kind: name, seconds: 5 });
    else world.command(ap_id, name);
  };

  test('whatever happens, devices and bits are conserved, air is never overdrawn, and all that is told is finite', () => {
    fc.assert(
      fc.property(seeds, counts, orders, (seed, counts, orders) => {
        const world = createWorld(town({ counts, devicesEach: 8, seed }));
        for (let second = 0; second < 20; second++) {
          for (const order of orders.filter(({ at }) => at === second)) obey(world, order);
          const samples = world.step();
          const totals = world.totals();
          const connected = world.accessPoints.reduce((sum, ap) => sum + ap.connected_devices, 0);
          expect(totals.served + totals.unserved).toBe(totals.devices);
          expect(totals.served).toBeLessThanOrEqual(connected);
          expect(connected).toBeLessThanOrEqual(totals.devices);
          const accounted = totals.deliveredBits + totals.lostBits + totals.waitingBits;
          expect(Math.abs(accounted - totals.askedBits)).toBeLessThan(1 + totals.askedBits * 1e-9);
          for (const { fields } of samples) {
            expect(Object.values(fields).every(Number.isFinite)).toBe(true);
            for (const name of ['airtime_pct', 'channel_utilisation_pct', 'prb_load_pct']) {
              expect(fields[name] ?? 0).toBeLessThanOrEqual(100);
            }
            expect(fields.served_devices).toBeLessThanOrEqual(fields.connected_devices!);
          }
        }
      }),
      { numRuns: rounds(25) },
    );
  });

  test('the same seed gives the same samples, another seed others', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const [one, same, other] = [seed, seed, seed ^ 1].map((s) =>
          createWorld(town({ counts: mixed, devicesEach: 4, seed: s >>> 0 })),
        );
        const told = run(one!, 10);
        expect(run(same!, 10)).toEqual(told);
        expect(run(other!, 10)).not.toEqual(told);
      }),
      { numRuns: rounds(10) },
    );
  });

  test('looking, copying and keeping between the seconds changes nothing', () => {
    const spec = town({ counts: mixed, devicesEach: 6 });
    const expected = run(createWorld(spec), 30);
    let watched = createWorld(spec);
    const seen = expected.map((_, second) => {
      watched.totals();
      watched.devicesOf('wifi-0');
      watched.clone().step();
      if (second === 15) watched = restoreWorld(watched.snapshot());
      return watched.step();
    });
    expect(seen).toEqual(expected);
  });

  test('a copy goes its own way, and leaves the original alone', () => {
    fc.assert(
      fc.property(seeds, orders, (seed, orders) => {
        const world = createWorld(town({ counts: mixed, devicesEach: 4, seed }));
        run(world, 3);
        const [copy, witness] = [world.clone(), world.clone()];
        for (const order of orders) obey(copy, order);
        run(copy, 10);
        expect(world.time).toBe(witness.time);
        expect(run(world, 10)).toEqual(run(witness, 10));
      }),
      { numRuns: rounds(10) },
    );
  });
});

describe('physics that can be seen from outside', () => {
  test('SINR falls when a neighbour gets louder', () => {
    const seeds = fc.integer({ min: 0, max: 1e6 });
    fc.assert(
      fc.property(seeds, fc.double({ min: 0.5, max: 3, noNaN: true }), (seed, moreDb) => {
        const quiet = createWorld({ ...town({ counts: { '5G': 4 }, devicesEach: 6, seed }), peakMbpsPerDevice: 8 });
        run(quiet, 3);
        const loud = quiet.clone();
        expect(loud.command('5g-1', 'set_tx_power', { dbm: 33 + moreDb }).state).toBe('succeeded');
        quiet.step();
        loud.step();
        // Where a device has changed cell for it, the mean is over others than before.
        fc.pre(quiet.devicesOf('5g-0').length > 0);
        fc.pre(JSON.stringify(quiet.devicesOf('5g-0')) === JSON.stringify(loud.devicesOf('5g-0')));
        expect(loud.latest('5g-0')!.fields.sinr_db).toBeLessThan(quiet.latest('5g-0')!.fields.sinr_db!);
      }),
      { numRuns: rounds(20) },
    );
  });

  test('a cell that falls asleep serves nobody, saves energy, and its neighbours take over', () => {
    const world = createWorld(town({ counts: { WiFi: 9 }, devicesEach: 10 }));
    run(world, 20);
    const before = world.accessPoint('wifi-4');
    const others = () =>
      world.accessPoints.reduce((sum, ap) => sum + (ap.ap_id === 'wifi-4' ? 0 : ap.connected_devices), 0);
    const othersBefore = others();
    const powerW = world.latest('wifi-4')!.fields.power_w!;
    expect(before.connected_devices).toBeGreaterThan(5);
    const result = world.command('wifi-4', 'sleep');
    expect(result).toMatchObject({ state: 'succeeded', settles_in_seconds: 3 });
    const { served } = world.totals();
    run(world, 4);
    expect(world.accessPoint('wifi-4')).toMatchObject({ power_state: 'asleep', connected_devices: 0 });
    expect(world.latest('wifi-4')!.fields).toMatchObject({ active: 0, connected_devices: 0, power_w: 0.9 });
    expect(powerW).toBeGreaterThan(6);
    expect(world.totals().served).toBeGreaterThan(served - 3);
    expect(others()).toBeGreaterThan(othersBefore + 5);
    world.command('wifi-4', 'wake');
    run(world, 7);
    expect(world.accessPoint('wifi-4').connected_devices).toBe(0);
    run(world, 300);
    expect(world.accessPoint('wifi-4').connected_devices).toBeGreaterThan(0);
  });

  test('who loses the light goes to WiFi and comes back', () => {
    const world = createWorld(town({ counts: { WiFi: 1, LiFi: 9 }, devicesEach: 8 }));
    const samples = run(world, 120).flat();
    const sum = (metric: string) => samples.reduce((total, { fields }) => total + (fields[metric] ?? 0), 0);
    expect(sum('blockage_events')).toBeGreaterThan(20);
    expect(sum('handovers_to_wifi')).toBeGreaterThan(20);
    const inLight = samples
      .filter(({ ap_id }) => ap_id.startsWith('lifi'))
      .map(({ fields }) => fields.connected_devices!);
    // Most of the time most devices are under their lamps.
    expect(inLight.reduce((a, b) => a + b) / inLight.length).toBeGreaterThan(5);
  });

  test('vehicles are handed over from cell to cell', () => {
    const samples = run(createWorld(town({ counts: { '5G': 9 }, devicesEach: 20 })), 60).flat();
    const sum = (metric: string) => samples.reduce((total, { fields }) => total + (fields[metric] ?? 0), 0);
    expect(sum('handovers_in')).toBeGreaterThan(20);
  });

  test('at night the network rests', () => {
    const spec = town({ counts: { WiFi: 4 }, devicesEach: 20 });
    const day = createWorld(spec);
    const night = createWorld({ ...spec, startMs: Date.UTC(2026, 0, 7, 3) });
    expect(mean(night, 'wifi-0', 'throughput_mbps', 120)).toBeLessThan(mean(day, 'wifi-0', 'throughput_mbps', 120) / 3);
  });
});

describe('what cannot be built is refused', () => {
  const good = town({ counts: { WiFi: 1 }, devicesEach: 1 });
  const ap = good.accessPoints[0]!;
  test.each<[string, Partial<WorldSpec>]>([
    ['seed', { seed: -1 }],
    ['seed', { seed: 0.5 }],
    ['startMs', { startMs: Number.NaN }],
    ['access point', { accessPoints: [] }],
    ['at most 20000 access points', { accessPoints: new Array<AccessPointSpec>(20_001).fill(ap) }],
    ['ap_id', { accessPoints: [ap, ap] }],
    ['type', { accessPoints: [{ ...ap, type: 'WiMax' as never }] }],
    ['latitude', { accessPoints: [{ ...ap, latitude: 91 }] }],
    ['longitude', { accessPoints: [{ ...ap, longitude: Number.NaN }] }],
    ['devices', { accessPoints: [{ ...ap, devices: 1.5 }] }],
    ['at most 1000000 devices', { accessPoints: [{ ...ap, devices: 1_000_001 }] }],
    ['scenario', { accessPoints: [{ ...ap, scenario: 'RMa' as never }] }],
    ['profile', { accessPoints: [{ ...ap, profile: 'beach' as never }] }],
    ['reportIntervalSeconds', { reportIntervalSeconds: 0 }],
    ['peakMbpsPerDevice', { peakMbpsPerDevice: -1 }],
  ])('%s', (word, wrong) => {
    expect(() => createWorld({ ...good, ...wrong })).toThrow(RangeError);
    expect(() => createWorld({ ...good, ...wrong })).toThrow(word);
  });

  test('a world without devices runs, and so does one with everything in one spot', () => {
    run(createWorld(town({ counts: mixed, devicesEach: 0 })), 2);
    const spot = town({ counts: { '5G': 30, WiFi: 30, LiFi: 30 }, devicesEach: 2 });
    const world = createWorld({
      ...spot,
      accessPoints: spot.accessPoints.map((one) => ({ ...one, latitude: 1, longitude: 1 })),
    });
    run(world, 3);
    expect(world.totals().served).toBeGreaterThan(100);
  });
});
