// From the quality of a 5G link to bits: channel quality indicators (TS 38.214, table 2) and what a carrier carries.
import { exp2, toDb } from '@weft/contract/exact-math';

/** Bits per resource element by CQI; 0 is out of range. */
export const spectralEfficiencies = [
  0, 0.1523, 0.377, 0.877, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547, 6.2266, 6.9141,
  7.4063,
] as const;

/** Share of Shannon's limit that a real link reaches. */
const shannonShare = 0.75;

/** The SINR, as a ratio, from which each CQI can be used. */
const thresholds = Float64Array.from(spectralEfficiencies, (efficiency) => exp2(efficiency / shannonShare) - 1);

/** The largest CQI whose efficiency the link reaches; 0 if there is none. */
export function cqiOf(sinr: number): number {
  let cqi = 0;
  while (cqi < 15 && sinr >= thresholds[cqi + 1]!) cqi++;
  return cqi;
}

export function cqiThresholdDb(cqi: number): number {
  return toDb(thresholds[cqi]!);
}

/** Resource blocks of the carrier of the emulated cells: 100 MHz, subcarriers 30 kHz apart. */
export const carrierPrbs = 273;

const overhead = 0.14;
const downlinkShare = 0.75;
const blockErrorRate = 0.1;

/** Bits per second of a whole carrier, all of it downlink and without an error. */
export function peakThroughputBps(prbs: number, efficiency: number, layers: number, spacingKhz = 30): number {
  const symbolsPerSecond = 14_000 * (spacingKhz / 15);
  return layers * prbs * 12 * symbolsPerSecond * efficiency * (1 - overhead);
}

/** What is left of it for the devices: the downlink's share of time, less the blocks that must be sent again. */
export function throughputBps(prbs: number, efficiency: number, layers: number): number {
  return peakThroughputBps(prbs, efficiency, layers) * downlinkShare * (1 - blockErrorRate);
}

const rates = [1, 2].map((layers) =>
  spectralEfficiencies.map((efficiency) => throughputBps(carrierPrbs, efficiency, layers)),
);

/** What the whole carrier gives a device with this SINR: the better of one layer, and two with half the power each. */
export function nrRateBps(sinr: number): number {
  return Math.max(rates[0]![cqiOf(sinr)]!, rates[1]![cqiOf(sinr / 2)]!);
}

const uplinkRates = spectralEfficiencies.map(
  (efficiency) => peakThroughputBps(carrierPrbs, efficiency, 1) * (1 - downlinkShare) * (1 - blockErrorRate),
);

/** What all of the uplink gives a device whose signal arrives so. */
export function nrUplinkBps(sinr: number): number {
  return uplinkRates[cqiOf(sinr)]!;
}
