// Delays against queueing theory: transfers that arrive by chance (Poisson) with known sizes, at an access point of each kind whose
// devices have one rate. Everything between what devices ask for and what reports say is the model's own.
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { createWorld } from '../index.ts';
import { town } from '../town.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { askForTraffic } from './demand.ts';
import { baseMs, needAir, shareAndDeliver } from './scheduler.ts';
import { classModels } from './traffic-classes.ts';

const { burstBits, spread, uplink } = classModels.web;
const devicesEach = 10;
const rates = { '5G': 400e6, WiFi: 200e6, LiFi: 60e6 };
const seconds = rounds(100_000, 6_000);

interface Measured {
  load: number;
  latencyMs: number;
  throughput: number;
  waitingBits: number;
}

function serve(type: keyof typeof rates, load: number): Measured & { shareOfAir: number } {
  const index = accessPointTypes.indexOf(type);
  const state: WorldState = createWorld(town({ counts: { [type]: 1 }, devicesEach })).snapshot();
  const { devices, cells, tallies } = state;
  const shareOfAir = type === '5G' ? 1 : type === 'LiFi' ? 0.95 : 1 - cells.foreignShare[0]!;
  // WiFi has its uplink in the same air.
  const work = (burstBits / rates[type]) * (type === 'WiFi' ? 1 + uplink : 1);
  devices.trafficClass.fill(3);
  devices.peakBps.fill((load * shareOfAir * burstBits) / work / devicesEach);
  devices.serving.fill(0);
  let used = 0;
  for (state.step = 1; state.step <= seconds; state.step++) {
    askForTraffic(7, state.step, devices, Float64Array.of(1), state.balance, state.uplink);
    devices.rateBps.fill(rates[type]);
    devices.upRateBps.fill(rates[type]);
    cells.hasBackhaul[0] = 1;
    needAir(state);
    shareAndDeliver(state);
    used += cells.load[0]! * (type === 'WiFi' ? cells.efficiency[0]! : 1);
  }
  const delivered = tallies.deliveredBits[0]!;
  return {
    shareOfAir,
    load: used / seconds / shareOfAir,
    latencyMs: baseMs[index]! + (1000 * tallies.waitBitS[0]!) / delivered,
    throughput: delivered / seconds,
    waitingBits: tallies.waitingBits[0]! / seconds,
  };
}

describe.each(accessPointTypes)('%s', (type) => {
  test.each([0.1, 0.3, 0.5, 0.7])('at a load of %d data waits as it does at a shared server', (target) => {
    const { load, latencyMs, throughput, waitingBits, shareOfAir } = serve(type, target);
    expect(Math.abs(load / target - 1)).toBeLessThan(0.1);
    // A transfer of size x is done after x / (1 - load); of its bits, each waits half of that on average.
    const work = (burstBits / rates[type] / shareOfAir) * (type === 'WiFi' ? 1 + uplink : 1);
    const theoryMs = baseMs[accessPointTypes.indexOf(type)]! + (1000 * work * Math.exp(spread ** 2)) / 2 / (1 - load);
    expect(Math.abs(latencyMs / theoryMs - 1), `${latencyMs} ms, theory ${theoryMs} ms`).toBeLessThan(0.2);
    // Little's law.
    expect(Math.abs((latencyMs * throughput) / 1000 / waitingBits - 1)).toBeLessThan(0.01);
  });

  test('overloaded, too, latency × throughput is what waits', () => {
    const { latencyMs, throughput, waitingBits } = serve(type, 1.5);
    expect(Math.abs((latencyMs * throughput) / 1000 / waitingBits - 1)).toBeLessThan(0.01);
  });
});
