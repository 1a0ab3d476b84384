// Weekly windows in a time zone, as moments. Zones and daylight saving are luxon's; what the clock of a place does not show, or
// shows twice, is decided here:
//
// - a time that does not exist (clocks go forward over it) is the moment of the change;
// - of a time that exists twice (clocks go back), the first one begins a window and the second one ends it.
import { DateTime, IANAZone } from 'luxon';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

export interface WeeklyWindow {
  days: readonly Weekday[];
  /** `HH:MM`. */
  from: string;
  /** At or before `from`: on the day after. */
  until: string;
}

export interface OpenWindow {
  fromMs: number;
  untilMs: number;
}

const dayMs = 86_400_000;

export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

/** The window that is open at this moment, or the next one that opens, of a zone that exists. */
export function weeklyWindowAt({ days, from, until }: WeeklyWindow, zone: string, nowMs: number): OpenWindow {
  const today = DateTime.fromMillis(nowMs, { zone }).startOf('day');
  // One that began yesterday may still be open; one day in seven is in the list.
  for (let ahead = -1; ; ahead++) {
    const day = today.plus({ days: ahead });
    if (!days.includes(weekdays[day.weekday - 1]!)) continue;
    const last = until <= from ? day.plus({ days: 1 }) : day;
    const fromMs = moment(day, from, zone, 'first');
    const untilMs = moment(last, until, zone, 'last');
    // Both ends may lie in the hour that does not exist.
    if (untilMs > nowMs && untilMs > fromMs) return { fromMs, untilMs };
    if (ahead > 14) return { fromMs, untilMs };
  }
}

function moment(day: DateTime, time: string, zone: string, which: 'first' | 'last'): number {
  const [hour, minute] = time.split(':').map(Number);
  const wallMs = Date.UTC(day.year, day.month - 1, day.day, hour, minute);
  // The offsets of the day before and after are those that can hold at that time.
  const before = offsetMs(wallMs - dayMs, zone);
  const after = offsetMs(wallMs + dayMs, zone);
  const candidates = [wallMs - before, wallMs - after].filter((ms) => ms + offsetMs(ms, zone) === wallMs);
  if (candidates.length > 0) return which === 'first' ? Math.min(...candidates) : Math.max(...candidates);
  return changeBetween(wallMs - Math.max(before, after), wallMs - Math.min(before, after), zone);
}

/** When the offset changes, to the second. */
function changeBetween(earlierMs: number, laterMs: number, zone: string): number {
  const offset = offsetMs(earlierMs, zone);
  let [low, high] = [earlierMs, laterMs];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetMs(middle, zone) === offset) low = middle;
    else high = middle;
  }
  return high;
}

function offsetMs(ms: number, zone: string): number {
  return DateTime.fromMillis(ms, { zone }).offset * 60_000;
}
