// How much of what one transmitter sends in its channel falls into another's: the share that overlaps, and what the spectral
// mask lets through beside it.
import { exp, ln } from '@weft/contract/exact-math';

/** A channel: its lowest and highest frequency in MHz. */
export interface Band {
  lowMhz: number;
  highMhz: number;
}

/**
 * The transmit mask of IEEE 802.11ax (clause 27.3.19.1) in decibels against the channel, by the distance from its middle in
 * widths. Beyond the last point nothing is counted.
 */
const mask: readonly [widths: number, db: number][] = [
  [0.5, -20],
  [1, -28],
  [1.5, -40],
];
export const maskReachWidths = 1.5;

const known = new Map<number, number>();

/** Share of the sender's power that falls into the receiver's band: 1 within one another, 0 beyond the mask. */
export function coupling(sender: Band, receiver: Band): number {
  // Frequencies are whole megahertz below 8192: four of them fit into a number.
  const key = ((sender.lowMhz * 8192 + sender.highMhz) * 8192 + receiver.lowMhz) * 8192 + receiver.highMhz;
  let share = known.get(key);
  if (share === undefined) {
    share = computeCoupling(sender, receiver);
    known.set(key, share);
  }
  return share;
}

export function overlaps(one: Band, other: Band): boolean {
  return one.lowMhz < other.highMhz && other.lowMhz < one.highMhz;
}

function computeCoupling(sender: Band, receiver: Band): number {
  const width = sender.highMhz - sender.lowMhz;
  const middle = (sender.highMhz + sender.lowMhz) / 2;
  const inside = Math.max(0, Math.min(sender.highMhz, receiver.highMhz) - Math.max(sender.lowMhz, receiver.lowMhz));
  const above = leak((receiver.lowMhz - middle) / width, (receiver.highMhz - middle) / width);
  const below = leak((middle - receiver.highMhz) / width, (middle - receiver.lowMhz) / width);
  return Math.min(1, inside / width + above + below);
}

/** What the mask lets through between two distances from the middle, in widths, as a share of the power in the channel. */
function leak(from: number, to: number): number {
  let sum = 0;
  for (let n = 0; n + 1 < mask.length; n++) {
    const [start, startDb] = mask[n]!;
    const [end, endDb] = mask[n + 1]!;
    const [a, b] = [Math.max(from, start), Math.min(to, end)];
    if (a >= b) continue;
    // Straight in decibels: an exponential in power.
    const slope = (((endDb - startDb) / (end - start)) * ln(10)) / 10;
    const level = (startDb * ln(10)) / 10 - slope * start;
    sum += (exp(level + slope * b) - exp(level + slope * a)) / slope;
  }
  return sum;
}
