// The fleet in sums: what all access points together carry, serve and draw, now and over a window. Pure.
import type { LatestMetrics } from '../../api/client.ts';

export const summedMetrics = ['throughput_mbps', 'connected_devices', 'power_w'] as const;
export type SummedMetric = (typeof summedMetrics)[number];
export type Sums = Record<SummedMetric, number>;

/** The mean of each bin of time; undefined where nothing was known. */
export interface SumTrend {
  stepSeconds: number;
  /** When the first bin begins, in seconds since 1970. */
  from: number;
  bins: (Sums | undefined)[];
}

export interface SumSample {
  time: number;
  sums: Sums;
}

export const noSums: Sums = { throughput_mbps: 0, connected_devices: 0, power_w: 0 };
const binCount = 60;

/** Those that are offline count for nothing: their last word is no longer true. */
export function sumLatest(agents: LatestMetrics['agents'], isCounted: (ap_id: string) => boolean = () => true): Sums {
  const sums = { ...noSums };
  for (const { ap_id, presence, metrics } of agents) {
    if (presence === 'offline' || !isCounted(ap_id)) continue;
    for (const name of summedMetrics) {
      const value = (metrics[name] as { value?: unknown } | undefined)?.value;
      if (typeof value === 'number') sums[name] += value;
    }
  }
  return sums;
}

/** How long a bin is: as long as the points that were asked for, else a sixtieth of the window. */
export function stepOf(windowSeconds: number, resolutionSeconds: number | undefined): number {
  return Math.max(1, resolutionSeconds ?? Math.ceil(windowSeconds / binCount));
}

export interface AgentSeries {
  metric: string;
  points: readonly { ts: string; value: number }[];
}

/** Adds up what each agent had in each bin, as often as it counts for others; `step` is the length of a bin in seconds. */
export function sumSeries(agents: readonly (readonly AgentSeries[])[], step: number, weight = 1): Map<number, Sums> {
  const bins = new Map<number, Sums>();
  for (const series of agents) {
    for (const { metric, points } of series) {
      if (!isSummed(metric)) continue;
      for (const [bin, mean] of meansByBin(points, step)) {
        const sums = bins.get(bin) ?? { ...noSums };
        sums[metric] += mean * weight;
        bins.set(bin, sums);
      }
    }
  }
  return bins;
}

/** What was stored, and after it what was seen live, over the window that ends now. */
export function toTrend(
  stored: ReadonlyMap<number, Sums>,
  seen: readonly SumSample[],
  { windowSeconds, step, now }: { windowSeconds: number; step: number; now: number },
): SumTrend {
  const last = Math.floor(now / step);
  const first = Math.floor((now - windowSeconds) / step) + 1;
  const live = meanSums(seen, step);
  const newestStored = Math.max(Number.NEGATIVE_INFINITY, ...stored.keys());
  const bins = Array.from({ length: Math.max(1, last - first + 1) }, (_, index) => {
    const bin = first + index;
    return bin >= newestStored ? (live.get(bin) ?? stored.get(bin)) : (stored.get(bin) ?? live.get(bin));
  });
  return { stepSeconds: step, from: first * step, bins };
}

/** Some of many, spread evenly, and how many each of them stands for. */
export function sampleOf<Item>(items: readonly Item[], most: number): { sample: Item[]; weight: number } {
  if (items.length <= most) return { sample: [...items], weight: 1 };
  const sample = Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)]!);
  return { sample, weight: items.length / most };
}

function isSummed(metric: string): metric is SummedMetric {
  return (summedMetrics as readonly string[]).includes(metric);
}

function meansByBin(points: AgentSeries['points'], step: number): Map<number, number> {
  const found = new Map<number, { sum: number; count: number }>();
  for (const { ts, value } of points) {
    const bin = Math.floor(Date.parse(ts) / 1000 / step);
    const known = found.get(bin) ?? { sum: 0, count: 0 };
    found.set(bin, { sum: known.sum + value, count: known.count + 1 });
  }
  return new Map([...found].map(([bin, { sum, count }]) => [bin, sum / count]));
}

function meanSums(samples: readonly SumSample[], step: number): Map<number, Sums> {
  const grouped = new Map<number, Sums[]>();
  for (const { time, sums } of samples) {
    const bin = Math.floor(time / step);
    const known = grouped.get(bin);
    if (known) known.push(sums);
    else grouped.set(bin, [sums]);
  }
  const mean = (all: readonly Sums[], name: SummedMetric) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return new Map(
    [...grouped].map(([bin, all]) => [
      bin,
      {
        throughput_mbps: mean(all, 'throughput_mbps'),
        connected_devices: mean(all, 'connected_devices'),
        power_w: mean(all, 'power_w'),
      },
    ]),
  );
}
