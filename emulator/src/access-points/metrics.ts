// What access points report: the names, labels and units of their metrics, 3GPP's own names where there are some, and how
// each is made from the sums since the last report.

import { trafficClasses } from '@weft/contract/emulated-model';
import { fromDb, rounded, toDb } from '@weft/contract/exact-math';
import { axialIntensityCd, illuminanceLx } from '../radio/lifi.ts';
import { noiseFloorDbm, type WifiWidth } from '../radio/wifi.ts';
import { daylightLx, localHour } from '../traffic/demand.ts';
import { baseMs } from '../traffic/scheduler.ts';
import { lampHeightM } from '../world/bodies.ts';
import type { AccessPointType } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';
import { type AccessPoint, maxOpticalW } from './access-point.ts';
import { faultOf } from './faults.ts';

export interface MetricDescription {
  label: string;
  unit: string;
  /** The name in 3GPP TS 28.552 or 28.554. */
  alias?: string;
}

interface Reading {
  state: WorldState;
  index: number;
  ap: AccessPoint;
  /** Mean over the seconds since the last report, and over the devices in them; NaN over none. */
  perSecond(sum: Float64Array): number;
  perDevice(sum: Float64Array): number;
  count(sum: Float64Array): number;
}

interface Metric extends MetricDescription {
  /** Decimals, where four are too few. */
  digits?: number;
  /** NaN where there is nothing to report. */
  read(reading: Reading): number;
}

type Metrics = Record<string, Metric>;

const metric = (label: string, unit: string, read: Metric['read'], alias?: string): Metric => {
  return alias === undefined ? { label, unit, read } : { label, unit, alias, read };
};

/** How often something happened. */
const counted = (label: string, tally: keyof WorldState['tallies'], alias?: string): Metric =>
  metric(label, '', (r) => r.count(r.state.tallies[tally]), alias);

/** Share of what was delivered that was of a class; nothing if there was none of it. */
const classes = Object.fromEntries(
  trafficClasses.map((name) => [
    `${name}_pct`,
    metric(`${name[0]!.toUpperCase()}${name.slice(1)}, share of traffic`, '%', (r) => {
      return (100 * r.count(r.state.tallies[`${name}Bits`])) / r.count(r.state.tallies.deliveredBits);
    }),
  ]),
);

const people: Metrics = {
  connected_devices: metric('Connected devices', '', (r) => r.perSecond(r.state.tallies.attached), 'RRC.ConnMean'),
  served_devices: metric('Served devices', '', (r) => r.perSecond(r.state.tallies.served)),
  throughput_mbps: metric('Throughput', 'Mb/s', (r) => r.perSecond(r.state.tallies.deliveredBits) / 1e6),
  backlog_mbit: metric('Waiting traffic', 'Mbit', (r) => r.perSecond(r.state.tallies.waitingBits) / 1e6),
  latency_ms: metric('Latency', 'ms', latencyMs, 'DRB.AirIfDelayDl'),
  qos_met_pct: metric('Within delay budget', '%', (r) => {
    return (100 * r.count(r.state.tallies.budgetMet)) / r.count(r.state.tallies.withData);
  }),
  ...classes,
  uplink_mbps: metric('Throughput, uplink', 'Mb/s', (r) => r.perSecond(r.state.tallies.upBits) / 1e6),
};

const energy: Metrics = {
  handovers_in: counted('Hand-overs in', 'handoversIn'),
  handovers_out: counted('Hand-overs out', 'handoversOut', 'MM.HoExeInterSucc'),
  handover_attempts: counted('Hand-overs out, tried', 'handoverAttempts', 'MM.HoExeInterReq'),
  handover_failures: counted('Hand-overs out, failed', 'handoverFailures', 'MM.HoExeInterFail'),
  ping_pongs: counted('Hand-overs back within 5 s', 'pingPongs'),
  power_w: metric('Power', 'W', (r) => r.perSecond(r.state.tallies.energyJ), 'PEE.AvgPower'),
  // One second of a sleeping lamp is 1.4e-7 kWh.
  energy_kwh: { ...metric('Energy', 'kWh', (r) => r.ap.energyJ / 3.6e6, 'PEE.Energy'), digits: 9 },
  active: metric('Active', '', (r) => (r.ap.power_state === 'on' || r.ap.power_state === 'draining' ? 1 : 0)),
};

const cell: Metrics = {
  ...people,
  prb_load_pct: metric('PRB load, downlink', '%', (r) => 100 * r.perSecond(r.state.tallies.load), 'RRU.PrbTotDl'),
  ue_throughput_kbps: metric(
    'Throughput per device',
    'kbit/s',
    (r) => r.count(r.state.tallies.deliveredBits) / 1e3 / r.count(r.state.tallies.busyS),
    'DRB.UEThpDl',
  ),
  volume_mbit: metric(
    'Volume, downlink',
    'Mbit',
    (r) => r.count(r.state.tallies.deliveredBits) / 1e6,
    'DRB.PdcpSduVolumeDL',
  ),
  rsrp_dbm: metric('RSRP', 'dBm', (r) => r.perDevice(r.state.tallies.signal), 'L1M.SS-RSRP'),
  rsrq_db: metric('RSRQ', 'dB', (r) => r.perDevice(r.state.tallies.ratio), 'RF.serving.RSRQ'),
  sinr_db: metric('SINR', 'dB', (r) => r.perDevice(r.state.tallies.quality), 'RF.serving.RSSINR'),
  cqi: metric('CQI', '', (r) => r.perDevice(r.state.tallies.code), 'CARR.WBCQIDist'),
  uplink_load_pct: metric('Load, uplink', '%', (r) => 100 * r.perSecond(r.state.tallies.upLoad), 'RRU.PrbTotUl'),
  radio_link_failures: counted('Links lost', 'linkFailures'),
  tx_power_dbm: metric('Tx power', 'dBm', (r) => r.ap.actual.tx_power_dbm),
  tilt_degrees: metric('Tilt', '°', (r) => r.ap.actual.tilt_degrees),
  prb_quota_pct: metric('PRB quota', '%', (r) => r.ap.actual.prb_quota_pct),
  ...energy,
  energy_efficiency_bit_per_j: metric(
    'Energy efficiency',
    'bit/J',
    (r) => r.count(r.state.tallies.deliveredBits) / r.count(r.state.tallies.energyJ),
    'EE',
  ),
};

const accessPoint: Metrics = {
  ...people,
  rssi_dbm: metric('RSSI', 'dBm', (r) => r.perDevice(r.state.tallies.signal)),
  snr_db: metric('SINR', 'dB', (r) => r.perDevice(r.state.tallies.quality)),
  noise_floor_dbm: metric('Noise floor', 'dBm', (r) => {
    const quietMw = fromDb(noiseFloorDbm(r.ap.actual.channel_width_mhz as WifiWidth));
    return toDb(quietMw + r.perSecond(r.state.tallies.noiseMw));
  }),
  channel_width_mhz: metric('Channel width', 'MHz', (r) => r.ap.actual.channel_width_mhz),
  mcs: metric('MCS', '', (r) => r.perDevice(r.state.tallies.code)),
  tx_rate_mbps: metric('Tx rate', 'Mb/s', (r) => r.perDevice(r.state.tallies.rateMbps)),
  airtime_pct: metric('Own airtime', '%', (r) => 100 * r.perSecond(r.state.tallies.load)),
  channel_utilisation_pct: metric('Channel utilisation', '%', (r) => 100 * r.perSecond(r.state.tallies.utilisation)),
  tx_retries_pct: metric('Tx retries', '%', (r) => 100 * r.perDevice(r.state.tallies.retries)),
  channel: metric('Channel', '', (r) => r.ap.actual.channel),
  tx_power_dbm: metric('Tx power', 'dBm', (r) => r.ap.actual.tx_power_dbm),
  ...energy,
};

const lamp: Metrics = {
  ...people,
  illuminance_lx: metric('Illuminance', 'lx', (r) => deskLightLx(r.state, r.index) + daylight(r)),
  ambient_lx: metric('Daylight', 'lx', daylight),
  optical_tx_power_w: metric('Optical tx power', 'W', (r) => (maxOpticalW * r.ap.actual.dimming_pct) / 100),
  dimming_pct: metric('Dimming', '%', (r) => r.ap.actual.dimming_pct),
  beam_angle_degrees: metric('Beam angle', '°', (r) => r.ap.actual.beam_angle_degrees),
  channel: metric('Sub-band', '', (r) => r.ap.actual.channel),
  rx_power_uw: metric('Rx power', 'µW', (r) => r.perDevice(r.state.tallies.signal)),
  snr_db: metric('SNR', 'dB', (r) => r.perDevice(r.state.tallies.quality)),
  mcs: metric('MCS', '', (r) => r.perDevice(r.state.tallies.code)),
  phy_rate_mbps: metric('PHY rate', 'Mb/s', (r) => r.perDevice(r.state.tallies.rateMbps)),
  airtime_pct: metric('Own airtime', '%', (r) => 100 * r.perSecond(r.state.tallies.load)),
  uplink_load_pct: metric('Load, uplink', '%', (r) => 100 * r.perSecond(r.state.tallies.upLoad)),
  blocked_pct: metric('Blocked devices', '%', (r) => {
    return (100 * r.count(r.state.tallies.blocked)) / r.count(r.state.tallies.underLamp);
  }),
  blockage_events: counted('Blockages', 'blockages'),
  handovers_to_wifi: counted('Hand-overs to WiFi', 'toWifi'),
  tilt_mean_degrees: metric('Tilt of devices', '°', (r) => r.perDevice(r.state.tallies.tiltDegrees)),
  ...energy,
};

const metrics: Record<AccessPointType, Metrics> = { '5G': cell, WiFi: accessPoint, LiFi: lamp };

/** The metrics of a kind of access point by name, as its configuration carries them. */
export function metricsOf(type: AccessPointType): Record<string, MetricDescription> {
  return Object.fromEntries(
    Object.entries(metrics[type]).map(([name, { read: _, ...description }]) => [name, description]),
  );
}

/** The values since the last report, to four decimals or more; without those for which there was nothing to measure. */
export function readMetrics(state: WorldState, index: number): Readonly<Record<string, number>> {
  const ap = state.accessPoints[index]!;
  const { steps, withSignal } = state.tallies;
  const reading: Reading = {
    state,
    index,
    ap,
    perSecond: (sum) => sum[index]! / steps[index]!,
    perDevice: (sum) => sum[index]! / withSignal[index]!,
    count: (sum) => sum[index]!,
  };
  const fields: Record<string, number> = {};
  const own = metrics[ap.type];
  for (const name in own) {
    const value = own[name]!.read(reading);
    if (Number.isFinite(value)) fields[name] = rounded(value, own[name]!.digits);
  }
  return Object.freeze(fields);
}

/** Mean time in the network of what was delivered: what waited, over what came through (Little's law). */
function latencyMs({ state: { cells, tallies }, index, count }: Reading): number {
  return baseMs[cells.type[index]!]! + (1000 * count(tallies.waitBitS)) / count(tallies.deliveredBits);
}

function daylight({ state, ap }: Reading): number {
  return daylightLx(localHour(state.startMs + state.step * 1000, ap.longitude));
}

// Light on the desks: what falls below each lamp from itself and its neighbours, and what comes in from outside.
const fluxLm = 3500;

/** Lux on the desk under this lamp, without daylight. */
export function deskLightLx({ accessPoints, cells, neighbours }: WorldState, lamp: number): number {
  const lightOf = (index: number, beside: number) => {
    const { actual, faults } = accessPoints[index]!;
    if (actual.dimming_pct === 0 || faultOf(faults, 'crash')) return 0;
    const distanceM = Math.sqrt(beside * beside + lampHeightM * lampHeightM);
    const order = cells.shape[index]!;
    const intensity = axialIntensityCd((fluxLm * actual.dimming_pct) / 100, order);
    return illuminanceLx(intensity, order, distanceM, lampHeightM / distanceM, lampHeightM / distanceM);
  };
  const { index, distanceM } = neighbours[lamp]!;
  return index.reduce((sum, other, n) => sum + lightOf(other, distanceM[n]!), lightOf(lamp, 0));
}
