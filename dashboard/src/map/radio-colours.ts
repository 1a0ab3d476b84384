// The colours of radio maps. Sequential: viridis, whose steps look even and which those who tell few colours apart can read;
// weak values let more of the ground through. Diverging: orange for less, blue for more, nothing in the middle. Pure.
import type { EmulatedTechnology } from '@weft/contract/emulated-model';
import type { CoverageLayer } from '../api/client.ts';

export type Rgb = readonly [red: number, green: number, blue: number];
export type Theme = 'light' | 'dark';

/** `440154 472777`: red, green and blue of each in hexadecimal. */
function colours(text: string): readonly Rgb[] {
  return text
    .split(' ')
    .map((hex) => [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb);
}

/** Viridis, by Nathaniel Smith and Stéfan van der Walt (public domain), at even distances. */
const viridis = colours('440154 472777 3e4989 30678d 25828e 1e9d88 35b779 6cce58 b5de2b fde725');

/** After Okabe and Ito: told apart with every kind of colour vision, for neighbours on the map. */
export const categories: Record<Theme, readonly Rgb[]> = {
  light: colours('0072b2 e69f00 009e73 cc79a7 56b4e9 d55e00 785ef0 948a1c'),
  dark: colours('409cd6 f0b232 26ba91 de96bc 78c6f0 e87c34 9886fa beb446'),
};

const diverging: Record<Theme, { less: Rgb; more: Rgb }> = {
  light: { less: [196, 78, 0], more: [24, 92, 190] },
  dark: { less: [255, 150, 66], more: [104, 170, 255] },
};

/** `share` runs from 0 to 1; what lies beyond counts as the end. */
export function sequential(share: number): Rgb {
  const place = Math.max(0, Math.min(1, share)) * (viridis.length - 1);
  const index = Math.min(viridis.length - 2, Math.floor(place));
  const rest = place - index;
  const [from, to] = [viridis[index]!, viridis[index + 1]!];
  return [0, 1, 2].map((n) => Math.round(from[n]! + (to[n]! - from[n]!) * rest)) as unknown as Rgb;
}

/** How much of a value covers the ground: from half to all. */
export function sequentialAlpha(share: number): number {
  return 0.5 + 0.5 * Math.max(0, Math.min(1, share));
}

/** `share` runs from -1 to 1. */
export function divergingColour(share: number, theme: Theme): { colour: Rgb; alpha: number } {
  const size = Math.min(1, Math.abs(share));
  return { colour: share < 0 ? diverging[theme].less : diverging[theme].more, alpha: Math.sqrt(size) };
}

export interface Domain {
  from: number;
  to: number;
}

/** Fixed where values are known beforehand, so that a colour means the same from second to second. */
const domains: Record<'signal' | 'sinr', Record<EmulatedTechnology, Domain>> = {
  signal: { '5G': { from: -120, to: -70 }, WiFi: { from: -90, to: -30 }, LiFi: { from: -50, to: -10 } },
  sinr: { '5G': { from: -10, to: 30 }, WiFi: { from: 0, to: 50 }, LiFi: { from: 0, to: 60 } },
};

export function domainOf(layer: CoverageLayer, technology: EmulatedTechnology, max: number | null): Domain {
  if (layer === 'signal' || layer === 'sinr') return domains[layer][technology];
  return { from: 0, to: layer === 'rate' ? roundEnd(Math.max(10, max ?? 0)) : 1 };
}

/** The smallest round number that is not below; close together, so that the scale is used to its end. */
function roundEnd(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 1.5, 2, 3, 4, 5, 6, 8].find((factor) => factor * power >= least) ?? 10);
}

/** Beside a mast that sleeps many decibels are lost; with all of them on the scale nothing else would be seen. */
const mostDb = 20;

/** As far down as up, and not less than a unit. */
export function differenceDomain(layer: CoverageLayer, min: number | null, max: number | null): Domain {
  const most = roundEnd(Math.max(1, Math.abs(min ?? 0), Math.abs(max ?? 0)));
  const to = layer === 'rate' ? most : Math.min(mostDb, most);
  return { from: -to, to };
}

export function shareOf(value: number, { from, to }: Domain): number {
  return (value - from) / (to - from);
}

export function cssOf([red, green, blue]: Rgb, alpha = 1): string {
  return `rgb(${red} ${green} ${blue} / ${Math.round(alpha * 100) / 100})`;
}

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
