// What devices do: six kinds of use, with what they ask for, how it arrives, how long it may take, and what goes up.
import { type TrafficClass, type TrafficMix, trafficClasses } from '@weft/contract/emulated-model';

export interface ClassModel {
  /** Demand relative to the other classes; the mean over a mix is scaled to what its devices shall ask for. */
  weight: number;
  /** Mean size of what arrives at once, and the deviation of its logarithm; 0 for a stream that arrives evenly. */
  burstBits: number;
  spread: number;
  /** Share of minutes in which a stream runs; it is the faster then. */
  activity: number;
  /** Mean time in the network from which on it is of no use, in milliseconds. */
  budgetMs: number;
  /** Whoever asks again gives up what waits beyond so many seconds of the usual demand. */
  patienceS: number;
  /** Bits sent for each bit received. */
  uplink: number;
}

/** Budgets of the streams: 5QI 1, 3 and 79 (TS 23.501 table 5.7.4-1). Those of transfers include the transfer itself. */
export const classModels: Record<TrafficClass, ClassModel> = {
  voice: { weight: 0.05, burstBits: 0, spread: 0, activity: 0.3, budgetMs: 100, patienceS: 1, uplink: 1 },
  video: { weight: 3, burstBits: 8e6, spread: 0.4, activity: 1, budgetMs: 4000, patienceS: 8, uplink: 0.03 },
  gaming: { weight: 0.15, burstBits: 0, spread: 0, activity: 0.4, budgetMs: 50, patienceS: 1, uplink: 0.6 },
  web: { weight: 1, burstBits: 8e6, spread: 1, activity: 1, budgetMs: 1000, patienceS: 10, uplink: 0.1 },
  bulk: { weight: 2, burstBits: 80e6, spread: 1, activity: 1, budgetMs: 30_000, patienceS: 30, uplink: 0.2 },
  sensor: { weight: 0.01, burstBits: 0, spread: 0, activity: 1, budgetMs: 300, patienceS: 10, uplink: 5 },
};

/** Index into trafficClasses for a draw between 0 and 1. */
export function classAt(u: number, mix: TrafficMix): number {
  const total = trafficClasses.reduce((sum, name) => sum + (mix[name] ?? 0), 0);
  let left = u * total;
  let last = 0;
  for (const [index, name] of trafficClasses.entries()) {
    const share = mix[name] ?? 0;
    if (share === 0) continue;
    last = index;
    left -= share;
    if (left < 0) return index;
  }
  return last;
}

/** What a device of each class asks for in the busiest hour, in bit/s, if the mean over the mix is `meanBps`. */
export function demandsBps(mix: TrafficMix, meanBps: number): number[] {
  let devices = 0;
  let weights = 0;
  for (const name of trafficClasses) {
    devices += mix[name] ?? 0;
    weights += (mix[name] ?? 0) * classModels[name].weight;
  }
  return trafficClasses.map((name) => (meanBps * classModels[name].weight * devices) / weights);
}
