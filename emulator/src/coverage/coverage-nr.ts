// 5G on a radio map: the street (or the office, for cells inside), with the line of sight that devices have there.

import { fromDb, toDb } from '@weft/contract/exact-math';
import { losProbability, terrains, utHeightM } from '../radio/nr.ts';
import { nrRateBps } from '../radio/nr-cqi.ts';
import { activityOf } from '../radio/nr-power.ts';
import { createFarField, farFieldMw } from '../world/far-field.ts';
import { jammerDuty, nrJamMw } from '../world/jammers.ts';
import { nrLinks, nrLossDb, nrNoiseMw, nrStayMw } from '../world/nr-layer.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { RadioState, WorldState } from '../world/world-state.ts';
import { type Air, Made, type Reach, tabulate } from './coverage-air.ts';
import { CoverageProblem } from './coverage-frame.ts';

const nr = accessPointTypes.indexOf('5G');
const highestM = 22.5;

export function nrAir(state: RadioState, heightM = utHeightM): Air {
  if (!(heightM >= utHeightM && heightM <= highestM)) {
    throw new CoverageProblem('height', `height must be ${utHeightM} to ${highestM} m for 5G`);
  }
  const { accessPoints, cells, jammers, nrActivity } = state;
  const { rangeM } = nrLinks;
  const reaches = new Made<Reach>();
  // Its squares hold what is beyond the tables only.
  const far = { ...state, farField: createFarField() } as unknown as WorldState;
  return {
    heightM,
    marginM: 200,
    leastPower: nrStayMw,
    toDbm: toDb,
    electrical: (power) => power,
    reach(ap) {
      const { scenario } = accessPoints[ap]!;
      const tilt = cells.shape[ap]!;
      const gains = (hasSight: boolean) =>
        tabulate(rangeM, (d) => fromDb(-nrLossDb(scenario, d * d, hasSight, tilt, heightM)));
      return reaches.get(`${scenario} ${tilt}`, () => ({
        rangeM,
        clear: gains(true),
        blocked: gains(false),
        chance: tabulate(rangeM, (d) => losProbability(scenario, d)),
        sightCorrelationM: terrains[scenario].sightCorrelationM,
      }));
    },
    weight: (_server, other) => activityOf(cells.load[other]!),
    noise(_server, _power, x, y) {
      const farMw = nrActivity * farFieldMw(far, x, y, Infinity);
      const jamMw = jammers.length > 0 ? jammerDuty * nrJamMw(jammers, nr, x, y) : 0;
      return nrNoiseMw + farMw + jamMw;
    },
    rateMbps: (_server, _power, sinr) => nrRateBps(sinr) / 1e6,
  };
}
