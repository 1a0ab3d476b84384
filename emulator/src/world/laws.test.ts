// What must hold in every world. Where a law compares two worlds, they differ in one thing for one second: chance, who is
// attached to whom, and how busy the others were are the same on both sides.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { town } from '../town.ts';
import { waitOf } from '../traffic/scheduler.ts';
import { createWorld, restoreWorld, type World } from './world.ts';
import type { AccessPointType } from './world-spec.ts';
import type { WorldState } from './world-state.ts';

/** Together the laws see hundreds of worlds, and with `npm run test:long` more than a thousand. */
const numRuns = rounds(200, 25);
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const demand = fc.double({ min: 0.2, max: 40, noNaN: true });

interface Sketch {
  seed: number;
  counts: Partial<Record<AccessPointType, number>>;
  devicesEach: number;
  mbps: number;
  warmUp: number;
}

const sketches = (types: Record<AccessPointType, number>) =>
  fc.record<Sketch>({
    seed: seeds,
    counts: fc
      .record({ '5G': fc.nat(types['5G']), WiFi: fc.nat(types.WiFi), LiFi: fc.nat(types.LiFi) })
      .filter((counts) => counts['5G'] + counts.WiFi + counts.LiFi > 0),
    devicesEach: fc.integer({ min: 1, max: 10 }),
    mbps: demand,
    warmUp: fc.integer({ min: 1, max: 12 }),
  });
const anything = sketches({ '5G': 4, WiFi: 4, LiFi: 4 });

function build({ seed, counts, devicesEach, mbps, warmUp }: Sketch): World {
  const world = createWorld({ ...town({ counts, devicesEach, seed }), peakMbpsPerDevice: mbps });
  for (let second = 0; second < warmUp; second++) world.step();
  return world;
}

/** The same second twice: as it is, and after a change of the state. */
function both(world: World, change: (state: WorldState) => void): { as: WorldState; changed: WorldState } {
  const state = world.snapshot();
  change(state);
  const other = restoreWorld(state);
  const as = world.clone();
  as.step();
  other.step();
  return { as: as.snapshot(), changed: other.snapshot() };
}

const isSameAttachment = (one: WorldState, other: WorldState) =>
  one.devices.serving.every((serving, device) => serving === other.devices.serving[device]);

const membersOf = ({ devices }: WorldState, ap: number) =>
  [...devices.serving.keys()].filter((device) => devices.serving[device] === ap);

/** Slower, or as fast; as late, or later. */
function expectNoBetter(as: WorldState, changed: WorldState, device: number): void {
  const [before, after] = [as.devices, changed.devices];
  expect(after.serviceBps[device]!).toBeLessThanOrEqual(before.serviceBps[device]! * (1 + 1e-9) + 1e-6);
  // Nothing to send, nothing to wait for.
  if (before.latencyMs[device]! > 0 && after.latencyMs[device]! > 0) {
    expect(after.latencyMs[device]!).toBeGreaterThanOrEqual(before.latencyMs[device]! * (1 - 1e-9));
  }
}

describe('conservation', () => {
  test('per device and second: what was asked is delivered, waits, or was given up; shares sum to at most one', () => {
    fc.assert(
      fc.property(anything, (sketch) => {
        const world = build(sketch);
        const before = world.snapshot();
        world.step();
        const after = world.snapshot();
        for (const [total, backlog] of [
          ['balance', 'backlogBits'],
          ['uplink', 'upBacklogBits'],
        ] as const) {
          const grown = (key: 'askedBits' | 'deliveredBits' | 'lostBits') => after[total][key] - before[total][key];
          const sum = (state: WorldState) => state.devices[backlog].reduce((all, bits) => all + bits, 0);
          const accounted = grown('deliveredBits') + grown('lostBits') + sum(after) - sum(before);
          expect(Math.abs(grown('askedBits') - accounted)).toBeLessThan(1 + grown('askedBits') * 1e-9);
        }
        for (let ap = 0; ap < after.cells.count; ap++) {
          expect(after.cells.load[ap]!).toBeLessThanOrEqual(1 + 1e-9);
          expect(after.cells.uplinkLoad[ap]!).toBeLessThanOrEqual(1 + 1e-9);
          expect(after.cells.utilisation[ap]!).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
      { numRuns },
    );
  });

  test('the energy of an hour, or a part of one, is the integral of its power', () => {
    for (const order of [undefined, 'sleep', 'doze'] as const) {
      const world = createWorld(town({ counts: { '5G': 1, WiFi: 1, LiFi: 1 }, devicesEach: 5 }));
      if (order) for (const { ap_id } of world.accessPoints) world.command(ap_id, order);
      let joules = 0;
      for (let second = 0; second < rounds(3600, 400); second++) {
        world.step();
        joules += world.totals().powerW;
      }
      const kwh = world.accessPoints.reduce((sum, { ap_id }) => sum + world.latest(ap_id)!.fields.energy_kwh!, 0);
      expect(Math.abs((kwh * 3.6e6) / joules - 1)).toBeLessThan(0.001);
    }
  });
});

describe('monotony', () => {
  // Whoever can no longer be reached at all is not scheduled any more (CQI 0), which the others of the cell profit from.
  test('less power of a cell that loses nobody: nobody of its own is faster or earlier', () => {
    fc.assert(
      fc.property(anything, fc.nat(11), fc.double({ min: 0.5, max: 6, noNaN: true }), (sketch, which, lessDb) => {
        const world = build(sketch);
        const { as, changed } = both(world, (state) => {
          const ap = state.accessPoints[which % state.accessPoints.length]!;
          for (const settings of [ap.wished, ap.actual]) {
            if (ap.type === 'LiFi') settings.dimming_pct = Math.max(5, settings.dimming_pct - 10 * lessDb);
            else settings.tx_power_dbm -= lessDb;
          }
        });
        fc.pre(isSameAttachment(as, changed));
        fc.pre(as.devices.rateBps.every((rate, device) => rate === 0 || changed.devices.rateBps[device]! > 0));
        for (const device of membersOf(as, which % as.cells.count)) expectNoBetter(as, changed, device);
      }),
      { numRuns },
    );
  });

  test('less quota: nobody of the cell is faster or earlier, and the cell reports no better', () => {
    fc.assert(
      fc.property(
        sketches({ '5G': 4, WiFi: 0, LiFi: 0 }),
        fc.nat(3),
        fc.integer({ min: 5, max: 99 }),
        (sketch, which, quota) => {
          const world = build(sketch);
          const { as, changed } = both(world, (state) => {
            const ap = state.accessPoints[which % state.accessPoints.length]!;
            for (const settings of [ap.wished, ap.actual]) settings.prb_quota_pct = quota;
          });
          const index = which % as.cells.count;
          for (const device of membersOf(as, index)) expectNoBetter(as, changed, device);
          const [before, after] = [as, changed].map((state) => state.accessPoints[index]!.latest);
          if (before!.latency_ms !== undefined && after!.latency_ms !== undefined) {
            expect(after!.latency_ms).toBeGreaterThanOrEqual(before!.latency_ms - 1e-3);
            expect(after!.ue_throughput_kbps!).toBeLessThanOrEqual(before!.ue_throughput_kbps! + 1e-3);
          }
        },
      ),
      { numRuns },
    );
  });

  test('less spectrum at the same SINR: half the width, half the rate', () => {
    // Held for the formulas in radio/*.test.ts; here that narrower is never faster where noise, not others, sets the rate.
    fc.assert(
      fc.property(sketches({ '5G': 0, WiFi: 1, LiFi: 0 }), (sketch) => {
        fc.pre(sketch.counts.WiFi === 1);
        const world = build(sketch);
        const rates = [80, 40].map((mhz) => {
          const { changed } = both(world, (state) => {
            for (const settings of [state.accessPoints[0]!.wished, state.accessPoints[0]!.actual]) {
              settings.channel_width_mhz = mhz;
              settings.tx_power_dbm = mhz === 80 ? 20 : 17;
            }
          });
          return changed.devices.rateBps;
        });
        for (const [device, rate] of rates[1]!.entries()) {
          expect(rate).toBeLessThanOrEqual(rates[0]![device]! * (1 + 1e-9));
        }
      }),
      { numRuns: rounds(50) },
    );
  });

  test('one more interferer: nobody is faster', () => {
    fc.assert(
      fc.property(sketches({ '5G': 4, WiFi: 4, LiFi: 4 }), fc.nat(11), (sketch, which) => {
        const world = build(sketch);
        // Silent for one second, so that it serves nobody, against sending as before.
        const { as, changed } = both(world, (state) => {
          state.cells.load[which % state.cells.count] = 0;
        });
        for (const device of as.devices.serving.keys()) {
          if (as.devices.serving[device] !== changed.devices.serving[device]) continue;
          expect(as.devices.rateBps[device]!).toBeLessThanOrEqual(changed.devices.rateBps[device]! * (1 + 1e-9));
        }
      }),
      { numRuns },
    );
  });

  test('one device asks for more: no other is faster, and its own service does not get worse by itself', () => {
    fc.assert(
      fc.property(anything, fc.nat(100), fc.double({ min: 1e5, max: 1e9, noNaN: true }), (sketch, who, bits) => {
        const world = build(sketch);
        const one = who % world.totals().devices;
        const { as, changed } = both(world, (state) => {
          state.devices.backlogBits[one]! += bits;
        });
        for (const device of as.devices.serving.keys()) {
          const [before, after] = [as.devices.serviceBps[device]!, changed.devices.serviceBps[device]!];
          if (device !== one) expect(after).toBeLessThanOrEqual(before * (1 + 1e-9) + 1e-6);
          else expect(after).toBeGreaterThanOrEqual(before * (1 - 1e-9) - 1e-6);
        }
      }),
      { numRuns },
    );
  });

  test('with interference off, a cell less is never more capacity in total', () => {
    fc.assert(
      fc.property(sketches({ '5G': 4, WiFi: 0, LiFi: 0 }), fc.nat(3), (sketch, which) => {
        const world = build({ ...sketch, mbps: 40 });
        const state = world.snapshot();
        fc.pre(state.cells.count > 1);
        const gone = which % state.cells.count;
        // Each device at the best cell alone, nobody else on the air: what one device could get at most.
        const best = (without: number) =>
          [...state.devices.serving.keys()].map((device) => {
            let most = 0;
            for (let slot = device * 8; slot < device * 8 + 8; slot++) {
              const ap = state.nr.links.ap[slot]!;
              if (ap >= 0 && ap !== without) most = Math.max(most, state.cells.power[ap]! * state.nr.links.gain[slot]!);
            }
            return most;
          });
        const [all, fewer] = [best(-1), best(gone)];
        for (const [device, most] of fewer.entries()) expect(most).toBeLessThanOrEqual(all[device]!);
      }),
      { numRuns: rounds(50) },
    );
  });

  test('a jammer without spectral overlap changes nothing; one on the channel helps nobody', () => {
    fc.assert(
      fc.property(
        sketches({ '5G': 0, WiFi: 4, LiFi: 0 }),
        fc.constantFrom(36, 44, 52, 100, 116, 132),
        (sketch, channel) => {
          const world = build(sketch);
          const reach = 1.5 * 40;
          const { as, changed } = both(world, (state) => {
            state.accessPoints[0]!.faults.push({
              kind: 'jammed_channel',
              untilStep: 1e6,
              amount: 30,
              channel,
              widthMhz: 40,
            });
          });
          for (const device of as.devices.serving.keys()) {
            const ap = as.devices.serving[device]!;
            if (ap < 0 || changed.devices.serving[device] !== ap) continue;
            const apart = Math.abs(5 * (as.cells.channel[ap]! - channel));
            if (apart > reach + 40) {
              expect(changed.devices.rateBps[device]).toBe(as.devices.rateBps[device]);
            } else expect(changed.devices.rateBps[device]!).toBeLessThanOrEqual(as.devices.rateBps[device]!);
          }
        },
      ),
      { numRuns },
    );
  });

  test('where physics breaks a naive law: less power here is less interference there', () => {
    const world = createWorld({ ...town({ counts: { '5G': 4 }, devicesEach: 20 }), peakMbpsPerDevice: 30 });
    for (let second = 0; second < 20; second++) world.step();
    const { as, changed } = both(world, (state) => {
      for (const settings of [state.accessPoints[0]!.wished, state.accessPoints[0]!.actual]) settings.tx_power_dbm -= 6;
    });
    const gains = [1, 2, 3].flatMap((ap) =>
      membersOf(as, ap).map((device) => changed.devices.rateBps[device]! - as.devices.rateBps[device]!),
    );
    expect(Math.min(...gains)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...gains)).toBeGreaterThan(0);
  });
});

test('waiting: the area under the backlog, by hand', () => {
  // 10 bits at once, served at 20 a second: gone after half a second, 5 bits on average until then.
  expect(waitOf(10, 0, 20)).toBeCloseTo(2.5, 12);
  // 10 at once, served at 4: from 10 down to 6.
  expect(waitOf(10, 0, 4)).toBeCloseTo(8, 12);
  // 10 arrive evenly, served at 20: nothing waits; served at 4: from 0 up to 6.
  expect(waitOf(0, 10, 20)).toBe(0);
  expect(waitOf(0, 10, 4)).toBeCloseTo(3, 12);
  // More to serve never waits less.
  fc.assert(
    fc.property(
      ...([0, 1, 2, 3].map(() => fc.double({ min: 0, max: 100, noNaN: true })) as [never, never, never, never]),
      (burst: number, stream: number, bps: number, more: number) => {
        expect(waitOf(burst, stream, bps + more)).toBeLessThanOrEqual(waitOf(burst, stream, bps) + 1e-9);
        expect(waitOf(burst + more, stream, bps)).toBeGreaterThanOrEqual(waitOf(burst, stream, bps) - 1e-9);
      },
    ),
  );
});
