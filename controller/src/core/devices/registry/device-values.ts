// The newest values of all devices of one access point as one text: written down every few seconds, read at a start and by other
// nodes. Devices stand there under their pseudonyms.
import { isObject } from '@weft/contract/is-object';
import type { DeviceListRecord } from '../store/device-store.ts';
import type { DeviceRegistry } from './device-registry.ts';
import { none } from './device-table.ts';
import type { ServedDevices } from './served-devices.ts';

/** `h`: name, 1 for the address of a radio, level; one after the other. */
type Entry = { d: string; t: number; v: (number | null)[]; h?: (string | number | null)[] };

export function toListRecord(registry: DeviceRegistry, agent: ServedDevices): DeviceListRecord {
  const { links } = registry.table;
  const entries: Entry[] = [];
  for (let link = agent.firstLink; link !== none; link = links.nextOfAgent[link]!) {
    const heard = registry.table.heardOf(link);
    entries.push({
      d: registry.table.idOf(links.device[link]!),
      t: links.seen[link]!,
      v: [links.rssi_dbm[link]!, links.snr_db[link]!, links.rx_mbps[link]!, links.tx_mbps[link]!].map(toNumber),
      ...(heard.length > 0 && {
        h: heard.flatMap(({ name, isBssid, rssi_dbm }) => [name, isBssid ? 1 : 0, toNumber(rssi_dbm)]),
      }),
    });
  }
  return { ap_id: agent.ap_id, ts: agent.listTs ?? 0, heard_at: agent.heardMs, device_values: JSON.stringify(entries) };
}

/** Takes over the values of those devices that are attached there and whose values are older. */
export function adoptValues(registry: DeviceRegistry, { ap_id, ts, heard_at, device_values }: DeviceListRecord): void {
  const agent = registry.requireAgent(ap_id);
  if (agent.isHere && agent.listTs !== undefined && agent.listTs > ts) return;
  agent.listTs = Math.max(agent.listTs ?? ts, ts);
  agent.isHere = false;
  agent.heardMs = heard_at;
  for (const { d, t, v, h = [] } of readEntries(device_values)) {
    const device = registry.table.find(d);
    const link = device === undefined ? none : registry.table.linkBetween(device, agent.slot);
    if (device === undefined || link === none) continue;
    const [rssi_dbm, snr_db, rx_mbps, tx_mbps] = v.map((value) => value ?? Number.NaN);
    registry.table.setValues(link, { rssi_dbm: rssi_dbm!, snr_db: snr_db!, rx_mbps: rx_mbps!, tx_mbps: tx_mbps! });
    const heard = [];
    for (let at = 0; at + 2 < h.length; at += 3) {
      heard.push({
        name: String(h[at]),
        isBssid: h[at + 1] === 1,
        rssi_dbm: (h[at + 2] as number | null) ?? Number.NaN,
      });
    }
    registry.table.setHeard(link, heard);
    const { links, devices } = registry.table;
    links.seen[link] = Math.max(links.seen[link]!, t);
    devices.lastSeen[device] = Math.max(devices.lastSeen[device]!, t);
  }
}

function readEntries(text: string): Entry[] {
  const entries: unknown = JSON.parse(text);
  return Array.isArray(entries) ? entries.filter((entry) => isObject(entry) && Array.isArray(entry.v)) : [];
}

/** Half a hundredth is less than anybody measures; JSON knows no NaN. */
function toNumber(value: number): number | null {
  return Number.isNaN(value) ? null : Math.round(value * 100) / 100;
}
