// WiFi on a radio map: inside of the building.

import { fromDb, toDb } from '../exact-math.ts';
import { macEfficiency, noiseFloorDbm, retryShare, type WifiWidth, wifiLinkOf } from '../radio/wifi.ts';
import { indoorLossDb } from '../world/indoor-path.ts';
import { jammerDuty, wifiJamMw } from '../world/jammers.ts';
import { airOf } from '../world/wifi-air.ts';
import { wifiLinks } from '../world/wifi-layer.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { RadioState, WorldState } from '../world/world-state.ts';
import { type Air, type Reach, tabulate } from './coverage-air.ts';

const wifi = accessPointTypes.indexOf('WiFi');
const usualHeightM = 1.5;

export function wifiAir(state: RadioState, heightM = usualHeightM): Air {
  const { cells, jammers } = state;
  const { rangeM } = wifiLinks;
  const reach: Reach = { rangeM, clear: tabulate(rangeM, (d) => fromDb(-indoorLossDb(d))), patchM: rangeM };
  const { bands, relations } = airOf(state as unknown as WorldState);
  const noises = Array.from(cells.widthMhz, (width) => fromDb(noiseFloorDbm(width as WifiWidth)));
  return {
    heightM,
    marginM: 20,
    // The noise in the narrowest channel.
    leastPower: fromDb(noiseFloorDbm(20)),
    toDbm: toDb,
    electrical: (power) => power,
    reach: () => reach,
    weight(server, other) {
      const { hidden, hiddenCoupling } = relations[server]!;
      const n = hidden.indexOf(other);
      return n < 0 ? 0 : hiddenCoupling[n]! * cells.load[other]!;
    },
    beyond(server, other) {
      const { hidden, hiddenGain } = relations[server]!;
      return cells.power[other]! * hiddenGain[hidden.indexOf(other)]!;
    },
    noise(server, _power, x, y) {
      if (jammers.length === 0) return noises[server]!;
      return noises[server]! + jammerDuty * wifiJamMw(jammers, wifi, x, y, bands[server]!);
    },
    rateMbps(server, power, sinr) {
      const link = wifiLinkOf(power, sinr, cells.widthMhz[server] as WifiWidth);
      if (!link) return 0;
      return link.rateMbps * macEfficiency * (1 - retryShare(cells.utilisation[server]!, link.marginDb));
    },
  };
}
