// LiFi on a radio map: a receiver that lies on a desk and faces the ceiling.
import type { Air, CoverageState, Reach } from './coverage-air.ts';
import { CoverageProblem } from './coverage-frame.ts';
import { lookUp, Made, tabulate } from './coverage-table.ts';
import { toDb } from './exact-math.ts';
import { channelGain, signalA2, usualReceiver } from './radio/lifi.ts';
import { heRateMbps, macEfficiency, mcsOf, noiseFloorDbm } from './radio/wifi.ts';
import { lampHeightM, lifiLinks, lifiNoiseA2 } from './world/lifi-layer.ts';
import { brightestLx, daylightLx, localHour } from './world/traffic.ts';

const width = 20;
const quietDbm = noiseFloorDbm(width);
const ceilingM = 3;

export function lifiAir(state: CoverageState, heightM = ceilingM - lampHeightM): Air {
  const { startMs, step, accessPoints, cells } = state;
  if (!(heightM < ceilingM))
    throw new CoverageProblem('height', `height must be less than ${ceilingM} m, where the lamps are`);
  const { rangeM } = lifiLinks;
  const aboveM = ceilingM - heightM;
  const reaches = new Made<Reach>();
  const noises = accessPoints.map(({ longitude }, ap) => {
    const hour = localHour(startMs + step * 1000, longitude);
    return lifiNoiseA2(daylightLx(hour) / brightestLx, cells.noiseFactor[ap]!);
  });
  return {
    heightM,
    marginM: 2,
    leastPower: Math.sqrt(lifiNoiseA2(0, 1)) / usualReceiver.responsivityAPerW,
    toDbm: (watts) => toDb(watts * 1000),
    electrical: (watts) => signalA2(watts, usualReceiver),
    reach(ap) {
      const order = cells.shape[ap]!;
      return reaches.get(String(order), () => {
        const gains = tabulate(rangeM, (d) => {
          const distanceM = Math.sqrt(d * d + aboveM * aboveM);
          return channelGain(order, distanceM, aboveM / distanceM, aboveM / distanceM, usualReceiver);
        });
        return { rangeM, lookUp, clear: gains, blocked: gains, chance: undefined, patchM: 1 };
      });
    },
    weight: (server, other) => (cells.channel[server] === cells.channel[other] ? cells.load[other]! : 0),
    noise: (server) => noises[server]!,
    rateMbps(_server, _power, sinr) {
      const mcs = mcsOf(toDb(sinr) + quietDbm, width);
      return mcs < 0 ? 0 : heRateMbps(mcs, width) * macEfficiency;
    },
  };
}
