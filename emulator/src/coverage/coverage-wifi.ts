// WiFi on a radio map: inside of the building.

import { fromDb, toDb } from '@weft/contract/exact-math';
import { goodputMbps, noiseFloorDbm, type WifiWidth, wifiLinkOf } from '../radio/wifi.ts';
import { indoorLossDb } from '../world/indoor-path.ts';
import { jammerDuty, wifiJamMw } from '../world/jammers.ts';
import { airOf } from '../world/wifi-air.ts';
import { wifiLinks, wifiNoiseMw } from '../world/wifi-layer.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { RadioState, WorldState } from '../world/world-state.ts';
import { type Air, type Reach, tabulate } from './coverage-air.ts';

const wifi = accessPointTypes.indexOf('WiFi');
const usualHeightM = 1.5;

export function wifiAir(state: RadioState, heightM = usualHeightM): Air {
  const { cells, jammers } = state;
  const { rangeM } = wifiLinks;
  const reach: Reach = { rangeM, clear: tabulate(rangeM, (d) => fromDb(-indoorLossDb(d))) };
  const { bands, relations } = airOf(state as unknown as WorldState);
  const noises = Array.from(cells.widthMhz, (_, ap) => wifiNoiseMw(state, ap));
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
    rateMbps(server, _power, sinr) {
      const link = wifiLinkOf(sinr, cells.widthMhz[server] as WifiWidth, state.wifiRadio);
      return link ? goodputMbps(link, state.wifiRadio) : 0;
    },
  };
}
