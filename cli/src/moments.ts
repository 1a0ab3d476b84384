// Parses and formats times and durations for people.
import { UsageError } from './surroundings.ts';

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Seconds of `90s`, `10m`, `1h`, `2d`, `1w`, or of a plain number. Throws UsageError. */
export function parseDuration(text: string, option: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhdw])?$/.exec(text.trim()) ?? [];
  const seconds = Number(amount) * unitSeconds[unit]!;
  if (!(seconds > 0)) throw new UsageError(`${option} must be a duration such as 90s, 10m, 1h or 2d, not "${text}".`);
  return seconds;
}

/** `now`, a duration before now (`1h`, also `-1h`), a date, or a date and time; local time by default. */
export function parseMoment(text: string, option: string, now = Date.now()): number {
  if (text === 'now') return now;
  if (/^-?\d+(\.\d+)?[smhdw]$/.test(text)) return now - parseDuration(text.replace(/^-/, ''), option) * 1000;
  // Date.parse reads a date without time as UTC; people mean local time.
  const moment = /^\d{4}-\d\d-\d\d/.test(text)
    ? Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text)
    : Number.NaN;
  if (Number.isNaN(moment)) {
    throw new UsageError(`${option} must be a time such as 1h (ago), 2026-11-15 or 2026-11-15T09:30Z, not "${text}".`);
  }
  return moment;
}

/** The one form of a time for people, `2026-11-15 09:30:00` in local time; or ISO 8601 in UTC. */
export function toMoment(ts: string | number | Date | null | undefined, isIso = false): string {
  if (ts === null || ts === undefined || ts === '') return 'never';
  const date = new Date(ts);
  if (isIso) return date.toISOString();
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

/** 75 → `75 s`, 600 → `10 min`. */
export function inWords(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
