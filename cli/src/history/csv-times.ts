// The times in a column: which kind they are shows with the first of them, and the others must be of the same kind.

export type TimeKind = 'RFC 3339' | 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds';

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/;
const number = /^-?\d+(\.\d+)?$/;

/** By the number of digits: today has ten in seconds. Undefined if it is no time. */
export function kindOfTime(text: string): TimeKind | undefined {
  if (rfc3339.test(text)) return 'RFC 3339';
  if (!number.test(text)) return undefined;
  const digits = text.replace('-', '').split('.')[0]!.length;
  if (digits <= 11) return 'seconds';
  if (digits <= 14) return 'milliseconds';
  return digits <= 17 ? 'microseconds' : 'nanoseconds';
}

/** Milliseconds, cut; NaN if it is no time of this kind. Nanoseconds have more digits than a number can hold. */
export function toMilliseconds(text: string, kind: TimeKind): number {
  if (kind === 'RFC 3339') return rfc3339.test(text) ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN;
  if (!number.test(text)) return Number.NaN;
  if (kind === 'seconds') return Math.floor(Math.round(Number(text) * 1e6) / 1000);
  const [whole = ''] = text.split('.');
  const cut = { milliseconds: 0, microseconds: 3, nanoseconds: 6 }[kind];
  return cut === 0 ? Number(whole) : Number(whole.slice(0, -cut));
}
