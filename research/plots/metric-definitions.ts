// How each metric of the emulator is defined, for the table of docs/emulator.md; and the clause of the standard where it has the
// name of one. All are over the seconds since the last report.
export interface Definition {
  definition: string;
  clause?: string;
}

const clauses = {
  ts28552: (clause: string) => `TS 28.552 ${clause}`,
  ts28554: (clause: string) => `TS 28.554 ${clause}`,
};

const definitions: Record<string, Definition> = {
  connected_devices: { definition: 'attached devices, mean', clause: clauses.ts28552('5.1.1.4.1') },
  served_devices: { definition: 'attached devices with a rate above zero, mean' },
  throughput_mbps: { definition: 'delivered downlink bits per second' },
  backlog_mbit: { definition: 'bits that wait at the end of a second, of all devices, mean' },
  latency_ms: {
    definition:
      'time in the network of what was delivered: processing, turns of others, and waiting (bits × seconds that waited ÷ bits delivered; devices that got nothing do not count)',
    clause: clauses.ts28552('5.1.1.1.1'),
  },
  qos_met_pct: { definition: 'device-seconds with data in which the latency was within the budget of its class' },
  voice_pct: { definition: 'voice, as a share of delivered bits' },
  video_pct: { definition: 'video, likewise' },
  gaming_pct: { definition: 'gaming, likewise' },
  web_pct: { definition: 'web, likewise' },
  bulk_pct: { definition: 'bulk, likewise' },
  sensor_pct: { definition: 'sensors, likewise' },
  uplink_mbps: { definition: 'delivered uplink bits per second' },
  uplink_load_pct: {
    definition: 'share of the uplink in use: resource blocks (5G), infrared (LiFi); that of WiFi is in its airtime',
    clause: clauses.ts28552('5.1.1.2.2'),
  },
  prb_load_pct: { definition: 'share of downlink resource blocks in use', clause: clauses.ts28552('5.1.1.2.1') },
  ue_throughput_kbps: {
    definition: 'delivered volume ÷ time in which there was data to send, over all devices',
    clause: clauses.ts28552('5.1.1.3.1'),
  },
  volume_mbit: { definition: 'delivered downlink bits', clause: clauses.ts28552('5.1.2.1.1') },
  rsrp_dbm: {
    definition: 'power per resource element at the devices, mean in dBm',
    clause: clauses.ts28552('5.1.1.22'),
  },
  rsrq_db: { definition: 'RSRP over all power received, mean in dB' },
  sinr_db: { definition: 'signal over interference and noise, mean in dB, at most 40' },
  cqi: {
    definition: 'channel quality indicator, mean (the standard counts a distribution)',
    clause: clauses.ts28552('5.1.1.11.1'),
  },
  radio_link_failures: { definition: 'links below −8 dB for two seconds that were given up' },
  tx_power_dbm: { definition: 'radiated power that is set' },
  tilt_degrees: { definition: 'tilt below the horizon' },
  prb_quota_pct: { definition: 'share of resource blocks that may be used' },
  handovers_in: { definition: 'devices that arrived from another access point' },
  handovers_out: {
    definition: 'hand-overs to another access point that succeeded, at the source',
    clause: clauses.ts28552('5.1.1.6.1'),
  },
  handover_attempts: {
    definition: 'hand-overs to another access point that began, at the source',
    clause: clauses.ts28552('5.1.1.6.1'),
  },
  handover_failures: {
    definition: 'of those, failed: SINR at the target below −8 dB',
    clause: clauses.ts28552('5.1.1.6.1'),
  },
  ping_pongs: { definition: 'hand-overs back to where the device came from less than 6 s before' },
  power_w: { definition: 'electrical power, mean', clause: clauses.ts28552('5.1.1.19.2') },
  energy_kwh: { definition: 'integral of the power since the start', clause: clauses.ts28552('5.1.1.19.3') },
  active: { definition: '1 if on or draining' },
  energy_efficiency_bit_per_j: { definition: 'delivered bits ÷ energy', clause: clauses.ts28554('6.7.1') },
  rssi_dbm: { definition: 'power at the devices, mean in dBm' },
  snr_db: { definition: 'signal over noise and interference at the devices, mean in dB' },
  noise_floor_dbm: { definition: 'noise in the channel at the access point, with jammers' },
  channel_width_mhz: { definition: 'channel width that is set' },
  mcs: { definition: 'modulation and coding scheme, mean' },
  tx_rate_mbps: { definition: 'PHY rate of the devices, mean' },
  airtime_pct: { definition: 'share of time in which it or one of its devices sent' },
  channel_utilisation_pct: { definition: 'share of time in which it found the channel busy, its own airtime included' },
  tx_retries_pct: { definition: 'frames sent again' },
  channel: { definition: 'channel (WiFi), sub-band (LiFi)' },
  illuminance_lx: { definition: 'light on the desk below the lamp, with daylight' },
  ambient_lx: { definition: 'daylight on the desk' },
  optical_tx_power_w: { definition: 'light that the lamp gives' },
  dimming_pct: { definition: 'that light, as a share of the most' },
  beam_angle_degrees: { definition: 'angle at half power' },
  rx_power_uw: { definition: 'light on the photodiodes of the devices, mean' },
  phy_rate_mbps: { definition: 'PHY rate of the devices, mean' },
  blocked_pct: { definition: 'device-seconds in which the best lamp is hidden by a person or a pillar' },
  blockage_events: { definition: 'beginnings of those' },
  handovers_to_wifi: { definition: 'hand-overs to WiFi that succeeded' },
  tilt_mean_degrees: { definition: 'how far the devices lean, mean' },
};

/** Throws if a metric has none: the document must define each. */
export function definitionOf(name: string): Definition {
  const definition = definitions[name];
  if (!definition) throw new Error(`metric-definitions.ts does not define ${name}`);
  return definition;
}
