// Timestamps in and out. In: RFC 3339 and the forms pydantic takes beside it, or a Unix time in s, ms, us or ns told
// apart by size. Out: RFC 3339 in UTC with milliseconds.

export interface DateTimeError {
  error: string;
  type: 'datetime_from_date_parsing' | 'datetime_parsing';
}

const UNIX_TIME = /^([+-]?)([0-9]{0,19})(?:\.([0-9]{0,9})[0-9]*)?$/;
const TIME =
  /^[Tt _]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d+))?)?(?:[Zz]|([+\u2212-])([01]\d|2[0-3]):?([0-5]\d))?$/;
/** A larger number is a time in milliseconds; beyond a thousand times as much in microseconds, and so on. */
const MAX_UNIX_SECONDS = 20_000_000_000n;
const SEPARATOR_ERROR = 'invalid date separator, expected `-`';
const DATE_RULES: readonly (readonly [RegExp, string])[] = [
  [/^.{10}/s, 'input is too short'],
  [/^[0-9]{4}/, 'invalid character in year'],
  [/^.{4}-/s, SEPARATOR_ERROR],
  [/^.{5}[0-9]{2}/s, 'invalid character in month'],
  [/^.{7}-/s, SEPARATOR_ERROR],
  [/^.{8}[0-9]{2}/s, 'invalid character in day'],
  [/^.{5}(?:0[1-9]|1[0-2])/s, 'month value is outside expected range of 1-12'],
];
const NEWEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const OLDEST = -62_135_596_800_000;
const TOO_NEW = 'dates after 9999 are not supported as unix timestamps';
const TOO_OLD = 'dates before 0000 are not supported as unix timestamps';

/** In milliseconds, cut and never rounded. Without a zone the text is UTC. Years 1 to 9999. */
export function parseDateTime(text: string): { ms: number } | DateTimeError {
  return parseUnixTime(text) ?? parseCalendarTime(text);
}

/** For example `2026-03-01T12:00:00.000Z`. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function toTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : toTime(ms);
}

function parseUnixTime(text: string): { ms: number } | DateTimeError | undefined {
  const match = UNIX_TIME.exec(text);
  const [, sign = '', whole = '', fraction = ''] = match ?? [];
  if (!match || whole + fraction === '') return undefined;
  // Nanoseconds of today have more digits than a double can hold.
  const scale = 10n ** BigInt(fraction.length);
  const size = BigInt(whole + fraction);
  let unitsPerSecond = 1n;
  while (unitsPerSecond < 1_000_000_000n && size > MAX_UNIX_SECONDS * unitsPerSecond * scale) unitsPerSecond *= 1000n;
  const amount = sign === '-' ? -size : size;
  return inRange(Number(floorDivide(amount * 1000n, scale * unitsPerSecond)));
}

function floorDivide(amount: bigint, divisor: bigint): bigint {
  const quotient = amount / divisor;
  return amount < 0n && quotient * divisor !== amount ? quotient - 1n : quotient;
}

function parseCalendarTime(text: string): { ms: number } | DateTimeError {
  const date = parseDate(text);
  if (typeof date === 'string') return fromDate(date);
  if (text.length === 10) return inRange(date.ms, date.year);
  const match = TIME.exec(text.slice(10));
  if (!match) return fromDate('unexpected extra characters at the end of the input');
  const [, hour, minute, second = '0', fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  const offsetMinutes = Number(offsetHour) * 60 + Number(offsetMinute);
  const minutes = Number(hour) * 60 + Number(minute) + (sign === '+' ? -offsetMinutes : offsetMinutes);
  const ms = date.ms + (minutes * 60 + Number(second)) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return inRange(ms, date.year);
}

function parseDate(text: string): { ms: number; year: number } | string {
  const broken = DATE_RULES.find(([rule]) => !rule.test(text));
  if (broken) return broken[1];
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  const date = new Date(0);
  // setUTCFullYear, because Date.UTC reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (day < 1 || date.getUTCMonth() !== month - 1) return 'day value is outside expected range';
  return { ms: date.getTime(), year };
}

function inRange(ms: number, year = 1): { ms: number } | DateTimeError {
  if (year === 0) return { error: 'year 0 is out of range', type: 'datetime_parsing' };
  if (ms > NEWEST) return fromDate(TOO_NEW);
  if (ms < OLDEST) return fromDate(TOO_OLD);
  return { ms };
}

function fromDate(error: string): DateTimeError {
  return { error, type: 'datetime_from_date_parsing' };
}
