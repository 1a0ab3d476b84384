import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDateTime, toTime } from './date-time.ts';

function canonical(text: string): string {
  const result = parseDateTime(text);
  return 'ms' in result ? toTime(result.ms) : result.error;
}

describe('calendar forms', () => {
  it.each([
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02t03:04:05z', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02 03:04:05', '2024-01-02T03:04:05.000Z'],
    ['2024-01-02_03:04', '2024-01-02T03:04:00.000Z'],
    ['2024-01-02', '2024-01-02T00:00:00.000Z'],
    ['2024-01-02T03:04:05+02:00', '2024-01-02T01:04:05.000Z'],
    ['2024-01-02T03:04:05-0230', '2024-01-02T05:34:05.000Z'],
    ['2024-01-02T03:04:05\u221202:00', '2024-01-02T05:04:05.000Z'],
    ['2024-01-02T03:04:05.1Z', '2024-01-02T03:04:05.100Z'],
    ['2024-01-02T03:04:05.123999999Z', '2024-01-02T03:04:05.123Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0050-06-01', '0050-06-01T00:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });
});

describe('Unix times, told apart by size', () => {
  it.each([
    ['0', '1970-01-01T00:00:00.000Z'],
    ['2024', '1970-01-01T00:33:44.000Z'],
    ['-5', '1969-12-31T23:59:55.000Z'],
    ['+5', '1970-01-01T00:00:05.000Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['1700000000.1239', '2023-11-14T22:13:20.123Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
    ['1700000000123456', '2023-11-14T22:13:20.123Z'],
    ['1700000000123999999', '2023-11-14T22:13:20.123Z'],
    ['20000000000', '2603-10-11T11:33:20.000Z'],
    ['20000000001', '1970-08-20T11:33:20.001Z'],
    ['-0.0001', '1969-12-31T23:59:59.999Z'],
  ])('%s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });
});

describe('what is refused', () => {
  const extra = 'unexpected extra characters at the end of the input';
  it.each([
    ['', 'input is too short'],
    ['2024-1-1', 'input is too short'],
    ['1e5', 'input is too short'],
    ['.', 'input is too short'],
    ['20x4-01-01', 'invalid character in year'],
    [' 2024-01-01', 'invalid character in year'],
    ['2024-0a-01', 'invalid character in month'],
    ['2024-01-0a', 'invalid character in day'],
    ['2024/01/01', 'invalid date separator, expected `-`'],
    ['99999999999999999999999', 'invalid date separator, expected `-`'],
    ['2024-13-01', 'month value is outside expected range of 1-12'],
    ['2024-00-01', 'month value is outside expected range of 1-12'],
    ['2023-02-29', 'day value is outside expected range'],
    ['2024-01-00', 'day value is outside expected range'],
    ['2024-01-01T24:00:00', extra],
    ['2024-01-01T10:60:00', extra],
    ['2024-01-01T10:11:60', extra],
    ['2024-01-01T10', extra],
    ['2024-01-01T10:11:12.', extra],
    ['2024-01-01T10:11:12 02:00', extra],
    ['2024-01-01T10:11:12+24:00', extra],
    ['2024-01-01T10:11:12+02', extra],
    ['2024-01-01 ', extra],
    ['9999-12-31T23:59:59-01:00', 'dates after 9999 are not supported as unix timestamps'],
  ])('%j: %s', (text, error) => {
    expect(parseDateTime(text)).toEqual({ error, type: 'datetime_from_date_parsing' });
  });

  it('year 0 has a type of its own', () => {
    expect(parseDateTime('0000-01-01T00:00:00Z')).toEqual({
      error: 'year 0 is out of range',
      type: 'datetime_parsing',
    });
  });
});

it('reads back every timestamp it writes', () => {
  const ms = fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') });
  fc.assert(
    fc.property(ms, (value) => {
      expect(parseDateTime(toTime(value))).toEqual({ ms: value });
    }),
  );
});

it('answers for any text', () => {
  const piece = fc.constantFrom(...'0123456789-:.TZ+ ', '2024-02-29', 'T10:11:12');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (value) => {
      const result = parseDateTime(value);
      if ('ms' in result) expect(toTime(result.ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      else expect(result.error).not.toBe('');
    }),
  );
});
