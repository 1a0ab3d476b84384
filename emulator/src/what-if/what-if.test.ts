import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { town } from '../town.ts';
import { createWorld, type World } from '../world/world.ts';
import { type WhatIf, whatIf } from './what-if.ts';

const built = new Map<string, World>();
/** Most ask for the same one, and get a copy. */
const build = (seed = 1, seconds = 10) => {
  const key = `${seed} ${seconds}`;
  let world = built.get(key);
  if (world === undefined) {
    world = createWorld(town({ counts: { WiFi: 9, '5G': 1 }, devicesEach: 8, seed }));
    for (let n = 0; n < seconds; n++) world.step();
    if (seed === 1) built.set(key, world);
  }
  return world.clone();
};
const sleep = [{ ap_id: 'wifi-4', name: 'sleep' }];
const one = { minutes: 0.5, futures: 1 };

/** All comparisons of an answer. */
function* comparisons({ predictions, served, powerW, deliveredMbps, timeline }: WhatIf) {
  yield* [served, powerW, deliveredMbps];
  for (const minute of timeline) yield* [minute.served, minute.powerW, minute.deliveredMbps];
  for (const metrics of predictions.values()) yield* metrics.values();
}

describe('several futures', () => {
  test('tell what would come of commands, and how certain that is, without touching the world', () => {
    const world = build();
    const witness = world.clone();
    const answer = whatIf(world, sleep, { minutes: 1, futures: 3 });
    expect(answer).toMatchObject({ seconds: 60, futures: 3, isExact: false, isCutShort: false });
    expect(answer.results).toMatchObject([{ state: 'succeeded' }]);
    const power = answer.predictions.get('wifi-4')!.get('power_w')!;
    expect(power.with!.mean).toBeLessThan(power.without!.mean / 2);
    expect(power.change!.mean + power.change!.plusMinus!).toBeLessThan(0);
    expect(answer.powerW.change.mean).toBeLessThan(0);
    expect(world.time).toBe(witness.time);
    expect(world.step()).toEqual(witness.step());
  });

  test('are different futures of the same present', () => {
    const { deliveredMbps, timeline } = whatIf(build(), [], { minutes: 1, futures: 2 });
    expect(deliveredMbps.without.plusMinus).toBeGreaterThan(0);
    expect(timeline[0]!.deliveredMbps.without.plusMinus).toBeGreaterThan(0);
    const again = whatIf(build(), [], { minutes: 1, futures: 2 });
    expect(again.deliveredMbps).toEqual(deliveredMbps);
  });

  test('the mean is that of the futures one by one, and the change is that of the same future on both sides', () => {
    const world = build();
    const dim = [{ ap_id: 'wifi-4', name: 'set_tx_power', args: { dbm: 0 } }];
    const changes: number[] = [];
    const delivered: number[] = [];
    for (let n = 1; n <= 3; n++) {
      const [after, otherwise] = [world.clone(), world.clone()];
      for (const twin of [after, otherwise]) twin.reseed(n);
      after.command('wifi-4', 'set_tx_power', { dbm: 0 });
      const before = world.totals().deliveredBits;
      for (let second = 0; second < 30; second++) for (const twin of [after, otherwise]) twin.step();
      delivered.push((after.totals().deliveredBits - before) / 30e6);
      changes.push((after.totals().deliveredBits - otherwise.totals().deliveredBits) / 30e6);
    }
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value) / values.length;
    const { deliveredMbps } = whatIf(world, dim, { minutes: 0.5, futures: 3 });
    expect(deliveredMbps.with.mean).toBeCloseTo(mean(delivered), 3);
    expect(deliveredMbps.change.mean).toBeCloseTo(mean(changes), 4);
  });

  test('law: a change is the difference of its sides, also where a metric is not measured in every future', () => {
    const world = createWorld(town({ counts: { LiFi: 4, WiFi: 1 }, devicesEach: 1 }));
    for (let n = 0; n < 10; n++) world.step();
    const answer = whatIf(world, [{ ap_id: 'lifi-1', name: 'sleep' }], { minutes: 0.3, futures: 4 });
    for (const { with: after, without, change } of comparisons(answer)) {
      if (!change) continue;
      const scale = Math.max(Math.abs(after!.mean), Math.abs(without!.mean));
      expect(Math.abs(after!.mean - without!.mean - change.mean)).toBeLessThanOrEqual(1e-4 * scale);
    }
  });

  test('of one present, the change is more certain than either side', () => {
    const { deliveredMbps } = whatIf(build(1, 60), [{ ap_id: 'wifi-4', name: 'set_channel', args: { channel: 100 } }], {
      minutes: rounds(2, 1),
      futures: rounds(6, 4),
    });
    expect(deliveredMbps.change.plusMinus).toBeLessThan(deliveredMbps.without.plusMinus! / 2);
  });

  test('law: without commands every change is 0 ± 0, and both sides are the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 4 }), (seed, futures) => {
        for (const { with: after, without, change } of comparisons(
          whatIf(build(seed, 2), [], { minutes: 0.1, futures }),
        )) {
          expect(after).toEqual(without);
          // Measured in one future alone, a metric has no interval.
          if (change) expect([change.mean, change.plusMinus ?? 0]).toEqual([0, 0]);
        }
      }),
      { numRuns: rounds(10) },
    );
  });
});

describe('one future', () => {
  test('comes true if the commands are given', () => {
    const world = build();
    const commands = [{ ap_id: 'wifi-4', name: 'set_tx_power', args: { dbm: 5 } }];
    const { predictions, isExact, served, deliveredMbps } = whatIf(world, commands, one);
    expect(isExact).toBe(true);
    const before = world.totals().deliveredBits;
    world.command('wifi-4', 'set_tx_power', { dbm: 5 });
    // One report over the whole time, as the answer has it.
    world.command('wifi-4', 'set_report_interval', { seconds: 30 });
    let servedSum = 0;
    for (let n = 0; n < 30; n++) {
      world.step();
      servedSum += world.totals().served;
    }
    for (const [metric, value] of Object.entries(world.latest('wifi-4')!.fields)) {
      const { with: after } = predictions.get('wifi-4')!.get(metric)!;
      expect(after).not.toHaveProperty('plusMinus');
      expect(Math.abs(after!.mean - value)).toBeLessThanOrEqual(1e-5 * Math.abs(value));
    }
    expect(served.with.mean).toBeCloseTo(servedSum / 30, 3);
    expect(deliveredMbps.with.mean).toBeCloseTo((world.totals().deliveredBits - before) / 30e6, 3);
  });

  test('tells minute by minute how the whole network fares', () => {
    const world = build();
    const { timeline } = whatIf(world, sleep, { minutes: 1.5, futures: 1 });
    expect(timeline.map(({ second }) => second)).toEqual([60, 90]);
    const before = world.totals().deliveredBits;
    let [served, powerW] = [0, 0];
    for (let n = 0; n < 60; n++) {
      world.step();
      served += world.totals().served / 60;
      powerW += world.totals().powerW / 60;
    }
    const [first, second] = timeline;
    expect(first!.served.without.mean).toBeCloseTo(served, 3);
    expect(first!.powerW.without.mean).toBeCloseTo(powerW, 2);
    expect(first!.deliveredMbps.without.mean).toBeCloseTo((world.totals().deliveredBits - before) / 60e6, 3);
    expect(first!.powerW.with.mean).toBeLessThan(powerW);
    expect(second!.powerW.with.mean).toBeLessThan(second!.powerW.without.mean);
  });
});

describe('who takes over', () => {
  test('is told with devices and traffic, and nobody is lost on the way', () => {
    const { takeOvers } = whatIf(build(1, 60), sleep, { minutes: rounds(2, 1), futures: rounds(3, 2) });
    const [own] = takeOvers;
    expect(takeOvers).toHaveLength(1);
    expect(own!.ap_id).toBe('wifi-4');
    expect(own!.devices.mean).toBeGreaterThan(0);
    expect(own!.to.length).toBeGreaterThan(0);
    expect(own!.to.length).toBeLessThanOrEqual(5);
    const counts = own!.to.map(({ devices }) => devices.mean);
    expect(counts).toEqual(counts.toSorted((a, b) => Math.abs(b) - Math.abs(a)));
    const placed = counts.reduce((sum, count) => sum + count, 0) + (own!.others?.devices.mean ?? 0);
    expect(placed + own!.unserved.mean).toBeCloseTo(own!.devices.mean, 3);
  });

  test('what wakes up takes from others', () => {
    const world = build();
    world.command('wifi-4', 'sleep');
    for (let n = 0; n < 30; n++) world.step();
    const [own] = whatIf(world, [{ ap_id: 'wifi-4', name: 'wake' }], { minutes: 1, futures: 2 }).takeOvers;
    expect(own!.devices.mean).toBeLessThan(0);
  });

  test('nobody moves without a cause', () => {
    const same = [{ ap_id: 'wifi-4', name: 'wake' }];
    const [own] = whatIf(build(), same, { minutes: 0.2, futures: 2 }).takeOvers;
    expect(own).toMatchObject({ devices: { mean: 0, plusMinus: 0 }, to: [], unserved: { mean: 0, plusMinus: 0 } });
  });
});

describe('with little time', () => {
  /** Each look at the clock takes three milliseconds: about one look for each second of three futures. */
  const slowly = () => {
    let ms = 0;
    return () => (ms += 3);
  };
  const ask = (minutes: number, futures: number, budgetMs: number) =>
    whatIf(build(), sleep, { minutes, futures, budgetMs, now: slowly() });

  test('fewer futures are run', () => {
    const { seconds, futures, isCutShort } = ask(1, 8, 300);
    expect({ seconds, isCutShort }).toEqual({ seconds: 60, isCutShort: true });
    expect(futures).toBeGreaterThanOrEqual(3);
    expect(futures).toBeLessThan(8);
  });

  test('if not even three fit, fewer minutes', () => {
    const { seconds, futures, isCutShort, timeline } = ask(5, 8, 90);
    expect(isCutShort).toBe(true);
    expect(seconds).toBeLessThan(40);
    expect(seconds).toBeGreaterThan(15);
    expect(futures).toBe(3);
    expect(timeline.at(-1)!.second).toBe(seconds);
  });

  test('one future is run as far as it gets, and a second of it always', () => {
    expect(ask(5, 1, 90)).toMatchObject({ futures: 1, isExact: true, isCutShort: true });
    expect(ask(5, 1, 0)).toMatchObject({ seconds: 1, futures: 1 });
    expect(ask(5, 8, 0)).toMatchObject({ seconds: 1, futures: 3, isExact: false });
  });

  test('law: it is bounded by the time, and what is run is what would have been run of it alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 2, max: 5 }), (budgetMs, futures) => {
        const now = slowly();
        const short = whatIf(build(), sleep, { minutes: 0.25, futures, budgetMs, now });
        expect(now()).toBeLessThan(1.1 * budgetMs + 20);
        if (short.futures < 2) return;
        const alone = whatIf(build(), sleep, { minutes: short.seconds / 60, futures: short.futures });
        expect(short.deliveredMbps).toEqual(alone.deliveredMbps);
      }),
      { numRuns: rounds(10) },
    );
  });

  test('enough time changes nothing', () => {
    expect(ask(0.2, 4, 1e6)).toMatchObject({ futures: 4, isCutShort: false });
  });
});

test('says what a command would be refused for', () => {
  const { results } = whatIf(build(), [{ ap_id: 'wifi-4', name: 'set_tilt', args: { degrees: 1 } }], one);
  expect(results).toMatchObject([{ state: 'failed' }]);
});

test.each([0, -1, 61, Number.NaN])('%d minutes are refused', (minutes) => {
  expect(() => whatIf(build(), [], { minutes, futures: 2 })).toThrow(RangeError);
});

test.each([0, 33, 1.5, Number.NaN])('%d futures are refused', (futures) => {
  expect(() => whatIf(build(), [], { minutes: 1, futures })).toThrow(RangeError);
});
