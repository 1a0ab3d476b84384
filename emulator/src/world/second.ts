// One second of a world, as a list of what happens in it.
import { type AccessPoint, advance, isAgentUp, maxOpticalW, project } from '../access-points/access-point.ts';
import { faultOf } from '../access-points/faults.ts';
import { attachLinks } from '../multi-link/link-attachment.ts';
import { carrierOf, isMultiLink, rowOf } from '../multi-link/link-policies.ts';
import { collectTraffic, splitTraffic } from '../multi-link/link-sharing.ts';
import { linksEach } from '../multi-link/multi-link-table.ts';
import { devicePowerW } from '../radio/device-power.ts';
import { lifiPowerW } from '../radio/lifi.ts';
import { activityOf, type NrPowerState, nrPowerW, nrTransition } from '../radio/nr-power.ts';
import { wifiPowerW } from '../radio/wifi.ts';
import { streams, uniform } from '../randomness.ts';
import { askForTraffic, brightestLx, daylightLx, demandFactor, localHour } from '../traffic/demand.ts';
import { askImported, followTracks } from '../traffic/imported.ts';
import { budgetsMs, needAir, shareAndDeliver } from '../traffic/scheduler.ts';
import { attach } from './attachment.ts';
import { findJammers, isBusyWith, jammerDuty, nrJamMw, wifiJamMw } from './jammers.ts';
import { findHidden, lifiLinks, lifiNoiseA2, measureLifi } from './lifi-layer.ts';
import { type LinkModel, markStale, updateLinks } from './links.ts';
import { moveDevices } from './mobility.ts';
import { measureNr, nrLinks } from './nr-layer.ts';
import { bandOfCell } from './wifi-air.ts';
import { measureWifi, wifiLinks } from './wifi-layer.ts';
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
  moveDevices(state.chance, state.step, state.devices, state.cells, state.roamM);
  followTracks(state);
  for (const [layer, model] of layersOf(state)) updateLinks(state, layer, model);
  findHidden(state);
  askDevices(state);
  askImported(state);
  attachAndMeasure(state);
  splitTraffic(state);
  needAir(state);
  shareAndDeliver(state);
  collectTraffic(state);
  for (let device = 0; device < state.devices.count; device++) countDevice(state, device);
  for (let ap = 0; ap < state.cells.count; ap++) countSecond(state, ap);
  state.nrActivity = meanActivity(state);
}

/** So many changes at once, and it is cheaper to let everybody look around. */
const manyChanges = 64;

function moveAccessPoints(state: WorldState): void {
  const { accessPoints, cells, step } = state;
  const changed: number[][] = [[], [], []];
  for (const [index, ap] of accessPoints.entries()) {
    advance(ap, step);
    const channel = cells.channel[index]! * 1000 + cells.widthMhz[index]!;
    const hasChanged = project(ap, index, cells, step);
    if (hasChanged) changed[cells.type[index]!]!.push(index);
    if (hasChanged || channel !== cells.channel[index]! * 1000 + cells.widthMhz[index]!) {
      if (cells.type[index] === wifi) state.wifiVersion++;
      if (cells.type[index] === nr) state.farField.version++;
    }
  }
  state.jammers = findJammers(state);
  for (let index = 0; index < cells.count; index++) hearForeign(state, index);
  for (const [type, [layer]] of layersOf(state).entries()) {
    if (changed[type]!.length > manyChanges) layer.links.isStale.fill(1);
    else for (const index of changed[type]!) markStale(state, layer, index);
  }
}

/** What an access point hears of others than the network: some always, and jammers. */
function hearForeign(state: WorldState, index: number): void {
  const { cells, jammers } = state;
  let share = 0.02 + 0.04 * slowNoise(state, index);
  let mw = 0;
  if (jammers.length > 0 && cells.type[index] !== lifi) {
    const [x, y] = [cells.x[index]!, cells.y[index]!];
    mw =
      cells.type[index] === wifi
        ? wifiJamMw(jammers, wifi!, x, y, bandOfCell(state, index))
        : nrJamMw(jammers, nr!, x, y);
    if (cells.type[index] === wifi && isBusyWith(mw)) share += jammerDuty;
  }
  cells.foreignShare[index] = share;
  cells.foreignMw[index] = jammerDuty * mw;
}

/** Between 0 and 1, another value every minute, and evenly from one to the next. */
function slowNoise({ chance: seed, step }: WorldState, index: number): number {
  const minute = Math.floor(step / 60);
  const from = uniform(seed, streams.background, index, minute);
  return from + (uniform(seed, streams.background, index, minute + 1) - from) * ((step % 60) / 60);
}

function askDevices(state: WorldState): void {
  const { accessPoints } = state;
  const factors = new Float64Array(accessPoints.length);
  for (let ap = 0; ap < accessPoints.length; ap++) {
    const { profile, longitude } = accessPoints[ap]!;
    factors[ap] = demandFactor(profile, hourAt(state, longitude));
  }
  askForTraffic(state.chance, state.step, state.devices, factors, state.balance, state.uplink);
}

function attachAndMeasure(state: WorldState): void {
  const { accessPoints, devices } = state;
  const noiseA2 = new Float64Array(accessPoints.length);
  for (let ap = 0; ap < accessPoints.length; ap++) {
    const { type, longitude } = accessPoints[ap]!;
    if (type === 'LiFi') noiseA2[ap] = lifiNoiseA2(daylightLx(hourAt(state, longitude)) / brightestLx);
  }
  for (let device = 0; device < devices.count; device++) {
    if (isMultiLink(state, device)) {
      attachLinks(state, device, noiseA2, measure);
      continue;
    }
    const ap = attach(state, device, noiseA2);
    const rate = ap < 0 ? 0 : measure(state, device, ap, noiseA2);
    devices.rateBps[device] = rate * (1 - devices.lostS[device]!);
  }
}

function measure(state: WorldState, device: number, ap: number, noiseA2: Float64Array): number {
  const type = state.cells.type[ap];
  if (type === nr) return measureNr(state, device, ap);
  return type === wifi ? measureWifi(state, device, ap) : measureLifi(state, device, ap, noiseA2);
}

/** What the second was like for the device, and what its radios drew. */
function countDevice(state: WorldState, device: number): void {
  const { devices, experience } = state;
  devices.energyJ[device]! += radioPowerW(state, device);
  const ap = carrierOf(state, device);
  const isServed = ap >= 0 && devices.rateBps[device]! > 0 && state.cells.capacity[ap]! > 0;
  experience.outageS += isServed ? devices.lostS[device]! : 1;
  const latencyMs = devices.latencyMs[device]!;
  const waitsInVain = ap < 0 && devices.backlogBits[device]! > 0;
  if (latencyMs === 0 && !waitsInVain) return;
  experience.dataS += 1;
  if (!waitsInVain && latencyMs <= budgetsMs[devices.trafficClass[device]!]!) experience.metS += 1;
}

function radioPowerW(state: WorldState, device: number): number {
  const { cells, devices, multi } = state;
  const powerOfRow = (row: number) => {
    const ap = devices.serving[row]!;
    return ap < 0 ? 0 : devicePowerW(cells.type[ap]!, devices.airS[row]!, devices.upAirS[row]!);
  };
  if (!isMultiLink(state, device)) return powerOfRow(device);
  let watts = 0;
  for (let type = 0; type < linksEach; type++) watts += powerOfRow(rowOf(state, multi.entry[device]!, type));
  return watts;
}

function countSecond(state: WorldState, ap: number): void {
  const { cells, tallies } = state;
  tallies.steps[ap]! += 1;
  tallies.attached[ap]! += cells.attached[ap]!;
  tallies.load[ap]! += cells.load[ap]!;
  tallies.utilisation[ap]! += cells.utilisation[ap]!;
  tallies.noiseMw[ap]! += cells.foreignMw[ap]!;
  drawPower(state, ap);
}

/** Share of the air that a 5G cell uses on average: those far away are not looked at one by one. */
function meanActivity({ cells }: WorldState): number {
  let sum = 0;
  let count = 0;
  for (let ap = 0; ap < cells.count; ap++) {
    if (cells.type[ap] !== nr || cells.isOnAir[ap] === 0) continue;
    sum += cells.load[ap]!;
    count++;
  }
  return activityOf(count === 0 ? 0 : sum / count);
}

function drawPower({ accessPoints, cells, tallies, step }: WorldState, index: number): void {
  const ap = accessPoints[index]!;
  let watts = isAgentUp(ap) || !faultOf(ap.faults, 'crash') ? powerOf(ap, cells.load[index]!) : 0;
  // Falling asleep and waking up cost energy of their own, in the second in which the cell wakes.
  if (ap.type === '5G' && ap.wokeAtStep === step) watts += nrTransition(ap.scenario, ap.depth).energyJ;
  cells.powerW[index] = watts;
  tallies.energyJ[index]! += watts;
  ap.energyJ += watts;
}

const nrStates: Partial<Record<AccessPoint['power_state'], NrPowerState>> = {
  asleep: 'deep',
  dozing: 'light',
  starting: 'starting',
  down: 'starting',
};

function powerOf({ type, scenario, power_state, actual }: AccessPoint, load: number): number {
  const isAwake = power_state !== 'asleep';
  if (type === '5G') return nrPowerW(scenario, nrStates[power_state] ?? 'sending', actual.tx_power_dbm, load);
  if (type === 'WiFi') return wifiPowerW(isAwake, actual.tx_power_dbm, load);
  return lifiPowerW(isAwake, (maxOpticalW * actual.dimming_pct) / 100, load);
}

function hourAt({ startMs, step }: WorldState, longitude: number): number {
  return localHour(startMs + step * 1000, longitude);
}
