// The coverage of an access point: from its configuration, else the default of its type.
import type { Technology } from '../api/operations.ts';

const defaultMetres: Record<Technology, number> = { '5G': 250, WiFi: 30, LiFi: 3 };
const configured = ['coverage_radius_m', 'coverage_m', 'range_m'];

export interface Coverage {
  metres: number;
  isDefault: boolean;
}

export function coverageOf(
  technology: Technology | undefined,
  configuration: Record<string, unknown>,
): Coverage | undefined {
  const metres = configured.map((name) => Number(configuration[name] ?? Number.NaN)).find((value) => value > 0);
  if (metres !== undefined && metres < 100_000) return { metres, isDefault: false };
  return technology && { metres: defaultMetres[technology], isDefault: true };
}
