// Delays against queueing theory: transfers that arrive by chance (Poisson) with known sizes, at an access point of each kind whose
// devices have one rate. Everything between what devices ask for and what reports say is the model's own.

import { trafficClasses } from '@weft/contract/emulated-model';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { createWorld } from '../index.ts';
import { town } from '../town.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { askForTraffic } from './demand.ts';
import { baseMs, needAir, shareAndDeliver } from './scheduler.ts';
import { classModels } from './traffic-classes.ts';

type Use = 'web' | 'video';
const rates = { '5G': 400e6, WiFi: 200e6, LiFi: 60e6 };
const seconds = rounds(100_000, 6_000);

interface Measured {
  /** Of a mean transfer, in seconds of the air that the access point has. */
  serviceS: number;
  load: number;
  latencyMs: number;
  throughput: number;
  waitingBits: number;
}

function serve(type: keyof typeof rates, load: number, devicesEach = 10, use: Use = 'web'): Measured {
  const { burstBits, uplink } = classModels[use];
  const index = accessPointTypes.indexOf(type);
  const state: WorldState = createWorld(town({ counts: { [type]: 1 }, devicesEach })).snapshot();
  const { devices, cells, tallies } = state;
  const shareOfAir = type === '5G' ? 1 : type === 'LiFi' ? 0.95 : 1 - cells.foreignShare[0]!;
  // More than sixteen transfers of one device in a second are counted as so many larger ones.
  const rate = devicesEach > 1 ? rates[type] : Math.min(rates[type], 160e6);
  // WiFi has its uplink in the same air.
  const work = (burstBits / rate) * (type === 'WiFi' ? 1 + uplink : 1);
  devices.trafficClass.fill(trafficClasses.indexOf(use));
  devices.peakBps.fill((load * shareOfAir * burstBits) / work / devicesEach);
  devices.serving.fill(0);
  let used = 0;
  for (state.step = 1; state.step <= seconds; state.step++) {
    askForTraffic(7, state.step, devices, Float64Array.of(1), state.balance, state.uplink);
    devices.rateBps.fill(rate);
    devices.upRateBps.fill(rate);
    cells.hasBackhaul[0] = 1;
    needAir(state);
    shareAndDeliver(state);
    used += cells.load[0]! * (type === 'WiFi' ? cells.efficiency[0]! : 1);
  }
  const delivered = tallies.deliveredBits[0]!;
  return {
    serviceS: work / shareOfAir,
    load: used / seconds / shareOfAir,
    latencyMs: baseMs[index]! + (1000 * tallies.waitBitS[0]!) / delivered,
    throughput: delivered / seconds,
    waitingBits: tallies.waitingBits[0]! / seconds,
  };
}

describe.each(accessPointTypes)('%s', (type) => {
  test.each([0.1, 0.3, 0.5, 0.7])('at a load of %d data waits as it does at a shared server', (target) => {
    const { load, latencyMs, throughput, waitingBits, serviceS } = serve(type, target);
    expect(Math.abs(load / target - 1)).toBeLessThan(0.1);
    // A transfer of size x is done after x / (1 - load); of its bits, each waits half of that on average.
    const { spread } = classModels.web;
    const theoryMs =
      baseMs[accessPointTypes.indexOf(type)]! + (1000 * serviceS * Math.exp(spread ** 2)) / 2 / (1 - load);
    expect(Math.abs(latencyMs / theoryMs - 1), `${latencyMs} ms, theory ${theoryMs} ms`).toBeLessThan(0.2);
    // Little's law.
    expect(Math.abs((latencyMs * throughput) / 1000 / waitingBits - 1)).toBeLessThan(0.01);
  });

  const orders = [0.3, 0.7].flatMap((load) => (['web', 'video'] as const).map((use) => [use, load] as const));
  test.each(orders)('%s of one device is served in order, at a load of %d: Pollaczek-Khinchine', (use, target) => {
    const { load, throughput, waitingBits, serviceS } = serve(type, target, 1, use);
    // Work ahead of whoever arrives: arrivals × E[S²] / 2 (1 - load). Whatever their order, that much waits on average.
    const aheadS = (load * serviceS * Math.exp(classModels[use].spread ** 2)) / 2 / (1 - load);
    const onTheWayS = baseMs[accessPointTypes.indexOf(type)]! / 1000;
    const seenS = (waitingBits / throughput - onTheWayS) * load;
    expect(Math.abs(seenS / aheadS - 1), `${seenS} s, theory ${aheadS} s`).toBeLessThan(0.2);
  });

  test('overloaded, too, latency × throughput is what waits', () => {
    const { latencyMs, throughput, waitingBits } = serve(type, 1.5);
    expect(Math.abs((latencyMs * throughput) / 1000 / waitingBits - 1)).toBeLessThan(0.01);
  });
});
