// How much energy the fleet has drawn, from the counters (`energy_kwh`) of its access points. Where one has no counter, power
// times time stands in for it. Pure; times are seconds since 1970.
import type { LatestMetrics } from '../../api/client.ts';
import { gapLimit } from '../../components/chart/chart-shape.ts';
import type { AgentSeries } from './fleet-sums.ts';

export const energyMetric = 'energy_kwh';

/** What one access point said at a moment. */
export interface Reading {
  time: number;
  energyKwh: number | undefined;
  powerW: number | undefined;
}

/** Energy that was drawn up to a moment, since the one before it. */
export interface Drawn {
  time: number;
  wattHours: number;
}

/** Power says nothing about a silence longer than this. */
const longestHoldSeconds = 120;

/** A counter that is lower than before has begun again at 0. */
function increase(before: number, after: number): number {
  return after >= before ? after - before : Math.max(0, after);
}

export function drawnBetween(before: Reading, after: Reading): number {
  if (before.energyKwh !== undefined && after.energyKwh !== undefined) {
    return increase(before.energyKwh, after.energyKwh) * 1000;
  }
  const seconds = after.time - before.time;
  if (seconds <= 0 || seconds > longestHoldSeconds) return 0;
  return (((before.powerW ?? 0) + (after.powerW ?? before.powerW ?? 0)) / 2) * (seconds / 3600);
}

/** Counts from its first readings on, however many access points there are and however long it runs. */
export class EnergyMeter {
  readonly #last = new Map<string, Reading>();
  #wattHours = 0;

  get wattHours(): number {
    return this.#wattHours;
  }

  /** Returns what was drawn since the readings before. */
  note(readings: ReadonlyMap<string, Reading>): number {
    let drawn = 0;
    for (const [ap_id, reading] of readings) {
      const before = this.#last.get(ap_id);
      if (before && reading.time <= before.time) continue;
      if (before) drawn += drawnBetween(before, reading);
      this.#last.set(ap_id, reading);
    }
    this.#wattHours += drawn;
    return drawn;
  }
}

export function readingsOf(agents: LatestMetrics['agents']): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const { ap_id, metrics } of agents) {
    const energy = latestOf(metrics[energyMetric]);
    const power = latestOf(metrics.power_w);
    const time = Math.max(energy?.time ?? 0, power?.time ?? 0);
    if (time > 0) readings.set(ap_id, { time, energyKwh: energy?.value, powerW: power?.value });
  }
  return readings;
}

function latestOf(metric: unknown): { time: number; value: number } | undefined {
  const { ts, value } = (metric ?? {}) as { ts?: unknown; value?: unknown };
  if (typeof ts !== 'string' || typeof value !== 'number') return undefined;
  return { time: Date.parse(ts) / 1000, value };
}

/** What one access point has drawn from point to point of its stored series; `resolutionSeconds` where points are means. */
export function drawnOf(series: readonly AgentSeries[], resolutionSeconds?: number): Drawn[] {
  const pointsOf = (name: string) => series.find(({ metric }) => metric === name)?.points ?? [];
  const counted = pointsOf(energyMetric);
  const isCounted = counted.length > 0;
  const points = (isCounted ? counted : pointsOf('power_w')).map(({ ts, value }) => ({
    time: Date.parse(ts) / 1000,
    value,
  }));
  // Power says nothing about a gap.
  const limit = gapLimit(
    points.map(({ time }) => time),
    resolutionSeconds,
  );
  return points.slice(1).map(({ time, value }, index) => {
    const before = points[index]!;
    if (isCounted) return { time, wattHours: increase(before.value, value) * 1000 };
    const hours = (time - before.time) / 3600;
    return { time, wattHours: time - before.time > limit ? 0 : ((before.value + value) / 2) * hours };
  });
}

export function drawnSince(drawn: readonly Drawn[], from: number): number {
  return drawn.reduce((sum, { time, wattHours }) => (time > from ? sum + wattHours : sum), 0);
}
