// What a control program knows of the network: each access point with its place and how it is doing, kept up to date by
// live samples. Its time is that of the samples, so that a network whose clock runs faster is understood as well.
import type { AgentDetails, LiveSample } from '@weft/sdk';

export type Technology = '5G' | 'WiFi' | 'LiFi';

export interface Place {
  ap_id: string;
  technology: Technology;
  latitude: number;
  longitude: number;
}

export interface Cell extends Place {
  isAwake: boolean;
  /** Since when it is awake, or asleep, as far as this program has seen. */
  sinceMs: number;
  /** Share of its air that is taken, 0 to 1, over the last minutes; 0 while it sleeps. */
  load: number;
  /** By how much the load grows in a second. */
  loadPerSecond: number;
  throughputMbps: number;
  /** Traffic that waits for its devices. */
  backlogMbit: number;
  connected: number;
  served: number;
}

/** What must be in the samples. */
export const cellMetrics = [
  ...['active', 'prb_load_pct', 'channel_utilisation_pct', 'airtime_pct'],
  ...['throughput_mbps', 'backlog_mbit', 'connected_devices', 'served_devices'],
];

/** Neither a burst of a few seconds nor a quiet moment is a trend. */
const loadOverSeconds = 120;
const trendOverSeconds = 900;
/** Who says nothing for so many of its usual pauses is not counted on. */
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

  /** The newest time that any sample has told. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Where access points stand; those of another kind, or without a place, are left alone. */
  learn(agents: readonly AgentDetails[]): void {
    for (const { ap_id, configuration } of agents) {
      const place = placeOf(ap_id, configuration);
      if (place) this.#places.set(ap_id, place);
    }
  }

  /** False if the access point is not known yet. */
  hear({ ap_id, ts, metrics }: LiveSample): boolean {
    const place = this.#places.get(ap_id);
    if (!place) return false;
    const atMs = Date.parse(ts);
    const before = this.#cells.get(ap_id);
    // What was held up on its way says nothing about now.
    if (before && atMs <= before.seenAtMs) return true;
    this.#cells.set(ap_id, next(place, before, metrics, atMs));
    this.#nowMs = Math.max(this.#nowMs, atMs);
    return true;
  }

  /** All that can be counted on, in the order of their names. */
  cells(): Cell[] {
    return this.#present().sort((a, b) => (a.ap_id < b.ap_id ? -1 : 1));
  }

  /** Whether everybody that can be counted on has reported since then. */
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
  // Whoever wakes begins anew.
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

/** WiFi shares its channel with whoever is on it: what is free of the channel counts, not what is its own. */
export function loadOf(technology: Technology, metrics: Record<string, number>): number {
  const percent = { '5G': metrics.prb_load_pct, WiFi: metrics.channel_utilisation_pct, LiFi: metrics.airtime_pct };
  return Math.min(1, Math.max(0, (percent[technology] ?? 0) / 100));
}

function weight(seconds: number, overSeconds: number): number {
  return 1 - Math.exp(-seconds / overSeconds);
}

function placeOf(ap_id: string, configuration: Record<string, unknown>): Place | undefined {
  const { access_point_type: technology, geolocation } = configuration;
  const { latitude, longitude } = (geolocation ?? {}) as Record<string, unknown>;
  if (technology !== '5G' && technology !== 'WiFi' && technology !== 'LiFi') return undefined;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  return { ap_id, technology, latitude, longitude };
}
