// Shares the air of each access point among its devices, and delivers. Every device with data gets an equal share of the
// resource (blocks of 5G, time of WiFi and light), what one does not need goes to the others, and the time that bits spend
// waiting follows from what arrived and what was served (Little's law).
import { maxUtilisation } from '../radio/wifi.ts';
import { measureAir, shareAir } from '../world/wifi-air.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { classModels, trafficClasses } from './traffic-classes.ts';
import { WaterLevel } from './water-level.ts';

const [, wifi, lifi] = accessPointTypes.keys();
export const budgetsMs = Float64Array.from(trafficClasses, (name) => classModels[name].budgetMs);
const classTallies = trafficClasses.map((name) => `${name}Bits` as const);

/** Processing and frames, before any waiting; and how long one turn of another device takes. */
export const baseMs = [3, 2, 2];
export const turnMs = [0.5, 2, 1];

/** Devices by access point, in one list; rebuilt in each second. */
let order = new Int32Array(0);
let starts = new Int32Array(0);
const water = new WaterLevel();

/** What devices need of the air in this second, from what waits and how fast it could go. */
export function needAir(state: WorldState): void {
  const { cells, devices } = state;
  const { serving, backlogBits, upBacklogBits, rateBps, upRateBps, need, latencyMs } = devices;
  cells.wanted.fill(0);
  devices.sentBits.fill(0);
  devices.airS.fill(0);
  devices.upAirS.fill(0);
  // Rows behind those of the devices are links of devices that hold several.
  for (let device = 0; device < serving.length; device++) {
    const ap = serving[device]!;
    need[device] = 0;
    if (ap < 0) latencyMs[device] = 0;
    // Behind a cut backhaul there is nothing to send.
    if (ap < 0 || rateBps[device] === 0 || cells.hasBackhaul[ap] === 0) continue;
    let share = backlogBits[device]! / rateBps[device]!;
    // WiFi has one air for both directions.
    if (cells.type[ap] === wifi && upRateBps[device]! > 0) share += upBacklogBits[device]! / upRateBps[device]!;
    need[device] = share;
    cells.wanted[ap]! += share;
  }
}

export function shareAndDeliver(state: WorldState): void {
  const { cells } = state;
  sortByCell(state);
  shareAir(state);
  state.served = 0;
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] === lifi) cells.capacity[ap] = maxUtilisation;
    else if (cells.type[ap] !== wifi) cells.capacity[ap] = cells.quota[ap]!;
    if (cells.hasBackhaul[ap] === 0) cells.capacity[ap] = 0;
    deliver(state, ap);
    if (cells.type[ap] !== wifi) deliverUp(state, ap);
  }
  measureAir(state);
}

/** Which links (their rows) are attached to the access point, after `shareAndDeliver` and until it is called again for whatever world. */
export function attachedTo(ap: number): Int32Array {
  return order.subarray(starts[ap]!, starts[ap + 1]!);
}

function deliver(state: WorldState, ap: number): void {
  const { cells, devices, tallies, balance } = state;
  const { backlogBits, streamBits, rateBps, need, serviceBps, latencyMs, trafficClass } = devices;
  const capacity = cells.capacity[ap]!;
  const type = cells.type[ap]!;
  water.begin();
  for (let n = starts[ap]!; n < starts[ap + 1]!; n++) if (need[order[n]!]! > 0) water.add(need[order[n]!]!);
  water.settle(capacity);
  let used = 0;
  let busyS = 0;
  for (let n = starts[ap]!; n < starts[ap + 1]!; n++) {
    const device = order[n]!;
    const waiting = backlogBits[device]!;
    const rate = rateBps[device]!;
    const isDevice = device < devices.count;
    if (rate > 0 && capacity > 0) {
      if (isDevice) state.served++;
      tallies.served[ap]! += 1;
    }
    latencyMs[device] = 0;
    const share = rate > 0 ? water.shareOf(need[device]!) : 0;
    serviceBps[device] = rate * share;
    if (waiting === 0 && need[device] === 0) continue;
    used += Math.min(share, need[device]!);
    devices.airS[device] = Math.min(share, need[device]!);
    // With uplink in the same air, the downlink has its part of the turn.
    const downPart = need[device]! > 0 && rate > 0 ? waiting / rate / need[device]! : 1;
    const bps = rate * share * downPart;
    const stream = Math.min(streamBits[device]!, waiting);
    const bits = Math.min(waiting, bps);
    const waitBitS = waitOf(waiting - stream, stream, bps);
    backlogBits[device] = waiting - bits;
    devices.sentBits[device] = bits;
    // What links carry together is counted at their device, where copies are known.
    if (isDevice) balance.deliveredBits += bits;
    tallies.deliveredBits[ap]! += bits;
    tallies[classTallies[trafficClass[device]!]!][ap]! += bits;
    // Delay is of what comes through; who gets nothing counts in served devices and in budgets that are not met.
    if (bits > 0) tallies.waitBitS[ap]! += waitBitS;
    tallies.waitingBits[ap]! += backlogBits[device]!;
    if (type === wifi) sendUp(state, device, ap, share);
    if (waiting === 0) continue;
    const busy = bps > 0 ? Math.min(1, waiting / bps) : 1;
    busyS += busy;
    tallies.withData[ap]! += 1;
    latencyMs[device] = bits > 0 ? baseMs[type]! + (1000 * waitBitS) / bits : Infinity;
    if (latencyMs[device]! <= budgetsMs[trafficClass[device]!]!) tallies.budgetMet[ap]! += 1;
  }
  cells.load[ap] = used;
  if (type !== wifi) cells.utilisation[ap] = used;
  tallies.busyS[ap]! += busyS;
}

/**
 * Bits times seconds that wait within a second, if `burst` is there at its beginning, `stream` arrives evenly, and `bps` is
 * served: the area under what is left.
 */
export function waitOf(burst: number, stream: number, bps: number): number {
  if (bps < burst + stream) return burst + (stream - bps) / 2;
  // At least as fast as it arrived; said so, because rounding may not.
  return burst === 0 ? 0 : (burst * burst) / (2 * Math.max(burst, bps - stream));
}

/** Uplink in the same air, in the same turn. */
function sendUp({ devices, tallies, uplink }: WorldState, device: number, ap: number, share: number): void {
  const { upBacklogBits, upRateBps, airS, upAirS, need } = devices;
  if (upBacklogBits[device] === 0 || need[device] === 0) return;
  const bits = upBacklogBits[device]! * Math.min(1, share / need[device]!);
  upBacklogBits[device]! -= bits;
  tallies.upBits[ap]! += bits;
  if (device < devices.count) uplink.deliveredBits += bits;
  upAirS[device] = Math.min(airS[device]!, bits / upRateBps[device]!);
  airS[device]! -= upAirS[device]!;
}

/** Uplink in a part of the carrier, or in infrared, of its own: equal shares, as downlink. */
function deliverUp(state: WorldState, ap: number): void {
  const { cells, devices, tallies, uplink } = state;
  const { upBacklogBits, upRateBps, rateBps } = devices;
  if (cells.hasBackhaul[ap] === 0) return;
  const needOf = (device: number) =>
    rateBps[device]! > 0 && upRateBps[device]! > 0 ? upBacklogBits[device]! / upRateBps[device]! : 0;
  water.begin();
  for (let n = starts[ap]!; n < starts[ap + 1]!; n++) if (needOf(order[n]!) > 0) water.add(needOf(order[n]!));
  water.settle(1);
  let used = 0;
  for (let n = starts[ap]!; n < starts[ap + 1]!; n++) {
    const device = order[n]!;
    const need = needOf(device);
    if (need === 0) continue;
    const share = Math.min(need, water.shareOf(need));
    used += share;
    devices.upAirS[device] = share;
    const bits = Math.min(upBacklogBits[device]!, share * upRateBps[device]!);
    upBacklogBits[device]! -= bits;
    tallies.upBits[ap]! += bits;
    if (device < devices.count) uplink.deliveredBits += bits;
  }
  cells.uplinkLoad[ap] = used;
  tallies.upLoad[ap]! += used;
}

function sortByCell({ cells, devices }: WorldState): void {
  const { serving } = devices;
  const count = serving.length;
  if (order.length < count) order = new Int32Array(count);
  if (starts.length < cells.count + 1) starts = new Int32Array(cells.count + 1);
  starts.fill(0);
  for (let device = 0; device < count; device++) if (serving[device]! >= 0) starts[serving[device]! + 1]! += 1;
  for (let ap = 0; ap < cells.count; ap++) starts[ap + 1]! += starts[ap]!;
  const next = starts.slice(0, cells.count);
  for (let device = 0; device < count; device++) {
    const ap = serving[device]!;
    if (ap >= 0) order[next[ap]!++] = device;
  }
}
