// The radio map: what a device would receive at each point of a raster over the network, at the present second. Made of the
// same formulas as the world, without what differs from device to device: shadows, fading, walls and how it is held.

import { toDb } from '@weft/contract/exact-math';
import type { AccessPointType } from '../world/world-spec.ts';
import type { RadioState } from '../world/world-state.ts';
import type { Air } from './coverage-air.ts';
import { type CoverageBounds, CoverageProblem, defaultBounds, type Frame, frameOf } from './coverage-frame.ts';
import { lifiAir } from './coverage-lifi.ts';
import { nrAir } from './coverage-nr.ts';
import { type Best, findBest, sumInterference } from './coverage-rays.ts';
import { wifiAir } from './coverage-wifi.ts';

export const coverageLayers = ['best_server', 'signal', 'sinr', 'rate'] as const;
export type CoverageLayer = (typeof coverageLayers)[number];

export const maxCoverageSide = 256;

export interface CoverageRequest {
  layer: CoverageLayer;
  technology: AccessPointType;
  /** Of the receiver above the floor; default: as devices are held, or a desk for LiFi. */
  heightM?: number;
  /** Default: around the access points of this technology that share a map with the first of them. */
  bounds?: CoverageBounds;
  columns: number;
  rows: number;
}

export interface Coverage {
  bounds: CoverageBounds;
  columns: number;
  rows: number;
  heightM: number;
  unit: string;
  /** What the numbers of `best_server` count: those that are best somewhere, in the order of the network. */
  accessPoints: string[];
  /** Rows from north to south, each from west to east; NaN where nothing is heard. */
  values: Float32Array;
  /** NaN if nothing is heard anywhere. */
  min: number;
  max: number;
}

export const coverageUnits: Record<CoverageLayer, string> = {
  best_server: '',
  signal: 'dBm',
  sinr: 'dB',
  rate: 'Mb/s',
};

const airs = { '5G': nrAir, WiFi: wifiAir, LiFi: lifiAir };

/** Throws CoverageProblem if the network has no access point of the technology, or the raster makes no sense. */
export function coverage(state: RadioState, request: CoverageRequest): Coverage {
  const { layer, technology, columns, rows } = request;
  const members = state.accessPoints.flatMap(({ type }, index) => (type === technology ? [index] : []));
  if (members.length === 0) throw new CoverageProblem('technology', `this network has no ${technology} access point`);
  const isSide = (side: number) => Number.isInteger(side) && side >= 1 && side <= maxCoverageSide;
  if (!isSide(columns) || !isSide(rows))
    throw new CoverageProblem('columns', `columns and rows must be 1 to ${maxCoverageSide}`);
  const air = airs[technology](state, request.heightM);
  const bounds = request.bounds ?? defaultBounds(state, members, air.marginM);
  const frame = frameOf(state, bounds, columns, rows);
  const best = findBest(state, frame, members, air);
  const { accessPoints, places } = serversOf(state, best.server);
  const values = new Float32Array(columns * rows).fill(Number.NaN);
  if (layer === 'best_server') {
    for (const [n, server] of best.server.entries()) if (server >= 0) values[n] = places.get(server)!;
  } else if (layer === 'signal') {
    for (const [n, server] of best.server.entries()) if (server >= 0) values[n] = air.toDbm(best.power[n]!);
  } else {
    fillQuality(values, { state, frame, members, air, best, layer });
  }
  return {
    bounds,
    columns,
    rows,
    heightM: air.heightM,
    unit: coverageUnits[layer],
    accessPoints,
    values,
    ...extremesOf(values),
  };
}

interface Quality {
  state: RadioState;
  frame: Frame;
  members: readonly number[];
  air: Air;
  best: Best;
  layer: CoverageLayer;
}

function fillQuality(values: Float32Array, { state, frame, members, air, best, layer }: Quality): void {
  const { cells } = state;
  const interference = sumInterference(state, frame, members, air, best.server);
  const windows = new Map([...new Set(best.server)].filter((ap) => ap >= 0).map((ap) => [ap, frame.window(ap)]));
  for (let row = 0; row < frame.rows; row++) {
    for (let column = 0; column < frame.columns; column++) {
      const point = row * frame.columns + column;
      const server = best.server[point]!;
      if (server < 0) continue;
      const { firstX, firstY, stepX, stepY } = windows.get(server)!;
      const x = cells.x[server]! + firstX + column * stepX;
      const y = cells.y[server]! + firstY + row * stepY;
      const power = best.power[point]!;
      const sinr = air.electrical(power) / (interference[point]! + air.noise(server, power, x, y));
      values[point] = layer === 'sinr' ? toDb(sinr) : air.rateMbps(server, power, sinr);
    }
  }
}

function serversOf(state: RadioState, server: Int32Array) {
  const found = [...new Set(server)].filter((index) => index >= 0).sort((a, b) => a - b);
  return {
    accessPoints: found.map((index) => state.accessPoints[index]!.ap_id),
    places: new Map(found.map((index, place) => [index, place])),
  };
}

export function extremesOf(values: Float32Array): { min: number; max: number } {
  let min = Number.NaN;
  let max = Number.NaN;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    if (!(value >= min)) min = value;
    if (!(value <= max)) max = value;
  }
  return { min, max };
}
