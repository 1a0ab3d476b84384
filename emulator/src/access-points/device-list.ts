// The devices of an access point as it reports them: who is attached, how well, and what each hears around it.
import { fromDb, rounded, toDb } from '@weft/contract/exact-math';
import { ownerOf } from '../multi-link/link-policies.ts';
import { attachedTo } from '../traffic/scheduler.ts';
import { lightW } from '../world/lifi-layer.ts';
import type { Links } from '../world/link-table.ts';
import { nrStayMw } from '../world/nr-layer.ts';
import { deviceName } from '../world/steering.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import type { HeardAccessPoint, ListedDevice } from './sample.ts';

/** As many as Weft takes in one report; beyond, those with the lowest numbers are listed. */
const mostListed = 2_000;
/** Of all devices of a list together, so that a report stays well below what Weft takes. */
const mostHeardInAll = 2_000;
/** From here on a device says that it hears a lamp (W), an access point or a cell (mW); and how many of each, 8 in all. */
const light = { above: 1e-6, most: 3, toDbm: 30 };
const radio = { above: fromDb(-82), most: 3, toDbm: 0 };
const cellular = { above: nrStayMw, most: 2, toDbm: 0 };
const lifi = accessPointTypes.indexOf('LiFi');

/** To be called in the second that has just passed, of the world that was stepped last. */
export function listDevices(state: WorldState, ap: number): ListedDevice[] {
  const { cells, devices, step } = state;
  const attached = attachedTo(ap).subarray(0, mostListed);
  const mostHeard = Math.floor(mostHeardInAll / attached.length);
  return Array.from(attached, (row) => {
    const device = ownerOf(state, row);
    const signal = devices.signal[row]!;
    return {
      device: deviceName(state, device),
      rssi_dbm: rounded(cells.type[ap] === lifi ? dbm(signal, light.toDbm) : signal, 1),
      snr_db: rounded(devices.qualityDb[row]!, 1),
      rx_mbps: rounded(devices.upRateBps[row]! / 1e6, 1),
      tx_mbps: rounded(devices.rateBps[row]! / 1e6, 1),
      connected_seconds: step - devices.sinceStep[row]!,
      heard: heardBy(state, device, ap, mostHeard),
    };
  });
}

function heardBy(state: WorldState, device: number, serving: number, mostInAll: number): HeardAccessPoint[] {
  const { power } = state.cells;
  const heard: HeardAccessPoint[] = [];
  const at = (links: Links, slot: number) => device * links.slots + slot;
  const mw = (links: Links) => (slot: number) => power[links.ap[at(links, slot)]!]! * links.gain[at(links, slot)]!;
  const add = (links: Links, { above, most, toDbm }: typeof light, strengthOf: (slot: number) => number) => {
    strongest.length = 0;
    for (let slot = 0; slot < links.slots; slot++) {
      const ap = links.ap[at(links, slot)]!;
      if (ap < 0) break;
      if (ap === serving || state.cells.isOnAir[ap] === 0) continue;
      const strength = strengthOf(slot);
      if (strength > above) strongest.push({ ap, strength });
    }
    strongest.sort((a, b) => b.strength - a.strength);
    for (const { ap, strength } of strongest.slice(0, Math.min(most, Math.ceil(mostInAll / 3)))) {
      heard.push({ ap_id: state.accessPoints[ap]!.ap_id, rssi_dbm: rounded(dbm(strength, toDbm), 0) });
    }
  };
  add(state.lifi.links, light, (slot) => lightW(state, device, slot));
  add(state.wifi.links, radio, mw(state.wifi.links));
  add(state.nr.links, cellular, mw(state.nr.links));
  return heard.slice(0, mostInAll);
}

const strongest: { ap: number; strength: number }[] = [];

/** Of nothing at all, as little as a report can say. */
function dbm(strength: number, toDbm: number): number {
  return strength > 1e-16 ? toDb(strength) + toDbm : -160;
}
