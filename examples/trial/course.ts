// The course of a trial, from the telemetry in Weft: totals of the network for each report, the load of each
// access point, and sums.
import type { App, EmulationRequest } from '@weft/sdk';
import { loadOf, type Technology } from '@weft/sdk';
import { WeightedMean } from './weighted-mean.ts';

const metrics = [
  'power_w',
  'served_devices',
  'connected_devices',
  'throughput_mbps',
  'backlog_mbit',
  'active',
] as const;
type Metric = (typeof metrics)[number];
const loadMetrics = ['prb_load_pct', 'channel_utilisation_pct', 'airtime_pct'];
/** Means of the devices or of the traffic of one access point. */
const qualityMetrics = ['qos_met_pct', 'latency_ms'];

export type Moment = Record<Metric, number> & {
  /** Since the beginning. */
  seconds: number;
  /** Access points that fell asleep or woke since the previous moment. */
  changes: number;
  /** Load, 0 to 1, of each access point, in the order of the request. */
  loads: number[];
};

export interface Course {
  moments: Moment[];
  /** The types of the access points, in the order of `loads`. */
  technologies: Technology[];
  devices: number;
  energyKwh: number;
  deliveredGbit: number;
  /** Sum of the hours that devices were without service. */
  unservedHours: number;
  changes: number;
  /** Devices with data that got it in time, weighted by connected devices; those without service do not count. */
  qosMetPct: number;
  /** Mean time in the network of what was delivered. */
  latencyMs: number;
}

type Network = EmulationRequest & { report_interval_seconds: number; start_time: string };
type Agent = { ap_id: string; access_point_type: string };

export async function courseOf(app: App, agents: readonly Agent[], network: Network): Promise<Course> {
  const { emulators, report_interval_seconds: interval, start_time } = network;
  const startMs = Date.parse(start_time);
  const seconds = Math.max(...emulators.map(({ duration }) => duration));
  const count = Math.floor(seconds / interval);
  const moments = Array.from({ length: count }, (_, n) => emptyMoment((n + 1) * interval, agents.length));
  const technologies = agents.map(({ access_point_type }) => access_point_type as Technology);
  const qos = new WeightedMean();
  const latency = new WeightedMean();
  for (const [index, { ap_id }] of agents.entries()) {
    const { series } = await app.series(ap_id, [...metrics, ...loadMetrics, ...qualityMetrics], {
      window: `${seconds + interval}s`,
      end: startMs + seconds * 1000,
      maxPoints: 2 * count,
    });
    const reports = moments.map((): Record<string, number> => ({}));
    for (const { metric, points } of series) {
      for (const { ts, value } of points) {
        // Each access point reports at a different moment; every interval has one report of each.
        const report = reports[Math.ceil((Date.parse(ts) - startMs) / 1000 / interval) - 1];
        if (report) report[metric] = value;
      }
    }
    let wasActive: number | undefined;
    for (const [n, report] of reports.entries()) {
      const moment = moments[n]!;
      for (const metric of metrics) moment[metric] += report[metric] ?? 0;
      moment.loads[index] = loadOf(technologies[index]!, report);
      qos.add(report.qos_met_pct, report.connected_devices);
      latency.add(report.latency_ms, report.throughput_mbps);
      if (wasActive !== undefined && report.active !== undefined && wasActive !== report.active) moment.changes++;
      wasActive = report.active ?? wasActive;
    }
  }
  const devices = emulators.reduce(
    (sum, { num_access_points, num_devices }) => sum + num_access_points * num_devices,
    0,
  );
  const total = (of: (moment: Moment) => number) => moments.reduce((sum, moment) => sum + of(moment), 0);
  return {
    moments,
    technologies,
    devices,
    energyKwh: (total(({ power_w }) => power_w) * interval) / 3.6e6,
    deliveredGbit: (total(({ throughput_mbps }) => throughput_mbps) * interval) / 1000,
    unservedHours: (total(({ served_devices }) => devices - served_devices) * interval) / 3600,
    changes: total(({ changes }) => changes),
    qosMetPct: qos.value,
    latencyMs: latency.value,
  };
}

function emptyMoment(seconds: number, accessPoints: number): Moment {
  return {
    seconds,
    changes: 0,
    power_w: 0,
    served_devices: 0,
    connected_devices: 0,
    throughput_mbps: 0,
    backlog_mbit: 0,
    active: 0,
    loads: Array<number>(accessPoints).fill(0),
  };
}
