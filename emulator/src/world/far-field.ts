// What arrives from the many 5G cells that are too far away to be followed one by one: a sum by distance, for squares of the
// map, worked out again when a cell changes.
import { fromDb } from '@weft/contract/exact-math';
import { losProbability, type NrScenario, nrFrequencyGhz, nrPathLossDb, terrains, utHeightM } from '../radio/nr.ts';
import { createNearest, findNearest, type SpatialGrid } from './spatial-grid.ts';
import type { FarField, WorldState } from './world-state.ts';

const squareM = 300;
const reachM = 3600;
const ringM = 20;
const stride = 67_108_864;

/** Mean gain by ring, without antenna: over lines of sight and not, and over shadows as far as they do not make a near one. */
const rings = new Map<NrScenario, Float64Array>();

export function createFarField(): FarField {
  return { version: 0, squares: new Map() };
}

/** Power per resource element at a place from all cells beyond the `followed` nearest, if all of them sent all the time. */
export function farFieldMw(state: WorldState, x: number, y: number, followed: number): number {
  const { farField } = state;
  const [column, row] = [Math.floor(x / squareM), Math.floor(y / squareM)];
  const key = column * stride + row;
  const known = farField.squares.get(key);
  if (known && known.version === farField.version) return known.mw;
  const mw = sum(state, (column + 0.5) * squareM, (row + 0.5) * squareM, followed);
  farField.squares.set(key, { version: farField.version, mw });
  return mw;
}

function sum(state: WorldState, x: number, y: number, followed: number): number {
  const { cells, accessPoints, nr } = state;
  const near2 = followedReach2(nr.grid, state, x, y, followed);
  const squares = Math.ceil(reachM / nr.grid.rangeM);
  const [column, row] = [Math.floor(x / nr.grid.rangeM), Math.floor(y / nr.grid.rangeM)];
  let total = 0;
  for (let right = -squares; right <= squares; right++) {
    for (let up = -squares; up <= squares; up++) {
      const members = nr.grid.squares.get((column + right) * stride + row + up + stride / 2);
      if (members === undefined) continue;
      for (const ap of members) {
        const dx = cells.x[ap]! - x;
        const dy = cells.y[ap]! - y;
        const distance2 = dx * dx + dy * dy;
        if (distance2 <= near2 || distance2 > reachM * reachM || cells.isOnAir[ap] === 0) continue;
        const { scenario } = accessPoints[ap]!;
        const ring = Math.floor(Math.sqrt(distance2) / ringM);
        total += cells.power[ap]! * cells.farGain[ap]! * ringsOf(scenario)[ring]!;
      }
    }
  }
  return total;
}

const found = createNearest(64);

function followedReach2(grid: SpatialGrid, { cells }: WorldState, x: number, y: number, followed: number): number {
  findNearest(grid, cells.x, cells.y, cells.isOnAir, x, y, found);
  return found.count < followed ? grid.rangeM * grid.rangeM : found.distance2[followed - 1]!;
}

function ringsOf(scenario: NrScenario): Float64Array {
  let gains = rings.get(scenario);
  if (!gains) {
    gains = Float64Array.from({ length: reachM / ringM + 1 }, (_, ring) => {
      const distance2dM = (ring + 0.5) * ringM;
      const drop = terrains[scenario].bsHeightM - utHeightM;
      const distance3dM = Math.sqrt(distance2dM * distance2dM + drop * drop);
      const p = losProbability(scenario, distance2dM);
      const of = (isLineOfSight: boolean) => {
        const lossDb = nrPathLossDb({
          scenario,
          isLineOfSight,
          distance2dM,
          distance3dM,
          frequencyGhz: nrFrequencyGhz,
        });
        const { los, nlos } = terrains[scenario].shadowDb;
        return fromDb(-lossDb) * shadowMean(isLineOfSight ? los : nlos);
      };
      return p * of(true) + (1 - p) * of(false);
    });
    rings.set(scenario, gains);
  }
  return gains;
}

/** Mean of a log-normal factor with this deviation, in decibels. */
function shadowMean(deviationDb: number): number {
  const s = deviationDb * 0.2302585092994046;
  return fromDb((s * s) / 2 / 0.2302585092994046);
}
