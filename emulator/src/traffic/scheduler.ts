// Shares the air of each access point among its devices, and delivers. Every device with data gets an equal share of the
// resource (blocks of 5G, time of WiFi and light) while it has any, what one does not need goes to the others, and the time that
// bits spend waiting follows from when they arrived and what was served (Little's law).

import { trafficClasses } from '@weft/contract/emulated-model';
import { loneCycleUs } from '../radio/medium-access.ts';
import { streams, uniform } from '../randomness.ts';
import { measureAir, shareAir } from '../world/wifi-air.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { mostDraws, sizeOf } from './demand.ts';
import { ProcessorSharing } from './processor-sharing.ts';
import { classModels } from './traffic-classes.ts';
import { WaterLevel } from './water-level.ts';

const [, wifi, lifi] = accessPointTypes.keys();
export const budgetsMs = Float64Array.from(trafficClasses, (name) => classModels[name].budgetMs);
const classTallies = trafficClasses.map((name) => `${name}Bits` as const);

/** Processing and frames, before any waiting. */
export const baseMs = [3, 2, 2];

/** Devices by access point, in one list; rebuilt in each second. */
let order = new Int32Array(0);
let starts = new Int32Array(0);
const water = new WaterLevel();
/** Frames that WiFi would send, in a microsecond. */
let frames = new Float64Array(0);
/** Light carries so much of the time. */
const mostLight = 0.95;

/** What devices need of the air in this second, from what waits and how fast it could go. */
export function needAir(state: WorldState): void {
  const { cells, devices } = state;
  const { serving, backlogBits, upBacklogBits, rateBps, upRateBps, need, latencyMs } = devices;
  cells.wanted.fill(0);
  frames.fill(0);
  if (frames.length < cells.count) frames = new Float64Array(cells.count);
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
    if (cells.type[ap] === wifi) frames[ap]! += share / loneCycleUs(rateBps[device]! / 1e6);
  }
}

export function shareAndDeliver(state: WorldState): void {
  const { cells } = state;
  sortByCell(state);
  shareAir(state);
  state.served = 0;
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] === lifi) cells.capacity[ap] = mostLight;
    else if (cells.type[ap] !== wifi) cells.capacity[ap] = cells.quota[ap]!;
    if (cells.hasBackhaul[ap] === 0) cells.capacity[ap] = 0;
    deliver(state, ap);
    if (cells.type[ap] !== wifi) deliverUp(state, ap);
  }
  for (let ap = 0; ap < cells.count; ap++) if (frames[ap]! > 0) cells.cycleUs[ap] = cells.wanted[ap]! / frames[ap]!;
  measureAir(state);
}

/** Which links (their rows) are attached to the access point, after `shareAndDeliver` and until it is called again for whatever world. */
export function attachedTo(ap: number): Int32Array {
  return order.subarray(starts[ap]!, starts[ap + 1]!);
}

const sharing = new ProcessorSharing();
/** Air that devices of the access point took to send, one after the other. */
let upAir = new Float64Array(0);
let ups = 0;
/** By row: its number among those that share, or -1 for a stream. */
let jobs = new Int32Array(0);

function deliver(state: WorldState, ap: number): void {
  const { cells, devices, tallies, balance } = state;
  const { backlogBits, streamBits, rateBps, need, serviceBps, latencyMs, trafficClass } = devices;
  const capacity = cells.capacity[ap]!;
  const type = cells.type[ap]!;
  const base = baseMs[type]!;
  water.begin();
  for (let n = starts[ap]!; n < starts[ap + 1]!; n++) if (need[order[n]!]! > 0) water.add(need[order[n]!]!);
  water.settle(capacity);
  shareTransfers(state, ap, capacity);
  let used = 0;
  let usedUp = 0;
  let busyS = 0;
  ups = 0;
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
    const job = need[device]! > 0 ? jobs[device]! : -1;
    const air = job < 0 ? Math.min(share, need[device]!) : sharing.servedOf(job);
    const done = need[device]! > 0 ? (job >= 0 && sharing.leftOf(job) === 0 ? 1 : air / need[device]!) : 0;
    used += air;
    devices.airS[device] = air;
    // With uplink in the same air, the downlink has its part of the turn.
    const downPart = need[device]! > 0 && rate > 0 ? waiting / rate / need[device]! : 1;
    const bps = rate * share * downPart;
    const stream = Math.min(streamBits[device]!, waiting);
    const bits = job < 0 ? Math.min(waiting, bps) : waiting * Math.min(1, done);
    const waitBitS =
      job < 0 ? waitOf(waiting - stream, stream, bps) : (waiting * sharing.waitedOf(job)) / need[device]!;
    backlogBits[device] = waiting - bits;
    devices.sentBits[device] = bits;
    // What links carry together is counted at their device, where copies are known.
    if (isDevice) balance.deliveredBits += bits;
    tallies.deliveredBits[ap]! += bits;
    tallies[classTallies[trafficClass[device]!]!][ap]! += bits;
    // Delay is of what comes through; who gets nothing counts in served devices and in budgets that are not met.
    if (bits > 0) tallies.waitBitS[ap]! += waitBitS;
    tallies.waitingBits[ap]! += waitBitS + (bits * base) / 1000;
    if (type === wifi) usedUp += sendUp(state, device, ap, job < 0 ? Math.min(1, share / need[device]!) : done);
    if (waiting === 0) continue;
    busyS += job >= 0 ? sharing.busyOf(job) : bps > 0 ? Math.min(1, waiting / bps) : 1;
    tallies.withData[ap]! += 1;
    latencyMs[device] = bits > 0 ? base + (1000 * waitBitS) / bits : Infinity;
    if (latencyMs[device]! <= budgetsMs[trafficClass[device]!]!) tallies.budgetMet[ap]! += 1;
  }
  // What collides is on the air, too.
  cells.load[ap] = type === wifi ? used / cells.efficiency[ap]! : used;
  if (type !== wifi) cells.utilisation[ap] = used;
  else countSenders(state, ap, used > usedUp ? (used - usedUp) / (capacity - usedUp) : 0);
  tallies.busyS[ap]! += busyS;
}

/** Transfers share what streams leave, each from the moment on at which it arrives. */
function shareTransfers({ chance, step, devices }: WorldState, ap: number, capacity: number): void {
  const { backlogBits, streamBits, newBits, arrivals, need, trafficClass } = devices;
  sharing.begin();
  let left = capacity;
  for (let n = starts[ap]!; n < starts[ap + 1]!; n++) {
    const row = order[n]!;
    if (need[row] === 0) continue;
    if (streamBits[row]! > 0) {
      jobs[row] = -1;
      left -= Math.min(need[row]!, water.shareOf(need[row]!));
      continue;
    }
    const isNew = backlogBits[row]! > 0 ? Math.min(1, newBits[row]! / backlogBits[row]!) : 0;
    const job = sharing.add(need[row]! * (1 - isNew));
    jobs[row] = job;
    if (isNew === 0) continue;
    const work = need[row]! * isNew;
    const count = arrivals[row]!;
    const { spread } = classModels[trafficClasses[trafficClass[row]!]!];
    // Links of one device have what their policy gives them, in equal parts.
    const isDevice = count > 1 && row < devices.count;
    let all = isDevice ? 0 : count;
    for (let n = 0; isDevice && n < count; n++) all += sizeOf(chance, step, row, n, spread);
    for (let n = 0; n < count; n++) {
      const size = isDevice ? sizeOf(chance, step, row, n, spread) : 1;
      sharing.arrive(job, uniform(chance, streams.arrival, row, step * mostDraws + n), (work * size) / all);
    }
  }
  sharing.play(Math.max(0, left));
}

/**
 * How many senders of the access point had data waiting, it and those of its devices that sent: each for the longer, the more
 * others did, since all have equal chances. The largest number that agrees with itself.
 */
function countSenders({ cells }: WorldState, ap: number, down: number): void {
  const capacity = cells.capacity[ap]!;
  const own = Math.min(1, down);
  let [senders, squared] = [own + ups, own * own + ups];
  for (let round = 0; round < 8 && ups > 0; round++) {
    const among = senders;
    [senders, squared] = [own, own * own];
    for (let n = 0; n < ups; n++) {
      const active = Math.min(1, (upAir[n]! / capacity) * Math.max(1, among));
      senders += active;
      squared += active * active;
    }
    if (among - senders < 1e-3 * among) break;
  }
  cells.senders[ap] = senders;
  cells.sendersSquared[ap] = squared;
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

/** Uplink in the same air, in the same turn: this part of it is done. Returns the air it took. */
function sendUp({ devices, tallies, uplink }: WorldState, device: number, ap: number, done: number): number {
  const { upBacklogBits, upRateBps, airS, upAirS, need } = devices;
  if (upBacklogBits[device] === 0 || need[device] === 0) return 0;
  const bits = upBacklogBits[device]! * Math.min(1, done);
  upBacklogBits[device]! -= bits;
  tallies.upBits[ap]! += bits;
  if (device < devices.count) uplink.deliveredBits += bits;
  const air = Math.min(airS[device]!, bits / upRateBps[device]!);
  upAirS[device] = air;
  airS[device]! -= air;
  if (air > 0) upAir[ups++] = air;
  return air;
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
  if (order.length < count) {
    order = new Int32Array(count);
    jobs = new Int32Array(count);
    upAir = new Float64Array(count);
  }
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
