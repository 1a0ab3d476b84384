// Small-scale variation of a signal: a sum of a few waves whose beat follows from how fast the device moves, and whose size from
// how many independent pieces the bandwidth falls into.
import { cos } from '@weft/contract/exact-math';
import { hash, streams } from '../randomness.ts';

const waves = 4;
/** Around a device that lies still, people and leaves move. */
const slowestMPerS = 0.01;
/** Deviation in decibels of the power of a single Rayleigh path. */
const rayleighDb = 5.57;
const turn = 2 * Math.PI;
/** Draws of paths that were asked for, whatever the world: they follow from the key alone. A power of two. */
const kept = 4096;
const keys = new Int32Array(4 * kept);
const drawn = new Uint32Array(waves * kept);

/** Mean 0, deviation 1; the same for the same device, access point and second. */
export function fading(
  seed: number,
  device: number,
  ap: number,
  step: number,
  speedMPerS: number,
  wavelengthM: number,
): number {
  const beatHz = Math.max(slowestMPerS, speedMPerS) / wavelengthM;
  const from = wavesOf(seed, device, ap);
  let sum = 0;
  for (let wave = from; wave < from + waves; wave++) {
    const bits = drawn[wave]!;
    const phase = (bits & 0xffff) / 65_536;
    const towards = 0.1 + 0.9 * ((bits >>> 16) / 65_536);
    const turns = beatHz * towards * step + phase;
    sum += cos(turn * (turns - Math.floor(turns)));
  }
  return sum * Math.SQRT1_2;
}

/** Where in `drawn` the waves of the path begin. */
function wavesOf(seed: number, device: number, ap: number): number {
  const mixed = Math.imul(device, 0x9e3779b1) ^ Math.imul(ap, 0x85ebca6b) ^ seed;
  const at = 4 * ((mixed ^ (mixed >>> 16)) & (kept - 1));
  if (keys[at] === device + 1 && keys[at + 1] === ap && keys[at + 2] === (seed | 0)) return at;
  keys[at] = device + 1;
  keys[at + 1] = ap;
  keys[at + 2] = seed;
  for (let wave = 0; wave < waves; wave++) drawn[at + wave] = hash(seed, streams.fading + wave, device, ap);
  return at;
}

/** Deviation in decibels over a bandwidth, given the delay spread: one over the root of the independent pieces. */
export function fadingDeviationDb(bandwidthHz: number, delaySpreadS: number): number {
  return rayleighDb / Math.sqrt(1 + bandwidthHz * delaySpreadS);
}
