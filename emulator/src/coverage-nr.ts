// 5G on a radio map: the street, with the line of sight that devices have there.
import type { Air, CoverageState, Reach } from './coverage-air.ts';
import { lookUp, Made, tabulate, withProbe } from './coverage-table.ts';
import { fromDb, toDb } from './exact-math.ts';
import { losProbability, noisePerElementDbm, terrains, utHeightM } from './radio/nr.ts';
import { carrierPrbs, cqiOf, spectralEfficiencies, throughputBps } from './radio/nr-cqi.ts';
import { nrLinks } from './world/nr-layer.ts';

const noiseMw = fromDb(noisePerElementDbm(30, 9));
const idleActivity = 0.05;

export function nrAir(state: CoverageState, heightM = utHeightM): Air {
  const { accessPoints, cells } = state;
  const probe = withProbe(state, { isIndoor: false });
  const { rangeM } = nrLinks;
  const reaches = new Made<Reach>();
  return {
    heightM,
    marginM: 200,
    // Below, a device loses its cell.
    leastPower: fromDb(-125),
    toDbm: toDb,
    electrical: (power) => power,
    reach(ap) {
      const { scenario } = accessPoints[ap]!;
      return reaches.get(`${scenario} ${cells.shape[ap]}`, () => ({
        rangeM,
        lookUp,
        clear: tabulate(rangeM, (d) => nrLinks.gain(probe, 0, ap, d * d, true, 0)),
        blocked: tabulate(rangeM, (d) => nrLinks.gain(probe, 0, ap, d * d, false, 0)),
        chance: tabulate(rangeM, (d) => losProbability(scenario, d)),
        patchM: terrains[scenario].sightPatchM,
      }));
    },
    weight: (_server, other) => idleActivity + (1 - idleActivity) * cells.load[other]!,
    noise: (server) => noiseMw * cells.noiseFactor[server]!,
    rateMbps: (_server, _power, sinr) => Math.max(rateBps(sinr, 1), rateBps(sinr / 2, 2)) / 1e6,
  };
}

function rateBps(sinr: number, layers: number): number {
  return throughputBps(carrierPrbs, spectralEfficiencies[cqiOf(sinr)]!, layers);
}
