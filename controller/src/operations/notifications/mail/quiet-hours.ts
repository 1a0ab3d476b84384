// When people want to be left alone, on the clock of their own place. Zones and daylight saving are luxon's: what its clock shows
// now decides, so hours that a change of clocks skips or repeats are as long as they are there.
import type { QuietHours } from '@weft/contract/operations';
import { DateTime } from 'luxon';

export function isQuiet({ from, until }: QuietHours, time_zone: string, nowMs: number): boolean {
  const { hour, minute } = DateTime.fromMillis(nowMs, { zone: time_zone });
  const now = hour * 60 + minute;
  const [start, end] = [minutesOf(from), minutesOf(until)];
  // From evening to morning it passes midnight.
  return start <= end ? now >= start && now < end : now >= start || now < end;
}

/** The time as that place writes it. */
export function localTime(ms: number, time_zone: string): string {
  return DateTime.fromMillis(ms, { zone: time_zone }).toFormat('yyyy-MM-dd HH:mm:ss ZZZZ');
}

function minutesOf(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
}
