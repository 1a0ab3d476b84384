// Access points coloured by one of their metrics: from the lowest to the highest value that any of them has. Pure.
import { cssOf, type Rgb, sequential } from './radio-colours.ts';

export interface Shading {
  /** By ap_id; who is missing has no value and stays without a colour. */
  values: ReadonlyMap<string, number>;
  from: number;
  to: number;
  /** Which end is the worse one: many that are drawn as one show the worst of them. */
  isLowWorse: boolean;
}

/** Signal, quality and service: less is worse. Of loads, delays, losses and errors more is. */
const lowIsWorse =
  /(rss|rsrp|rsrq|sinr|snr|cqi|mcs|throughput|_rate_|served|satisf|illuminance|_lux|efficiency|budget_met|uptime|active)/;

export function isLowWorse(metric: string): boolean {
  return lowIsWorse.test(metric);
}

export function createShading(metric: string, values: ReadonlyMap<string, number>): Shading {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const value of values.values()) {
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  return { values, from, to, isLowWorse: isLowWorse(metric) };
}

/** Undefined where none of them has a value. */
export function shadeOf({ values, from, to, isLowWorse: isLow }: Shading, ap_ids: readonly string[]): Rgb | undefined {
  const known = ap_ids.flatMap((ap_id) => values.get(ap_id) ?? []);
  if (known.length === 0) return undefined;
  const worst = isLow ? Math.min(...known) : Math.max(...known);
  return sequential(to > from ? (worst - from) / (to - from) : 0.5);
}

/** What can be read on it. */
export function inkOn([red, green, blue]: Rgb): string {
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#0d1219' : '#ffffff';
}

export function gradient(): string {
  const stops = Array.from({ length: 9 }, (_, index) => cssOf(sequential(index / 8)));
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
