// Timestamps in and out. In: RFC 3339 and the forms pydantic takes beside it, or a Unix time in s, ms, us or ns told
// apart by size. Out: RFC 3339 in UTC with milliseconds.

export interface DateTimeError {
  error: string;
  type: 'datetime_from_date_parsing' | 'datetime_parsing';
}

const UNIX_TIME = /^([+-]?)([0-9]{0,19})(?:\.([0-9]{0,9})[0-9]*)?$/;
const TIME =
  /^[Tt _]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?:([Zz])|([+\u2212-])([0-9]{2}):?([0-9]{2}))?$/;
const NEWEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const OLDEST = -62_135_596_800_000;
const TOO_NEW = 'dates after 9999 are not supported as unix timestamps';
const TOO_OLD = 'dates before 0000 are not supported as unix timestamps';

/** In milliseconds, cut and never rounded. Without a zone the text is UTC. Years 1 to 9999. */
export function parseDateTime(text: string): { ms: number } | DateTimeError {
  return parseUnixTime(text) ?? parseCalendarTime(text);
}

/** For example `2026-03-01T12:00:00.000Z`. */
export function formatTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

function parseUnixTime(text: string): { ms: number } | DateTimeError | undefined {
  const match = UNIX_TIME.exec(text);
  const [, sign = '', whole = '', fraction = ''] = match ?? [];
  if (!match || whole + fraction === '') return undefined;
  // Nanoseconds of today have more digits than a double can hold.
  const scale = 10n ** BigInt(fraction.length);
  const amount = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const size = BigInt(whole || '0');
  const isMore = (limit: bigint) => size > limit || (size === limit && BigInt(fraction || '0') > 0n);
  let ms: bigint;
  if (!isMore(20_000_000_000n)) ms = floorDivide(amount * 1000n, scale);
  else if (!isMore(20_000_000_000_000n)) ms = floorDivide(amount, scale);
  else if (!isMore(20_000_000_000_000_000n)) ms = floorDivide(amount, scale * 1000n);
  else ms = floorDivide(amount, scale * 1_000_000n);
  return inRange(Number(ms));
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
  const [, hour, minute, second = '0', fraction = '', , sign, offsetHour = '0', offsetMinute = '0'] = match;
  const parts = [Number(hour), Number(minute), Number(second), Number(offsetHour), Number(offsetMinute)] as const;
  const [h, m, s, oh, om] = parts;
  if (h > 23 || m > 59 || s > 59 || oh > 23 || om > 59) {
    return fromDate('unexpected extra characters at the end of the input');
  }
  const offsetMs = (oh * 60 + om) * 60_000 * (sign === undefined || sign === '+' ? 1 : -1);
  const ms = date.ms + ((h * 60 + m) * 60 + s) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0')) - offsetMs;
  return inRange(ms, date.year);
}

function parseDate(text: string): { ms: number; year: number } | string {
  if (text.length < 10) return 'input is too short';
  const year = digits(text, 0, 4);
  if (year === undefined) return 'invalid character in year';
  if (text[4] !== '-') return 'invalid date separator, expected `-`';
  const month = digits(text, 5, 7);
  if (month === undefined) return 'invalid character in month';
  if (text[7] !== '-') return 'invalid date separator, expected `-`';
  const day = digits(text, 8, 10);
  if (day === undefined) return 'invalid character in day';
  if (month < 1 || month > 12) return 'month value is outside expected range of 1-12';
  const date = new Date(0);
  // setUTCFullYear, because Date.UTC reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (day < 1 || date.getUTCMonth() !== month - 1) return 'day value is outside expected range';
  return { ms: date.getTime(), year };
}

function digits(text: string, start: number, end: number): number | undefined {
  const part = text.slice(start, end);
  return /^[0-9]+$/.test(part) ? Number(part) : undefined;
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
