// 5G NR: path loss, line of sight, shadowing and walls as 3GPP TR 38.901 gives them, the vertical antenna pattern, and
// the figures a cell reports. Frequencies in GHz, lengths in metres, powers in dBm, everything else in dB.
import { exp, fromDb, log10, toDb } from '@weft/contract/exact-math';

export type NrScenario = 'UMa' | 'UMi' | 'InH';

interface Terrain {
  bsHeightM: number;
  /** Deviation and reach of the shadowing, with a line of sight and without. */
  shadowDb: { los: number; nlos: number };
  decorrelationM: { los: number; nlos: number };
  /** Over which distance who sees a cell is correlated (table 7.6.3.1-2). */
  sightCorrelationM: number;
}

export const utHeightM = 1.5;
/** Of the one carrier that all cells share. */
export const nrFrequencyGhz = 3.5;
/** Environment height, from which the two-ray breakpoint is counted. */
const groundM = 1;
const lightMPerS = 299_792_458;

export const terrains: Record<NrScenario, Terrain> = {
  UMa: {
    bsHeightM: 25,
    shadowDb: { los: 4, nlos: 6 },
    decorrelationM: { los: 37, nlos: 50 },
    sightCorrelationM: 50,
  },
  UMi: {
    bsHeightM: 10,
    shadowDb: { los: 4, nlos: 7.82 },
    decorrelationM: { los: 10, nlos: 13 },
    sightCorrelationM: 50,
  },
  InH: {
    bsHeightM: 3,
    shadowDb: { los: 3, nlos: 8.03 },
    decorrelationM: { los: 10, nlos: 6 },
    sightCorrelationM: 10,
  },
};

export interface NrPath {
  scenario: NrScenario;
  isLineOfSight: boolean;
  distance2dM: number;
  distance3dM: number;
  frequencyGhz: number;
  /** Of the device; 1.5 to 22.5 m, default: 1.5. */
  heightM?: number;
}

/** Loss of the path alone, without shadowing and walls. Distances under a metre count as one. */
export function nrPathLossDb(path: NrPath): number {
  const { scenario, isLineOfSight, distance2dM, distance3dM, frequencyGhz, heightM = utHeightM } = path;
  return pathLossDb(scenario, isLineOfSight, distance2dM, distance3dM, frequencyGhz, heightM);
}

/** The same without an object around it, for what asks in every second. */
export function pathLossDb(
  scenario: NrScenario,
  isLineOfSight: boolean,
  distance2dM: number,
  distance3dM: number,
  frequencyGhz: number,
  heightM: number,
): number {
  const logD = log10(Math.max(1, distance3dM));
  const logF = frequencyGhz === nrFrequencyGhz ? usualLogF : log10(frequencyGhz);
  const los = losLossDb(scenario, distance2dM, logD, logF, frequencyGhz, heightM);
  if (isLineOfSight) return los;
  if (scenario === 'UMa') return Math.max(los, 13.54 + 39.08 * logD + 20 * logF - 0.6 * (heightM - 1.5));
  if (scenario === 'UMi') return Math.max(los, 22.4 + 35.3 * logD + 21.3 * logF - 0.3 * (heightM - 1.5));
  return Math.max(los, 17.3 + 38.3 * logD + 24.9 * logF);
}

export function breakpointM(scenario: NrScenario, frequencyGhz: number, heightM = utHeightM): number {
  return (4 * (terrains[scenario].bsHeightM - groundM) * (heightM - groundM) * frequencyGhz * 1e9) / lightMPerS;
}

function losLossDb(
  scenario: NrScenario,
  distance2dM: number,
  logD: number,
  logF: number,
  frequencyGhz: number,
  heightM: number,
): number {
  if (scenario === 'InH') return 32.4 + 17.3 * logD + 20 * logF;
  const isUsual = frequencyGhz === nrFrequencyGhz && heightM === utHeightM;
  const { breakM, logBreak } = isUsual ? usualBreaks[scenario] : breakOf(scenario, frequencyGhz, heightM);
  const isNear = distance2dM <= breakM;
  if (isNear) return scenario === 'UMa' ? 28 + 22 * logD + 20 * logF : 32.4 + 21 * logD + 20 * logF;
  return scenario === 'UMa' ? 28 + 40 * logD + 20 * logF - 9 * logBreak : 32.4 + 40 * logD + 20 * logF - 9.5 * logBreak;
}

/** Where the loss begins to grow faster, and the logarithm of the way there, squared. */
function breakOf(scenario: NrScenario, frequencyGhz: number, heightM: number) {
  const breakM = breakpointM(scenario, frequencyGhz, heightM);
  const drop = terrains[scenario].bsHeightM - heightM;
  return { breakM, logBreak: log10(breakM * breakM + drop * drop) };
}

// Of the one carrier and the usual device: worked out once, since every path of every second asks for them.
const usualLogF = log10(nrFrequencyGhz);
const usualBreaks = {
  UMa: breakOf('UMa', nrFrequencyGhz, utHeightM),
  UMi: breakOf('UMi', nrFrequencyGhz, utHeightM),
  InH: breakOf('InH', nrFrequencyGhz, utHeightM),
};

/** How likely nothing stands in the way; indoors by the mixed or the open kind of office. */
export function losProbability(scenario: NrScenario, distance2dM: number, office: 'mixed' | 'open' = 'mixed'): number {
  const d = distance2dM;
  if (scenario !== 'InH') {
    if (d <= 18) return 1;
    return 18 / d + exp(-d / (scenario === 'UMa' ? 63 : 36)) * (1 - 18 / d);
  }
  if (office === 'mixed') {
    if (d <= 1.2) return 1;
    return d < 6.5 ? exp(-(d - 1.2) / 4.7) : 0.32 * exp(-(d - 6.5) / 32.6);
  }
  if (d <= 5) return 1;
  return d <= 49 ? exp(-(d - 5) / 70.8) : 0.54 * exp(-(d - 49) / 211.7);
}

/** A way, and what it leaves of a shadow. */
const lastWay = Float64Array.of(0, 1);

/** The shadow after `movedM` metres: what is left of the old one, and as much new chance as keeps the deviation. */
export function correlatedShadowDb(
  oldDb: number,
  movedM: number,
  decorrelationM: number,
  deviationDb: number,
  normalDraw: number,
): number {
  const way = -movedM / decorrelationM;
  // The paths of one device have nearly all the same.
  if (way !== lastWay[0]) {
    lastWay[0] = way;
    lastWay[1] = exp(way);
  }
  const left = lastWay[1]!;
  return left * oldDb + Math.sqrt(1 - left * left) * deviationDb * normalDraw;
}

/** Loss from outdoors to `depthM` metres inside, through an old (low) or a modern, coated (high) facade. */
export function wallLossDb(kind: 'low' | 'high', frequencyGhz: number, depthM = 0): number {
  const glass = 2 + 0.2 * frequencyGhz;
  const coatedGlass = 23 + 0.3 * frequencyGhz;
  const concrete = 5 + 4 * frequencyGhz;
  const facade =
    kind === 'low'
      ? 5 - toDb(0.3 * fromDb(-glass) + 0.7 * fromDb(-concrete))
      : 5 - toDb(0.7 * fromDb(-coatedGlass) + 0.3 * fromDb(-concrete));
  return facade + 0.5 * depthM;
}

/** Deviation of the loss through a facade (TR 38.901 table 7.4.3-2), and of that into a car (7.4.3.2) with its mean. */
export const wallDeviationDb = { low: 4.4, high: 6.5 };
export const carLossDb = { mean: 9, deviation: 5 };

/** Gain lost off the main beam, up and down; `depressionDegrees` is the angle below the horizon. */
export function verticalPatternDb(depressionDegrees: number, tiltDegrees: number): number {
  const off = (depressionDegrees - tiltDegrees) / beamWidthDegrees;
  return -Math.min(12 * off * off, sideLobeDb);
}

const beamWidthDegrees = 15;
const sideLobeDb = 20;

/** The wide beam of an antenna under the ceiling, which looks straight down (TR 38.901 table 7.2-2, 130 degrees). */
export function ceilingPatternDb(depressionDegrees: number): number {
  const off = (90 - depressionDegrees) / 130;
  return -Math.min(12 * off * off, 25);
}

/** Gain of a mast or a wall; of an antenna under the ceiling (TR 38.901 table 7.2-2 has 5 dBi). */
export const antennaDb: Record<NrScenario, number> = { UMa: 8, UMi: 8, InH: 5 };

/** Gain towards the horizon, where cells far away stand. */
export function horizonGain(scenario: NrScenario, tiltDegrees: number): number {
  return fromDb(antennaDb[scenario] + (scenario === 'InH' ? ceilingPatternDb(1) : verticalPatternDb(1, tiltDegrees)));
}

/** Power of one resource element when the cell spreads its power over all of them. */
export function resourceElementDbm(txPowerDbm: number, prbs: number): number {
  return txPowerDbm - toDb(12 * prbs);
}

export function noisePerElementDbm(spacingKhz: number, noiseFigureDb: number): number {
  return -174 + toDb(spacingKhz * 1000) + noiseFigureDb;
}

/** Signal over interference and noise; all powers in mW per resource element, interference already weighted by load. */
export function nrSinr(signalMw: number, interferenceMw: number, noiseMw: number): number {
  return signalMw / (interferenceMw + noiseMw);
}

/**
 * Reference over total received power, where the own cell fills the share `ownLoad` of its elements. Reference signals alone
 * take a sixth of them.
 */
export function nrRsrqDb(signalMw: number, ownLoad: number, interferenceMw: number, noiseMw: number): number {
  const perElementMw = signalMw * Math.max(1 / 6, ownLoad) + interferenceMw + noiseMw;
  return toDb(signalMw / (12 * perElementMw));
}
