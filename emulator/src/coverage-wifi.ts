// WiFi on a radio map: inside of the building.
import type { Air, CoverageState, Reach } from './coverage-air.ts';
import { lookUp, tabulate, withProbe } from './coverage-table.ts';
import { fromDb, toDb } from './exact-math.ts';
import { channelsOverlap, clearChannelDbm, heRateMbps, macEfficiency, mcsOf, noiseFloorDbm } from './radio/wifi.ts';
import { wifiLinks, wifiWidth } from './world/wifi-layer.ts';

const quietDbm = noiseFloorDbm(wifiWidth);
const clearChannelMw = fromDb(clearChannelDbm);
const spatialStreams = 2;

export function wifiAir(state: CoverageState, heightM = 1.5): Air {
  const { cells, neighbours } = state;
  const probe = withProbe(state, { isIndoor: true });
  const { rangeM } = wifiLinks;
  const gains = tabulate(rangeM, (d) => wifiLinks.gain(probe, 0, 0, d * d, true, 0));
  const reach: Reach = { rangeM, lookUp, clear: gains, blocked: gains, chance: undefined, patchM: 1 };
  const isSilenced = (server: number, other: number) => {
    const { index, gain } = neighbours[server]!;
    const n = index.indexOf(other);
    return n >= 0 && cells.power[other]! * gain[n]! >= clearChannelMw;
  };
  return {
    heightM,
    marginM: 20,
    leastPower: fromDb(quietDbm),
    toDbm: toDb,
    electrical: (power) => power,
    reach: () => reach,
    weight(server, other) {
      if (!channelsOverlap(cells.channel[server]!, cells.channel[other]!, wifiWidth)) return 0;
      return isSilenced(server, other) ? 0 : cells.load[other]!;
    },
    noise: (server) => fromDb(quietDbm) * cells.noiseFactor[server]!,
    rateMbps(_server, _power, sinr) {
      const mcs = mcsOf(toDb(sinr) + quietDbm, wifiWidth);
      return mcs < 0 ? 0 : heRateMbps(mcs, wifiWidth, spatialStreams) * macEfficiency;
    },
  };
}
