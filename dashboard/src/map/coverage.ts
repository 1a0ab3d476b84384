// How far an access point reaches: as its configuration says, else as is usual for its technology.
import type { Technology } from '../api/operations.ts';

const usualMetres: Record<Technology, number> = { '5G': 250, WiFi: 30, LiFi: 3 };
const told = ['coverage_radius_m', 'coverage_m', 'range_m'];

export interface Coverage {
  metres: number;
  isUsual: boolean;
}

export function coverageOf(
  technology: Technology | undefined,
  configuration: Record<string, unknown>,
): Coverage | undefined {
  const metres = told.map((name) => Number(configuration[name] ?? Number.NaN)).find((value) => value > 0);
  if (metres !== undefined && metres < 100_000) return { metres, isUsual: false };
  return technology && { metres: usualMetres[technology], isUsual: true };
}
