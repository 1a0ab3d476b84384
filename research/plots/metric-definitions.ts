// How each metric of the emulator is defined, for the table of docs/emulator.md; and the clause of the standard where it has the
// name of one. All are over the seconds since the last report.
export interface Definition {
  definition: string;
  clause?: string;
}

const definitions: Record<string, [definition: string, clause?: string]> = {
  connected_devices: ['attached devices, mean', 'TS 28.552 5.1.1.4.1'],
  served_devices: ['attached devices with a rate above zero, mean'],
  throughput_mbps: ['delivered downlink bits per second'],
  backlog_mbit: [
    'bits in the network, of all devices, mean over time: latency × throughput (Little’s law), if everybody is served',
  ],
  latency_ms: [
    'time in the network of what was delivered: processing and waiting (bits × seconds that waited ÷ bits delivered; devices that got nothing do not count)',
    'TS 28.552 5.1.1.1.1',
  ],
  qos_met_pct: ['device-seconds with data in which the latency was within the budget of its class'],
  voice_pct: ['voice, as a share of delivered bits'],
  video_pct: ['video, likewise'],
  gaming_pct: ['gaming, likewise'],
  web_pct: ['web, likewise'],
  bulk_pct: ['bulk, likewise'],
  sensor_pct: ['sensors, likewise'],
  uplink_mbps: ['delivered uplink bits per second'],
  uplink_load_pct: [
    'share of the uplink in use: resource blocks (5G), infrared (LiFi); that of WiFi is in its airtime',
    'TS 28.552 5.1.1.2.2',
  ],
  prb_load_pct: ['share of downlink resource blocks in use', 'TS 28.552 5.1.1.2.1'],
  ue_throughput_kbps: [
    'delivered volume ÷ time in which there was data to send, over all devices',
    'TS 28.552 5.1.1.3.1',
  ],
  volume_mbit: ['delivered downlink bits', 'TS 28.552 5.1.2.1.1'],
  rsrp_dbm: ['power per resource element at the devices, mean in dBm', 'TS 28.552 5.1.1.22'],
  rsrq_db: ['RSRP over all power received, mean in dB'],
  sinr_db: ['signal over interference and noise, mean in dB, at most 40'],
  cqi: ['channel quality indicator, mean (the standard counts a distribution)', 'TS 28.552 5.1.1.11.1'],
  radio_link_failures: ['links below −8 dB for two seconds that were given up'],
  tx_power_dbm: ['radiated power that is set'],
  tilt_degrees: ['tilt below the horizon'],
  prb_quota_pct: ['share of resource blocks that may be used'],
  handovers_in: ['devices that arrived from another access point'],
  handovers_out: ['hand-overs to another access point that succeeded, at the source', 'TS 28.552 5.1.1.6.1'],
  handover_attempts: ['hand-overs to another access point that began, at the source', 'TS 28.552 5.1.1.6.1'],
  handover_failures: [
    'of those, failed: SINR at the target below −8 dB, or at the source before the command came (TR 36.839)',
    'TS 28.552 5.1.1.6.1',
  ],
  ping_pongs: ['hand-overs back to where the device came from less than 6 s before'],
  power_w: ['electrical power, mean', 'TS 28.552 5.1.1.19.2'],
  energy_kwh: ['integral of the power since the start', 'TS 28.552 5.1.1.19.3'],
  active: ['1 if on or draining'],
  energy_efficiency_bit_per_j: ['delivered bits ÷ energy', 'TS 28.554 6.7.1'],
  rssi_dbm: ['power at the devices, mean in dBm'],
  snr_db: ['signal over noise and interference at the devices, mean in dB'],
  noise_floor_dbm: ['noise in the channel at the access point, with jammers'],
  channel_width_mhz: ['channel width that is set'],
  mcs: ['modulation and coding scheme, mean'],
  tx_rate_mbps: ['PHY rate of the devices, mean'],
  airtime_pct: ['share of time in which it or one of its devices sent, backoff and collisions included'],
  channel_utilisation_pct: ['share of time in which it found the channel busy, its own airtime included'],
  tx_retries_pct: ['attempts that collided or were lost'],
  channel: ['channel (WiFi), sub-band (LiFi)'],
  illuminance_lx: ['light on the desk below the lamp, with daylight'],
  ambient_lx: ['daylight on the desk'],
  optical_tx_power_w: ['light that the lamp gives'],
  dimming_pct: ['that light, as a share of the most'],
  beam_angle_degrees: ['angle at half power'],
  rx_power_uw: ['light on the photodiodes of the devices, mean'],
  phy_rate_mbps: ['PHY rate of the devices, mean'],
  blocked_pct: ['device-seconds in which the best lamp is hidden by a person or a pillar'],
  blockage_events: ['beginnings of those'],
  handovers_to_wifi: ['hand-overs to WiFi that succeeded'],
  tilt_mean_degrees: ['how far the devices lean, mean'],
};

/** Throws if a metric has none: the document must define each. */
export function definitionOf(name: string): Definition {
  const found = definitions[name];
  if (!found) throw new Error(`metric-definitions.ts does not define ${name}`);
  const [definition, clause] = found;
  return clause === undefined ? { definition } : { definition, clause };
}
