// The commands of a what-if analysis, on their way to the map: kept in this tab, because an address has no room for a
// hundred of them.
import { keep, readKept } from '../../data/kept.ts';

export interface PlannedDifference {
  commands: { agent_id: string; command: string }[];
  after_seconds: number;
}

const key = 'weft.radio-difference';

export function keepDifference(job_number: string, planned: PlannedDifference): void {
  keep('tab', key, JSON.stringify({ job_number, ...planned }));
}

/** Of the map that shows the effect of what was kept. */
export function differenceAddress(job_number: string, technology: string): string {
  const query = { network: job_number, radio: 'signal', radio_type: technology, difference: 'what-if' };
  return `/map?${new URLSearchParams(query)}`;
}

/** Undefined if nothing is kept for this network. */
export function readDifference(job_number: string): PlannedDifference | undefined {
  try {
    const { commands, after_seconds, ...kept } = JSON.parse(readKept('tab', key) ?? '{}');
    return kept.job_number === job_number && Array.isArray(commands) ? { commands, after_seconds } : undefined;
  } catch {
    return undefined;
  }
}
