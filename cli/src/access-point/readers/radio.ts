// A wireless interface in AP mode, from the output of the tools of this machine.

export interface Station {
  address: string;
  /** Averaged if the driver does so. */
  signalDbm: number | undefined;
  txRateMbps: number | undefined;
  rxRateMbps: number | undefined;
  connectedSeconds: number | undefined;
  /** Counters since it attached. */
  txPackets: number | undefined;
  txRetries: number | undefined;
  txFailed: number | undefined;
}

/** The channel in use, with counters in milliseconds. */
export interface Survey {
  frequencyMhz: number;
  noiseDbm: number | undefined;
  activeMs: number | undefined;
  busyMs: number | undefined;
  transmitMs: number | undefined;
}

export interface Radio {
  interface: string;
  /** Its hardware, such as phy0. */
  phy: string | undefined;
  bssid: string | undefined;
  /** Undefined while it does not serve. */
  channel: number | undefined;
  frequencyMhz: number | undefined;
  widthMhz: number | undefined;
  txPowerDbm: number | undefined;
}

export interface ObservedRadio extends Radio {
  stations: Station[];
  survey: Survey | undefined;
  /** If the tool computes it. */
  utilisationPct: number | undefined;
}
