// Builds a world's first moment from its description.

import { modelVersion } from '@weft/contract/emulated-model';
import { fromDb } from '@weft/contract/exact-math';
import { type AccessPoint, never } from '../access-points/access-point.ts';
import { plannedChannels, usualSettings } from '../access-points/settings.ts';
import { reserve, setLinkPolicy } from '../multi-link/link-policies.ts';
import { createMultiLinks, type LinkPolicy } from '../multi-link/multi-link-table.ts';
import { channelsOverlap, usualWifiRadio } from '../radio/wifi.ts';
import { normal, streams, uniform } from '../randomness.ts';
import { gainThrough, type Wall } from '../traffic/imported.ts';
import { placePillars } from './bodies.ts';
import { createCells } from './cells.ts';
import { createDevices, roamRadiusM } from './devices.ts';
import { createFarField } from './far-field.ts';
import { indoorLossDb } from './indoor-path.ts';
import { lifiLinks } from './lifi-layer.ts';
import { createLinks } from './link-table.ts';
import type { LinkModel } from './links.ts';
import { nrLinks } from './nr-layer.ts';
import { type Places, toPlaces } from './places.ts';
import { createGrid, createNearest, findNearest } from './spatial-grid.ts';
import { createTallies } from './tallies.ts';
import { wifiLinks, wifiWidth } from './wifi-layer.ts';
import {
  type AccessPointSpec,
  type AccessPointType,
  accessPointTypes,
  checkSpec,
  type WorldSpec,
} from './world-spec.ts';
import type { Layer, Neighbours, WorldState } from './world-state.ts';

const mostNeighbours = 48;
const reachM: Record<AccessPointType, number> = { '5G': 1, WiFi: 120, LiFi: 6 };
const shadowDeviationDb = 4;

/** Throws RangeError if the description makes no sense. */
export function createState(spec: WorldSpec): WorldState {
  checkSpec(spec);
  const { seed, startMs, reportIntervalSeconds = 1, peakMbpsPerDevice = 0.8 } = spec;
  const places = toPlaces(spec.accessPoints);
  const neighbours = findNeighbours(seed, spec.accessPoints, places, spec.imported?.walls ?? []);
  const channels = planChannels(spec.accessPoints, neighbours);
  const devices = createDevices(
    seed,
    spec.accessPoints.map(({ type, scenario, devices, mix, mbpsPerDevice = peakMbpsPerDevice }, n) => {
      const home = { type, scenario, mix, devices, x: places.x[n]!, y: places.y[n]! };
      return { ...home, meanBps: mbpsPerDevice * 1e6 };
    }),
  );
  const layerOf = (type: AccessPointType, model: LinkModel): Layer => ({
    grid: createGrid(membersOf(spec.accessPoints, type), places.x, places.y, model.rangeM),
    links: createLinks(devices.count, model.slots),
  });
  const state: WorldState = {
    model: modelVersion,
    seed,
    chance: seed,
    startMs,
    devicePrefix: '',
    step: 0,
    accessPoints: spec.accessPoints.map((ap, n) => createAccessPoint(ap, channels[n]!, reportIntervalSeconds, n)),
    cells: createCells(
      spec.accessPoints.map(({ type }) => type),
      places.x,
      places.y,
    ),
    neighbours,
    devices,
    multi: createMultiLinks(devices.count),
    nr: layerOf('5G', nrLinks),
    wifi: layerOf('WiFi', wifiLinks),
    lifi: layerOf('LiFi', lifiLinks),
    tallies: createTallies(spec.accessPoints.length),
    balance: { askedBits: 0, deliveredBits: 0, lostBits: 0 },
    uplink: { askedBits: 0, deliveredBits: 0, lostBits: 0 },
    experience: { outageS: 0, dataS: 0, metS: 0 },
    roamM: Float64Array.from(spec.accessPoints, ({ type, scenario = 'UMi' }) => roamRadiusM({ type, scenario })),
    wifiVersion: 0,
    wifiRadio: { ...usualWifiRadio, ...spec.wifiRadio },
    jammers: [],
    farField: createFarField(),
    nrActivity: 0,
    pillars: placePillars(seed, membersOf(spec.accessPoints, 'LiFi'), places.x, places.y),
    ...(spec.imported && { imported: spec.imported }),
    served: 0,
  };
  // These ask for what was measured, and for nothing else.
  for (const { device } of spec.imported?.traffic ?? []) state.devices.peakBps[device] = 0;
  givePolicies(state, spec.accessPoints);
  return state;
}

/** Devices that hold several links from the beginning. */
function givePolicies(state: WorldState, accessPoints: readonly AccessPointSpec[]): void {
  const { home, count } = state.devices;
  const chosen: number[] = [];
  for (let device = 0; device < count; device++) {
    const { mode, share = 1 } = accessPoints[home[device]!]!.linkPolicy ?? { mode: 'single' };
    if (mode !== 'single' && uniform(state.seed, streams.linkPolicy, device, 0) < share) chosen.push(device);
  }
  reserve(state, chosen.length);
  for (const device of chosen) {
    setLinkPolicy(state, device, accessPoints[home[device]!]!.linkPolicy as LinkPolicy);
  }
}

function createAccessPoint(
  { ap_id, type, latitude, longitude, scenario = 'UMi', profile = type === '5G' ? 'city' : 'office' }: AccessPointSpec,
  channel: number,
  report_interval_seconds: number,
  index: number,
): AccessPoint {
  const settings = usualSettings(type, scenario, channel);
  return {
    ap_id,
    type,
    latitude,
    longitude,
    scenario,
    profile,
    power_state: 'on',
    nextStateAtStep: never,
    depth: 'deep',
    wokeAtStep: -1,
    wished: settings,
    actual: { ...settings },
    retunesUntilStep: 0,
    report_interval_seconds,
    // Each in its own second, so that they do not all speak at once.
    nextReportAtStep: 1 + (index % report_interval_seconds),
    energyJ: 0,
    faults: [],
    held: [],
    latest: {},
    latestAtStep: 0,
  };
}

function membersOf(accessPoints: readonly AccessPointSpec[], type: AccessPointType): number[] {
  return accessPoints.flatMap((ap, index) => (ap.type === type ? [index] : []));
}

function findNeighbours(
  seed: number,
  accessPoints: readonly AccessPointSpec[],
  { x, y }: Places,
  walls: readonly Wall[],
): Neighbours[] {
  const found = createNearest(mostNeighbours + 1);
  const everybody = new Uint8Array(accessPoints.length).fill(1);
  const grids = new Map(
    accessPointTypes.map((type) => [type, createGrid(membersOf(accessPoints, type), x, y, reachM[type])]),
  );
  return accessPoints.map(({ type }, index) => {
    if (type === '5G') return { index: new Int32Array(), distanceM: new Float64Array(), gain: new Float64Array() };
    findNearest(grids.get(type)!, x, y, everybody, x[index]!, y[index]!, found);
    const others = [...found.index.subarray(0, found.count).entries()].filter(([, other]) => other !== index);
    const distanceM = Float64Array.from(others, ([n]) => Math.sqrt(found.distance2[n]!));
    return {
      index: Int32Array.from(others, ([, other]) => other),
      distanceM,
      gain: Float64Array.from(others, ([, other], n) => {
        // Drawn for the pair, so that both hear each other alike.
        const shadow = normal(seed, streams.apShadow, Math.min(index, other), Math.max(index, other));
        const open = fromDb(-indoorLossDb(distanceM[n]!) - shadowDeviationDb * shadow);
        return open * gainThrough(walls, x[index]!, y[index]!, x[other]!, y[other]!);
      }),
    };
  });
}

/** One after the other takes the channel that is least used around it. */
function planChannels(accessPoints: readonly AccessPointSpec[], neighbours: readonly Neighbours[]): number[] {
  const chosen: number[] = [];
  for (const [index, { type }] of accessPoints.entries()) {
    const { index: others, distanceM } = neighbours[index]!;
    const isSame = (a: number, b: number) => (type === 'WiFi' ? channelsOverlap(a, b, wifiWidth) : a === b);
    let best = { channel: 0, crowd: Infinity };
    for (const channel of plannedChannels[type]) {
      let crowd = 0;
      for (const [n, other] of others.entries()) {
        const taken = chosen[other];
        if (taken !== undefined && isSame(taken, channel)) crowd += 1 / (1 + distanceM[n]! * distanceM[n]!);
      }
      if (crowd < best.crowd) best = { channel, crowd };
    }
    chosen.push(best.channel);
  }
  return chosen;
}
