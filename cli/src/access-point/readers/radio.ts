// A wireless interface that serves devices, as the tools of this machine describe it.

export interface Station {
  address: string;
  /** Averaged where the driver does so. */
  signalDbm: number | undefined;
  txRateMbps: number | undefined;
  rxRateMbps: number | undefined;
  /** Counters since it came. */
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
  channel: number | undefined;
  frequencyMhz: number | undefined;
  widthMhz: number | undefined;
  txPowerDbm: number | undefined;
}

export interface ObservedRadio extends Radio {
  stations: Station[];
  survey: Survey | undefined;
  /** Where somebody else has worked it out already. */
  utilisationPct: number | undefined;
}
