// A report as the spool keeps it. Where the clock was not known yet, it also says at which moment of this run it was made, so
// that its time can be set right when the clock is known.
import { randomUUID } from 'node:crypto';
import type { Report, Stamp } from '../report.ts';

/** Moments of another run mean nothing in this one. */
const run = randomUUID();

interface Kept {
  samples: Record<string, unknown>[];
  guessed?: { run: string; moment: number; indexes: number[] };
}

export function toSpoolText(report: Report, stamp: Stamp, isClockKnown: boolean): string {
  const indexes = isClockKnown ? [] : report.untimed;
  const { moment } = report;
  const samples = `"samples":[${report.texts(stamp).join(',')}]`;
  if (indexes.length === 0) return `{${samples}}`;
  return `{${samples},"guessed":${JSON.stringify({ run, moment, indexes })}}`;
}

/** The samples as JSON; those with a guessed time of this run are given the one that `timeOf` says. */
export function fromSpoolText(text: string, timeOf: ((moment: number) => number) | undefined): string[] {
  const { samples, guessed }: Kept = JSON.parse(text);
  if (timeOf && guessed?.run === run) {
    for (const [place, index] of guessed.indexes.entries()) samples[index]!.ts = timeOf(guessed.moment + place);
  }
  return samples.map((sample) => JSON.stringify(sample));
}

/** The time of its newest sample; 0 if none has a number. */
export function newestTime(text: string | undefined): number {
  if (text === undefined) return 0;
  const { samples }: Kept = JSON.parse(text);
  return Math.max(0, ...samples.map(({ ts }) => (typeof ts === 'number' ? ts : 0)));
}
