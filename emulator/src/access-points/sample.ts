// What leaves an access point, and what waits to leave.

export interface HeardAccessPoint {
  ap_id: string;
  /** RSRP for 5G, power of the light for LiFi. */
  rssi_dbm: number;
}

/** Rates are those of all the access point's air, seen from the access point: `tx` to the device, `rx` from it. */
export interface ListedDevice {
  device: string;
  rssi_dbm: number;
  snr_db: number;
  rx_mbps: number;
  tx_mbps: number;
  connected_seconds: number;
  /** The strongest others of each technology; lamps, then WiFi, then cells. */
  heard: HeardAccessPoint[];
}

/** What an access point reports for one moment; `ts` in milliseconds, by its own clock. */
export interface Sample {
  ap_id: string;
  ts: number;
  fields: Readonly<Record<string, number>>;
  /** Everybody who is attached at that moment; not in every sample. */
  devices?: readonly ListedDevice[];
}

export interface HeldSample {
  sample: Sample;
  leavesAtStep: number;
}
