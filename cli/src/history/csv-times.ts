// The times in a column: the first one determines the format, and the others must have the same format.

export type TimeKind = 'RFC 3339' | 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds';

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/;
const number = /^-?\d+(\.\d+)?$/;

/** By the number of digits: current times have ten in seconds. Undefined if it is not a time. */
export function kindOfTime(text: string): TimeKind | undefined {
  if (rfc3339.test(text)) return 'RFC 3339';
  if (!number.test(text)) return undefined;
  const digits = text.replace('-', '').split('.')[0]!.length;
  if (digits <= 11) return 'seconds';
  if (digits <= 14) return 'milliseconds';
  return digits <= 17 ? 'microseconds' : 'nanoseconds';
}

/** Milliseconds, truncated; NaN if it does not have this format. Nanoseconds exceed the precision of a number. */
export function toMilliseconds(text: string, kind: TimeKind): number {
  if (kind === 'RFC 3339') return rfc3339.test(text) ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN;
  if (!number.test(text)) return Number.NaN;
  if (kind === 'seconds') return Math.floor(Math.round(Number(text) * 1e6) / 1000);
  const [whole = ''] = text.split('.');
  const cut = { milliseconds: 0, microseconds: 3, nanoseconds: 6 }[kind];
  return cut === 0 ? Number(whole) : Number(whole.slice(0, -cut));
}
