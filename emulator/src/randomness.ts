// Chance without a memory: each draw is a hash of the seed and of what it is drawn for, so that it does not matter who
// draws first, how often, or at which speed the model runs.
import { ln } from '@weft/contract/exact-math';

/** What draws are for; two purposes never share numbers. */
export const streams = {
  kind: 1,
  place: 2,
  angle: 3,
  indoor: 4,
  wall: 5,
  speed: 6,
  phase: 7,
  heading: 8,
  waypointX: 9,
  waypointY: 10,
  pause: 11,
  flow: 12,
  flowSize: 13,
  firstShadow: 14,
  shadow: 15,
  sight: 16,
  polar: 18,
  apShadow: 20,
  background: 21,
  duplicate: 22,
  trafficClass: 23,
  session: 24,
  interruption: 25,
  pillarX: 26,
  pillarY: 27,
  future: 28,
  wallSpread: 29,
  linkPolicy: 30,
  turn: 31,
  arrival: 32,
  arrivals: 33,
  /** Four, one for each wave. */
  fading: 40,
  /** When the worlds of an environment begin. */
  start: 50,
} as const;

/** 32 well-mixed bits. The arguments count by their lowest 32 bits. */
export function hash(seed: number, stream: number, a: number, b: number): number {
  let h = mixIn(seed | 0, stream | 0);
  h = mixIn(h, a | 0);
  h = mixIn(h, b | 0);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Between 0 and 1, never either. */
export function uniform(seed: number, stream: number, a: number, b: number): number {
  return (hash(seed, stream, a, b) + 0.5) / 4294967296;
}

/** Mean 0, deviation 1; the inverse of the normal distribution by Acklam's fractions, good to nine digits. */
export function normal(seed: number, stream: number, a: number, b: number): number {
  const p = uniform(seed, stream, a, b);
  if (p < 0.02425) return tail(p);
  if (p > 0.97575) return -tail(1 - p);
  const q = p - 0.5;
  const r = q * q;
  const above =
    (((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
      30.66479806614716) *
      r +
      2.506628277459239) *
    q;
  const below =
    ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
      13.28068155288572) *
      r +
    1;
  return above / below;
}

/** Mean 0, deviation 1, with the long tails of a Laplace distribution. */
export function laplace(seed: number, stream: number, a: number, b: number): number {
  const centred = uniform(seed, stream, a, b) - 0.5;
  const size = -ln(1 - 2 * Math.abs(centred)) * Math.SQRT1_2;
  return centred < 0 ? -size : size;
}

function tail(p: number): number {
  const q = Math.sqrt(-2 * ln(p));
  const above =
    ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) * q +
      4.374664141464968) *
      q +
    2.938163982698783;
  const below =
    (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q + 1;
  return above / below;
}

function mixIn(h: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  h ^= Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}
