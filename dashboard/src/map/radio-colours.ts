// The colours of radio maps. Sequential: viridis, whose steps look even and which those who tell few colours apart can read;
// weak values let more of the ground through. Diverging: orange for less, blue for more, nothing in the middle. Pure.
import type { CoverageLayer, Technology } from '../api/operations.ts';

export type Rgb = readonly [red: number, green: number, blue: number];
export type Theme = 'light' | 'dark';

/** Viridis, by Nathaniel Smith and Stéfan van der Walt (public domain), at even distances. */
const viridis: readonly Rgb[] = [
  [68, 1, 84],
  [71, 39, 119],
  [62, 73, 137],
  [48, 103, 141],
  [37, 130, 142],
  [30, 157, 136],
  [53, 183, 121],
  [108, 206, 88],
  [181, 222, 43],
  [253, 231, 37],
];

/** After Okabe and Ito: told apart with every kind of colour vision, for neighbours on the map. */
export const categories: Record<Theme, readonly Rgb[]> = {
  light: [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [213, 94, 0],
    [120, 94, 240],
    [148, 138, 28],
  ],
  dark: [
    [64, 156, 214],
    [240, 178, 50],
    [38, 186, 145],
    [222, 150, 188],
    [120, 198, 240],
    [232, 124, 52],
    [152, 134, 250],
    [190, 180, 70],
  ],
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
const domains: Record<'signal' | 'sinr', Record<Technology, Domain>> = {
  signal: { '5G': { from: -120, to: -70 }, WiFi: { from: -90, to: -30 }, LiFi: { from: -50, to: -10 } },
  sinr: { '5G': { from: -10, to: 30 }, WiFi: { from: 0, to: 50 }, LiFi: { from: 0, to: 60 } },
};

export function domainOf(layer: CoverageLayer, technology: Technology, max: number | null): Domain {
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
