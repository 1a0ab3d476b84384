// One second of a world, as a list of what happens in it.
import { type AccessPoint, advance, isAgentUp, maxOpticalW, project } from '../access-points/access-point.ts';
import { faultOf } from '../access-points/faults.ts';
import { lifiPowerW } from '../radio/lifi.ts';
import { nrPowerW } from '../radio/nr.ts';
import { maxUtilisation, wifiPowerW } from '../radio/wifi.ts';
import { streams, uniform } from '../randomness.ts';
import { attach } from './attachment.ts';
import { lifiLinks, lifiNoiseA2, measureLifi } from './lifi-layer.ts';
import { type LinkModel, markStale, updateLinks } from './links.ts';
import { moveDevices } from './mobility.ts';
import { measureNr, nrLinks } from './nr-layer.ts';
import { askForTraffic, brightestLx, daylightLx, demandFactor, localHour } from './traffic.ts';
import { measureWifi, shareAir, wifiLinks } from './wifi-layer.ts';
import { accessPointTypes } from './world-spec.ts';
import type { Layer, WorldState } from './world-state.ts';

const [nr, wifi, lifi] = accessPointTypes.keys();

/** The three technologies with their paths, in the order of accessPointTypes. */
export function layersOf(state: WorldState): [Layer, LinkModel][] {
  return [
    [state.nr, nrLinks],
    [state.wifi, wifiLinks],
    [state.lifi, lifiLinks],
  ];
}

export function passSecond(state: WorldState): void {
  state.step++;
  moveAccessPoints(state);
  moveDevices(state.seed, state.step, state.devices, state.cells);
  for (const [layer, model] of layersOf(state)) updateLinks(state, layer, model);
  askDevices(state);
  attachAndMeasure(state);
  for (let ap = 0; ap < state.cells.count; ap++) shareOut(state, ap);
  deliver(state);
  for (let ap = 0; ap < state.cells.count; ap++) drawPower(state, ap);
}

/** So many changes at once, and it is cheaper to let everybody look around. */
const manyChanges = 64;

function moveAccessPoints(state: WorldState): void {
  const { accessPoints, cells, step } = state;
  const changed: number[][] = [[], [], []];
  for (const [index, ap] of accessPoints.entries()) {
    advance(ap, step);
    if (project(ap, index, cells, step)) changed[cells.type[index]!]!.push(index);
    const jam = faultOf(ap.faults, 'jammed_channel') ? 0.6 : 0;
    cells.foreignShare[index] = 0.02 + 0.04 * slowNoise(state, index) + jam;
  }
  for (const [type, [layer]] of layersOf(state).entries()) {
    if (changed[type]!.length > manyChanges) layer.links.isStale.fill(1);
    else for (const index of changed[type]!) markStale(state, layer, index);
  }
}

/** Between 0 and 1, another value every minute, and evenly from one to the next. */
function slowNoise({ seed, step }: WorldState, index: number): number {
  const minute = Math.floor(step / 60);
  const from = uniform(seed, streams.background, index, minute);
  return from + (uniform(seed, streams.background, index, minute + 1) - from) * ((step % 60) / 60);
}

function askDevices(state: WorldState): void {
  const { accessPoints, cells, balance } = state;
  const [asked, lost] = [new Float64Array(cells.count), new Float64Array(cells.count)];
  const factors = Float64Array.from(accessPoints, ({ profile, longitude }) => {
    return demandFactor(profile, hourAt(state, longitude));
  });
  askForTraffic(state.seed, state.step, state.devices, factors, state.peakBpsPerDevice, asked, lost);
  for (let ap = 0; ap < cells.count; ap++) {
    balance.askedBits += asked[ap]!;
    balance.lostBits += lost[ap]!;
  }
}

/** No flow is faster than what is at its other end. */
const usualFlowBps = 6e6;

function attachAndMeasure(state: WorldState): void {
  const { accessPoints, cells, devices } = state;
  const { count, backlogBits, rateBps, wantedShare } = devices;
  const noiseA2 = Float64Array.from(accessPoints, ({ type, longitude }, index) => {
    if (type !== 'LiFi') return 0;
    return lifiNoiseA2(daylightLx(hourAt(state, longitude)) / brightestLx, cells.noiseFactor[index]!);
  });
  const fastestBps = Math.max(usualFlowBps, 4 * state.peakBpsPerDevice);
  cells.wanted.fill(0);
  for (let device = 0; device < count; device++) {
    const ap = attach(state, device, noiseA2);
    const rate = ap < 0 ? 0 : measure(state, device, ap, noiseA2);
    rateBps[device] = rate;
    const share = rate > 0 ? Math.min(1, Math.min(fastestBps, backlogBits[device]!) / rate) : 0;
    wantedShare[device] = share;
    // Behind a cut backhaul there is nothing to send.
    if (ap >= 0 && cells.hasBackhaul[ap] === 1) cells.wanted[ap]! += share;
  }
}

function measure(state: WorldState, device: number, ap: number, noiseA2: Float64Array): number {
  const type = state.cells.type[ap];
  if (type === nr) return measureNr(state, device, ap);
  return type === wifi ? measureWifi(state, device, ap) : measureLifi(state, device, ap, noiseA2);
}

/** What part of the air that its devices want the access point can give them. */
function shareOut(state: WorldState, ap: number): void {
  const { cells, tallies } = state;
  if (cells.type[ap] === wifi) {
    shareAir(state, ap);
  } else {
    const most = cells.type[ap] === lifi ? maxUtilisation : cells.quota[ap]!;
    cells.granted[ap] = cells.wanted[ap]! > most ? most / cells.wanted[ap]! : 1;
    cells.load[ap] = cells.wanted[ap]! * cells.granted[ap]!;
    cells.utilisation[ap] = cells.load[ap]!;
  }
  if (cells.hasBackhaul[ap] === 0) cells.granted[ap] = 0;
  tallies.steps[ap]! += 1;
  tallies.attached[ap]! += cells.attached[ap]!;
  tallies.load[ap]! += cells.load[ap]!;
  tallies.utilisation[ap]! += cells.utilisation[ap]!;
}

function deliver(state: WorldState): void {
  const { cells, devices, tallies, balance } = state;
  const { count, serving, rateBps, wantedShare, backlogBits } = devices;
  let served = 0;
  let delivered = 0;
  for (let device = 0; device < count; device++) {
    const ap = serving[device]!;
    if (ap < 0) continue;
    const granted = cells.granted[ap]!;
    const bits = Math.min(backlogBits[device]!, wantedShare[device]! * granted * rateBps[device]!);
    backlogBits[device]! -= bits;
    delivered += bits;
    tallies.deliveredBits[ap]! += bits;
    tallies.waitingBits[ap]! += backlogBits[device]!;
    if (rateBps[device]! > 0 && granted > 0) {
      served++;
      tallies.served[ap]! += 1;
    }
  }
  state.served = served;
  balance.deliveredBits += delivered;
}

function drawPower({ accessPoints, cells, tallies }: WorldState, index: number): void {
  const ap = accessPoints[index]!;
  const watts = isAgentUp(ap) || !faultOf(ap.faults, 'crash') ? powerOf(ap, cells.load[index]!) : 0;
  cells.powerW[index] = watts;
  tallies.energyJ[index]! += watts;
  ap.energyJ += watts;
}

function powerOf({ type, scenario, power_state, actual }: AccessPoint, load: number): number {
  const isAwake = power_state !== 'asleep';
  if (type === '5G') return nrPowerW(scenario, isAwake, actual.tx_power_dbm, load);
  if (type === 'WiFi') return wifiPowerW(isAwake, actual.tx_power_dbm, load);
  return lifiPowerW(isAwake, (maxOpticalW * actual.dimming_pct) / 100, load);
}

function hourAt({ startMs, step }: WorldState, longitude: number): number {
  return localHour(startMs + step * 1000, longitude);
}
