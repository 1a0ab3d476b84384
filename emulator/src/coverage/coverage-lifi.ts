// LiFi on a radio map: a receiver that lies on a desk and faces the ceiling, among the pillars and without people.

import { toDb } from '@weft/contract/exact-math';
import { diffuseShare, shotNoiseA2, signalA2, usualReceiver } from '../radio/lifi.ts';
import { loneGoodputMbps } from '../radio/medium-access.ts';
import { heRateMbps, mcsOfSinr } from '../radio/wifi.ts';
import { brightestLx, daylightLx, localHour } from '../traffic/demand.ts';
import { isBehindPillar, lampHeightM } from '../world/bodies.ts';
import { cosFieldOfView, lampGain, lifiJamA2, lifiLinks, lifiNoiseA2 } from '../world/lifi-layer.ts';
import type { RadioState } from '../world/world-state.ts';
import { type Air, Made, type Reach, tabulate } from './coverage-air.ts';
import { CoverageProblem } from './coverage-frame.ts';

const width = 20;
/** Where the lamps are. */
const ceilingM = 3;

export function lifiAir(state: RadioState, heightM = ceilingM - lampHeightM): Air {
  const { startMs, step, accessPoints, cells, pillars } = state;
  if (!(heightM <= ceilingM - 0.1)) {
    throw new CoverageProblem('height', `height must be below the lamps, which are at ${ceilingM} m`);
  }
  const { rangeM } = lifiLinks;
  const belowM = ceilingM - heightM;
  const tables = new Made<Float64Array>();
  const noises = accessPoints.map(({ longitude }) =>
    lifiNoiseA2(daylightLx(localHour(startMs + step * 1000, longitude)) / brightestLx),
  );
  return {
    heightM,
    marginM: 2,
    // As strong as the noise of a dark room.
    leastPower: Math.sqrt(lifiNoiseA2(0)) / usualReceiver.responsivityAPerW,
    toDbm: (watts) => toDb(watts * 1000),
    electrical: (watts) => signalA2(watts, usualReceiver),
    reach(ap): Reach {
      const order = cells.shape[ap]!;
      const clear = tables.get(String(order), () =>
        tabulate(rangeM, (d) => {
          const cosAtReceiver = belowM / Math.sqrt(d * d + belowM * belowM);
          return cosAtReceiver < cosFieldOfView ? 0 : lampGain(order, d * d, belowM) * cosAtReceiver;
        }),
      );
      const [atX, atY] = [cells.x[ap]!, cells.y[ap]!];
      return {
        rangeM,
        clear,
        ...(pillars.near[ap]!.length > 0 && {
          left: (x, y) => (isBehindPillar(pillars, ap, atX + x, atY + y, -x, -y) ? diffuseShare : 1),
        }),
      };
    },
    weight: (server, other) => (cells.channel[server] === cells.channel[other] ? cells.load[other]! : 0),
    noise(server, watts, x, y) {
      const jam = lifiJamA2(state, cells.channel[server]!, x, y);
      return noises[server]! + shotNoiseA2(watts, 0, usualReceiver) + jam;
    },
    rateMbps(_server, _power, sinr) {
      const mcs = mcsOfSinr(sinr);
      return mcs < 0 ? 0 : loneGoodputMbps(heRateMbps(mcs, width), 1);
    },
  };
}
