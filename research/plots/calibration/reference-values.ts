// What others report, for the calibration plots; sources are cited in docs/emulator.md.
import type { NrScenario } from '../../../emulator/src/radio/nr.ts';

/** The large-scale calibration of TR 38.901 (clause 7.8.1) at 6 GHz: medians over the companies of R1-165974, in dB. */
interface LargeScale {
  percentiles: readonly number[];
  couplingLossDb: Record<NrScenario, readonly number[]>;
  /** Without noise, all cells sending all the time. */
  geometryDb: Record<NrScenario, readonly number[]>;
}

export const largeScale: LargeScale = {
  percentiles: [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95],
  couplingLossDb: {
    UMa: [86, 93.7, 102.8, 109.1, 114.7, 120.3, 125.8, 131.1, 137, 144.7, 150.4],
    UMi: [74.8, 82, 92.2, 99.9, 106.4, 112.2, 117.6, 122.9, 128.9, 136.4, 142.3],
    InH: [45, 47.2, 50.7, 53.6, 56.4, 59.3, 62.3, 65.1, 67.2, 69.4, 71.1],
  },
  geometryDb: {
    UMa: [-1, 0.1, 2, 3.9, 6, 8.6, 11.3, 14.7, 18.6, 23.4, 25.6],
    UMi: [-1.7, -0.5, 1.2, 3, 5, 7.3, 9.9, 13, 17, 22.1, 24.9],
    InH: [-4.4, -3.5, -2, -0.6, 1, 3, 5.5, 8.4, 11.7, 15.6, 17.9],
  },
};

/**
 * Least mean spectral efficiency of a cell in the test environment nearest to the scenario, downlink, bit/s/Hz: IMT-Advanced
 * (Report ITU-R M.2134, four antennas to two) and IMT-2020 (Report ITU-R M.2410, many antennas and several users at once).
 */
export const requirements: Record<NrScenario, { advanced: number; imt2020: number }> = {
  UMa: { advanced: 2.2, imt2020: 7.8 },
  UMi: { advanced: 2.6, imt2020: 7.8 },
  InH: { advanced: 3, imt2020: 9 },
};

/** EARTH (Auer et al. 2011, table 2): watts of a base station without load and at full load, as many chains as here. */
export const earthW: Record<NrScenario, { empty: number; full: number }> = {
  UMa: { empty: 4 * 130, full: 4 * (130 + 4.7 * 20) },
  UMi: { empty: 2 * 56, full: 2 * (56 + 2.6 * 6.3) },
  InH: { empty: 2 * 6.8, full: 2 * (6.8 + 4 * 0.13) },
};
