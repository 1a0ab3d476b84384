// What a test file costs. Time by the clock depends on what else the machine does; processor time does not.
import { join } from 'node:path';

/** Each test process writes there a line of JSON for each file that it ran. */
export const costsFolder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'weft-test-costs');

export interface FileCosts {
  file: string;
  /** Seconds of processor time: of this process, of all that it started, and of all until the file was read. */
  own: number;
  children: number;
  importing: number;
  /** Seconds by the clock. */
  elapsed: number;
  /** How many of each were started, such as `server`. */
  counts: Record<string, number>;
}

export const counts: Record<string, number> = {};

/** Called by fixtures that start something expensive. */
export function countCost(what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
