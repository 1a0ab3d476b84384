// Cells for tests: in a row, at the usual distance of their technology.
import type { Cell, Technology } from '@weft/sdk';

const spacingM: Partial<Record<Technology, number>> = { '5G': 300, WiFi: 20, LiFi: 2.75 };
const metresPerDegree = 111_320;

/** `n` of a technology in a row to the north, awake for a day and nearly idle, with the given overrides. */
export function row(technology: Technology, n: number, but: Record<number, Partial<Cell>> = {}): Cell[] {
  return Array.from({ length: n }, (_, index) => ({
    ap_id: `${technology.toLowerCase()}-${index}`,
    technology,
    latitude: (index * (spacingM[technology] ?? 20)) / metresPerDegree,
    longitude: 0,
    isAwake: true,
    sinceMs: -86_400_000,
    load: 0.05,
    loadPerSecond: 0,
    throughputMbps: 5,
    backlogMbit: 0,
    connected: 5,
    served: 5,
    ...but[index],
  }));
}
