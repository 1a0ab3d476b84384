// Small-scale variation of a signal: a sum of a few waves whose beat follows from how fast the device moves, and whose size from
// how many independent pieces the bandwidth falls into.
import { cos } from '../exact-math.ts';
import { hash, streams } from '../randomness.ts';

const waves = 4;
/** Around a device that lies still, people and leaves move. */
const slowestMPerS = 0.01;
/** Deviation in decibels of the power of a single Rayleigh path. */
const rayleighDb = 5.57;
const turn = 2 * Math.PI;

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
  let sum = 0;
  for (let wave = 0; wave < waves; wave++) {
    const bits = hash(seed, streams.fading + wave, device, ap);
    const phase = (bits & 0xffff) / 65_536;
    const towards = 0.1 + 0.9 * ((bits >>> 16) / 65_536);
    const turns = beatHz * towards * step + phase;
    sum += cos(turn * (turns - Math.floor(turns)));
  }
  return sum * Math.SQRT1_2;
}

/** Deviation in decibels over a bandwidth, given the delay spread: one over the root of the independent pieces. */
export function fadingDeviationDb(bandwidthHz: number, delaySpreadS: number): number {
  return rayleighDb / Math.sqrt(1 + bandwidthHz * delaySpreadS);
}
