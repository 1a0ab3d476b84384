// Reads `window`: how far back a chart looks. The first step of every way out of the telemetry path.

import type { ValidationError } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';

export interface TimeWindow {
  ms: number;
  /** In whole minutes, rounded up. */
  window_minutes: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const units: readonly (readonly [ms: number, ...names: string[]])[] = [
  [second, 's', 'sec', 'secs', 'second', 'seconds'],
  [minute, 'm', 'min', 'mins', 'minute', 'minutes'],
  [hour, 'h', 'hr', 'hrs', 'hour', 'hours'],
  [day, 'd', 'day', 'days'],
  [7 * day, 'w', 'week', 'weeks'],
];
const msOf = new Map(units.flatMap(([ms, ...names]) => names.map((name) => [name, ms] as const)));

/** The retention of the roll-ups, unless a setting says otherwise. */
export const defaultMaxWindowMs = 400 * day;
const defaultWindow = '5';
/** No window worth asking for needs more; whatever is longer is not even looked at. */
export const maxWindowLength = 40;

// None has two ways to match the same text or looks for a later start, so each takes one pass.
const MINUTES = /^[0-9]+(?:\.[0-9]+)?$/;
const AMOUNTS = /^(?:[0-9]+(?:\.[0-9]+)? ?[a-z]+ ?)+$/;
const AMOUNT = /([0-9]+(?:\.[0-9]+)?) ?([a-z]+) ?/gy;
const ISO_DURATION =
  /^P(?:([0-9]+)W|(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?)$/;

/**
 * Takes minutes (`5`), numbers with units (`90s`, `1 h`, `5min`, `1h30m`, `2 days`) or an ISO 8601 duration of weeks, days,
 * hours, minutes and seconds (`P1D`, `PT1H30M`; years and months have no fixed length), in any case. Throws ValidationError at
 * `query.window` for anything else, for nothing and for more than `maxMs`.
 */
export function parseWindow(text: string | number = defaultWindow, maxMs = defaultMaxWindowMs): TimeWindow {
  const ms = durationMs(String(text));
  if (ms === undefined) {
    throw badWindow(
      'window should be a number of minutes, numbers with units such as 1h30m (s, m, h, d or w) or an ISO 8601 duration',
    );
  }
  if (ms <= 0) throw badWindow('window should be more than 0');
  if (ms > maxMs) throw badWindow(`window should be at most ${Math.floor(maxMs / day)} days`);
  return { ms: Math.ceil(ms), window_minutes: Math.ceil(ms / minute) };
}

function durationMs(text: string): number | undefined {
  if (text.length > maxWindowLength) return undefined;
  if (MINUTES.test(text)) return Number(text) * minute;
  const lower = text.trim().toLowerCase();
  if (AMOUNTS.test(lower)) {
    const parts = [...lower.matchAll(AMOUNT)].map(
      ([, number, unit]) => Number(number) * (msOf.get(unit!) ?? Number.NaN),
    );
    const sum = parts.reduce((total, each) => total + each, 0);
    return Number.isNaN(sum) ? undefined : sum;
  }
  const iso = ISO_DURATION.exec(text.toUpperCase());
  if (!iso || iso[0] === 'P') return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = iso.slice(1).map((part) => Number(part ?? 0));
  return (weeks * 7 + days) * day + hours * hour + minutes * minute + seconds * second;
}

function badWindow(error: string): ValidationError {
  return invalidValue(['query', 'window'], error);
}
