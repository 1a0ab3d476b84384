// The state of the network for a control program: each access point with its position and load, kept up to date by
// live samples. Its time is that of the samples, so that it works with faster emulated networks too.
import type { AgentDetails, Technology } from '@weft/contract';
import { readPlace } from '@weft/contract/place';
import { readTechnology, technologies } from '@weft/contract/technologies';
import type { LiveSample } from './fleet-reader.ts';

export interface Place {
  ap_id: string;
  technology: Technology;
  latitude: number;
  longitude: number;
}

export interface Cell extends Place {
  isAwake: boolean;
  /** Since when it is awake or asleep, as observed by this program. */
  sinceMs: number;
  /** Load, 0 to 1, over the last minutes; 0 while it sleeps. */
  load: number;
  /** Change of the load per second. */
  loadPerSecond: number;
  throughputMbps: number;
  /** Waiting traffic for its devices. */
  backlogMbit: number;
  connected: number;
  served: number;
}

/** What must be in the samples. */
export const cellMetrics = [
  ...['active', 'prb_load_pct', 'channel_utilisation_pct', 'airtime_pct'],
  ...['throughput_mbps', 'backlog_mbit', 'connected_devices', 'served_devices'],
];

/** Long enough that a burst or a pause of a few seconds is not a trend. */
const loadOverSeconds = 120;
const trendOverSeconds = 900;
/** An access point that misses this number of reports is ignored. */
const silentAfterReports = 4;
const leastSilenceMs = 30_000;

interface Known extends Cell {
  seenAtMs: number;
  usualPauseMs: number;
}

export class Fleet {
  readonly #places = new Map<string, Place>();
  readonly #cells = new Map<string, Known>();
  #nowMs = Number.NEGATIVE_INFINITY;

  /** The latest time of any sample. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Sets the access points; those of another type, or without a position, are ignored. */
  learn(agents: readonly Pick<AgentDetails, 'ap_id' | 'configuration'>[]): void {
    for (const { ap_id, configuration } of agents) {
      const place = positionOf(ap_id, configuration);
      if (place) this.#places.set(ap_id, place);
    }
  }

  /** False if the access point is not known yet. */
  hear({ ap_id, ts, metrics }: LiveSample): boolean {
    const place = this.#places.get(ap_id);
    if (!place) return false;
    const atMs = Date.parse(ts);
    const before = this.#cells.get(ap_id);
    // A delayed sample says nothing about the present.
    if (before && atMs <= before.seenAtMs) return true;
    this.#cells.set(ap_id, next(place, before, metrics, atMs));
    this.#nowMs = Math.max(this.#nowMs, atMs);
    return true;
  }

  /** All access points that report, ordered by name. */
  cells(): Cell[] {
    return this.#present().sort((a, b) => (a.ap_id < b.ap_id ? -1 : 1));
  }

  /** Whether all of them have reported since then. */
  hasAllSince(timeMs: number): boolean {
    return this.#present().every(({ seenAtMs }) => seenAtMs >= timeMs);
  }

  #present(): Known[] {
    return [...this.#cells.values()].filter(({ seenAtMs, usualPauseMs }) => {
      return seenAtMs >= this.#nowMs - Math.max(leastSilenceMs, silentAfterReports * usualPauseMs);
    });
  }
}

function next(place: Place, before: Known | undefined, metrics: Record<string, number>, atMs: number): Known {
  const isAwake = metrics.active !== 0;
  const isSame = before?.isAwake === isAwake;
  const measured = isAwake ? loadOf(place.technology, metrics) : 0;
  const seconds = before ? (atMs - before.seenAtMs) / 1000 : 0;
  // A woken cell starts with an empty history.
  const from = isSame ? before.load : measured;
  const load = from + (measured - from) * weight(seconds, loadOverSeconds);
  const slope = isSame && seconds > 0 ? (load - before.load) / seconds : 0;
  const trend = isSame ? before.loadPerSecond : 0;
  return {
    ...place,
    isAwake,
    sinceMs: isSame ? before.sinceMs : atMs,
    load,
    loadPerSecond: trend + (slope - trend) * weight(seconds, trendOverSeconds),
    throughputMbps: metrics.throughput_mbps ?? 0,
    backlogMbit: metrics.backlog_mbit ?? 0,
    connected: metrics.connected_devices ?? 0,
    served: metrics.served_devices ?? 0,
    seenAtMs: atMs,
    usualPauseMs: before ? atMs - before.seenAtMs : 0,
  };
}

/** Of what the access point can carry, 0 to 1. */
export function loadOf(technology: Technology, metrics: Record<string, number>): number {
  return Math.min(1, Math.max(0, (metrics[technologies[technology].loadMetric] ?? 0) / 100));
}

function weight(seconds: number, overSeconds: number): number {
  return 1 - Math.exp(-seconds / overSeconds);
}

export function positionOf(ap_id: string, configuration: Record<string, unknown>): Place | undefined {
  const technology = readTechnology(configuration.access_point_type);
  const place = readPlace(configuration);
  return technology && place && { ap_id, technology, ...place };
}
