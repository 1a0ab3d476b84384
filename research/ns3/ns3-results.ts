// What ns-3 gave for each case, as it was committed; and how the program is called for one.
import { heRateMbps } from '../../emulator/src/radio/wifi.ts';
import type { Ns3Case } from './cases.ts';
import made from './results.json' with { type: 'json' };

export interface Ns3Result {
  name: string;
  /** The program and its arguments, but for the seed. */
  command: string;
  /** Goodput of each cell in Mb/s: the mean over the seeds, and each. */
  mbps: number[];
  bySeed: number[][];
}

export function ns3Arguments({ graph, ...rest }: Ns3Case): string[] {
  const { cells = 1, stations = 1, uplink, rts, signalDbm, noiseFigureDb, widthMhz, mcs } = rest;
  // More than it can carry, and not so much more that most of the time goes into packets that are dropped.
  const most = mcs === undefined ? 260 : heRateMbps(mcs, widthMhz ?? 40);
  const offered = Math.ceil((110 * most) / stations) / 100;
  return Object.entries({
    cells,
    stations,
    uplink,
    rts,
    signal: signalDbm,
    noiseFigure: noiseFigureDb,
    width: widthMhz,
    mcs,
    offered,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `--${name}=${value === true ? 1 : value}`)
    .concat(graph ? [`--graph=${graph.map((pair) => pair.join('-')).join(',')}`] : []);
}

export const ns3Results: readonly Ns3Result[] = made.results;
/** SNR that each MCS needs, in dB. */
export const { neededDb } = made;
