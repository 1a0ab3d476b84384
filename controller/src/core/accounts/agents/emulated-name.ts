// The names of emulated agents: their type, the beginning of the number of their run, and their number in it, from 1.

/** How much of a job's number is in the names of its agents: people copy them. */
export const runDigits = 8;

export function emulatedName(type: string, job_number: string, number: number): string {
  return `emu-${type.toLowerCase()}-${job_number.slice(0, runDigits)}-${number}`;
}

/** How the number of the run begins, by an agent's name, emulated or not; undefined for other names. */
export function runOf(ap_id: string): string | undefined {
  return /^emu-(?:5g|wifi|lifi)-(.+)-\d+$/.exec(ap_id)?.[1];
}
