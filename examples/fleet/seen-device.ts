// A device as a control program sees it: as `GET /api/v1/devices` lists it, or, on the model alone, as access points report it.
import type { Device } from '@weft/sdk';

export interface SeenLink {
  ap_id: string;
  technology: string | null;
  rssi_dbm: number | null;
  snr_db: number | null;
  /** What the access point could send to it. */
  tx_mbps: number | null;
}

export interface SeenDevice {
  device: string;
  links: readonly SeenLink[];
  heard: readonly { ap_id: string; rssi_dbm: number | null }[];
}

export function toSeenDevice({ device, links, heard }: Device): SeenDevice {
  return {
    device,
    links: links.map(({ ap_id, access_point_type, rssi_dbm, snr_db, tx_mbps }) => {
      return { ap_id, technology: access_point_type, rssi_dbm, snr_db, tx_mbps };
    }),
    heard: heard.flatMap(({ ap_id, rssi_dbm }) => (ap_id === undefined ? [] : [{ ap_id, rssi_dbm }])),
  };
}
