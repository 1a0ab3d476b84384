// Reads `window`: how far back a chart looks. The first step of every way out of the telemetry path.

import type { ValidationError } from '../../errors.ts';
import { invalidValue } from '../../input/value-rules.ts';

export interface TimeWindow {
  ms: number;
  /** In whole minutes, rounded up. */
  window_minutes: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const units: Record<string, number> = { s: second, m: minute, h: hour, d: day, w: 7 * day };

/** The retention of the roll-ups, unless a setting says otherwise. */
export const defaultMaxWindowMs = 400 * day;
const defaultWindow = '5';
/** No window worth asking for needs more; whatever is longer is not even looked at. */
export const maxWindowLength = 40;

// Neither has two ways to match the same text, so both take one pass.
const AMOUNT = /^([0-9]+(?:\.[0-9]+)?)([smhdw]?)$/;
const ISO_DURATION =
  /^P(?:([0-9]+)W|(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?)$/;

/**
 * Takes minutes (`5`), a number with a unit (`90s`, `1h`, `2d`, `1w`) or an ISO 8601 duration of weeks, days, hours,
 * minutes and seconds (`P1D`, `PT1H30M`; years and months have no fixed length). Throws ValidationError at
 * `query.window` for anything else, for nothing and for more than `maxMs`.
 */
export function parseWindow(text: string | number = defaultWindow, maxMs = defaultMaxWindowMs): TimeWindow {
  const ms = durationMs(String(text));
  if (ms === undefined) {
    throw badWindow(
      'window should be a number of minutes, a number with a unit (s, m, h, d or w) or an ISO 8601 duration',
    );
  }
  if (ms <= 0) throw badWindow('window should be more than 0');
  if (ms > maxMs) throw badWindow(`window should be at most ${Math.floor(maxMs / day)} days`);
  return { ms: Math.ceil(ms), window_minutes: Math.ceil(ms / minute) };
}

function durationMs(text: string): number | undefined {
  if (text.length > maxWindowLength) return undefined;
  const amount = AMOUNT.exec(text);
  if (amount) return Number(amount[1]) * units[amount[2] || 'm']!;
  const iso = ISO_DURATION.exec(text);
  if (!iso || text === 'P') return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = iso.slice(1).map((part) => Number(part ?? 0));
  return (weeks * 7 + days) * day + hours * hour + minutes * minute + seconds * second;
}

function badWindow(error: string): ValidationError {
  return invalidValue(['query', 'window'], error);
}
