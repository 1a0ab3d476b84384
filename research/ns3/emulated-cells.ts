// The cases of ns-3 in the emulator: the same cells, stations and queues without end. What decides the rate is calculated, what
// decides who sends is a world that runs, in which everybody within reach is heard loudly.

import { contentionEfficiency, loneCycleUs, loneGoodputMbps } from '../../emulator/src/radio/medium-access.ts';
import {
  goodputMbps,
  heRateMbps,
  noiseFloorDbm,
  usualWifiRadio,
  type WifiRadio,
  wifiLinkOf,
} from '../../emulator/src/radio/wifi.ts';
import { town } from '../../emulator/src/town.ts';
import { createWorld, restoreWorld } from '../../emulator/src/world/world.ts';
import type { WorldState } from '../../emulator/src/world/world-state.ts';
import type { Ns3Case } from './cases.ts';

/** So that queues and contention have settled, and what is measured then. */
const settleSteps = 10;
const steps = 20;
const loud = 1e-5;
const endless = 1e12;

/** Goodput of each cell in Mb/s. */
export function emulatedMbps(each: Ns3Case): number[] {
  const { mcs, signalDbm = -45, noiseFigureDb = 7, widthMhz = 40, stations = 1, uplink } = each;
  if (mcs === 11) return runCells(each);
  // ns-3 receives as theory says: a receiver with a margin is one of a higher noise figure there.
  const radio: WifiRadio = { ...usualWifiRadio, streams: 1, marginDb: noiseFigureDb - usualWifiRadio.noiseFigureDb };
  const sinr = 10 ** ((signalDbm - noiseFloorDbm(widthMhz)) / 10);
  const lone =
    mcs === undefined
      ? goodputMbps(wifiLinkOf(sinr, widthMhz, radio)!, radio)
      : loneGoodputMbps(heRateMbps(mcs, widthMhz), 1);
  return [lone * contentionEfficiency(uplink ? stations : 1, loneCycleUs(lone))];
}

function runCells({
  cells = 1,
  stations = 1,
  graph = [],
  uplink = false,
  rts = false,
  widthMhz = 40,
}: Ns3Case): number[] {
  const spec = town({ counts: { WiFi: cells }, devicesEach: stations });
  const wifiRadio: Partial<WifiRadio> = { streams: 1, ...(rts && { rtsAboveBytes: 0 }) };
  const first = createWorld({ ...spec, peakMbpsPerDevice: 0, wifiRadio });
  const state = first.snapshot();
  for (const { wished, actual } of state.accessPoints) {
    for (const settings of [wished, actual]) Object.assign(settings, { channel: 36, channel_width_mhz: widthMhz });
  }
  state.neighbours = state.neighbours.map((_, cell) => neighboursOf(cell, graph));
  const world = restoreWorld(state);
  world.step();
  const settled = world.snapshot();
  for (let device = 0; device < settled.devices.count; device++) fill(settled, device, uplink);
  const saturated = restoreWorld(settled);
  const sums = Array.from({ length: cells }, () => 0);
  for (let step = 0; step < settleSteps + steps; step++) {
    for (const [cell, { fields }] of saturated.step().entries()) {
      if (step >= settleSteps) sums[cell]! += fields[uplink ? 'uplink_mbps' : 'throughput_mbps']!;
    }
  }
  return sums.map((sum) => sum / steps);
}

function neighboursOf(cell: number, graph: NonNullable<Ns3Case['graph']>): WorldState['neighbours'][number] {
  const others = graph.flatMap(([one, other]) => (one === cell ? [other] : other === cell ? [one] : []));
  return {
    index: Int32Array.from(others),
    distanceM: Float64Array.from(others, () => 20),
    gain: Float64Array.from(others, () => loud),
  };
}

/** The device sits, hears its own access point and nobody else, and has data without end. */
function fill({ devices, wifi, cells }: WorldState, device: number, isUplink: boolean): void {
  const home = devices.home[device]!;
  const { slots, ap, gain } = wifi.links;
  ap.fill(-1, device * slots, (device + 1) * slots);
  ap[device * slots] = home;
  gain[device * slots] = loud;
  const before = devices.serving[device]!;
  if (before >= 0) cells.attached[before]! -= 1;
  cells.attached[home]! += 1;
  devices.serving[device] = home;
  devices.kind[device] = 0;
  devices.speedMPerS[device] = 0;
  devices[isUplink ? 'upBacklogBits' : 'backlogBits'][device] = endless;
}
