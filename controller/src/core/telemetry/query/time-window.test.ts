import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { parseWindow } from './time-window.ts';

const minute = 60_000;

test.each<[string | number | undefined, number, number]>([
  [undefined, 5 * minute, 5],
  [5, 5 * minute, 5],
  ['5', 5 * minute, 5],
  ['007', 7 * minute, 7],
  ['1.5', 90_000, 2],
  ['1s', 1000, 1],
  ['90s', 90_000, 2],
  ['60s', minute, 1],
  ['1h', 60 * minute, 60],
  ['2d', 2880 * minute, 2880],
  ['1w', 10_080 * minute, 10_080],
  ['P1D', 1440 * minute, 1440],
  ['P2W', 20_160 * minute, 20_160],
  ['PT1H30M', 90 * minute, 90],
  ['PT0.5S', 500, 1],
  ['P1DT1S', 1440 * minute + 1000, 1441],
  ['1H', 60 * minute, 60],
  ['1 h', 60 * minute, 60],
  ['5min', 5 * minute, 5],
  ['1h30m', 90 * minute, 90],
  ['1 hour 30 Minutes', 90 * minute, 90],
  ['2 days', 2880 * minute, 2880],
  ['90 sec', 90_000, 2],
  ['p1d', 1440 * minute, 1440],
  ['400d', 576_000 * minute, 576_000],
])('I12 %j is %i ms', (text, ms, window_minutes) => {
  expect(parseWindow(text)).toEqual({ ms, window_minutes });
});

describe('I12 refuses', () => {
  test.each([
    ...['', ' ', ' 5', '5 ', '-1', '+5', '1e9', '0x10', 'abc', '1h;x', '1h x', '1y', '1h30', '٣', '1,5', '.5', '5.'],
    ...['P', 'PT', 'P1DT', 'P1Y', 'P1M', 'PT1M1H', 'P1W1D', 'P-1D', 'NaN', 'Infinity', '5\n', '9'.repeat(1e5)],
  ])('%j', (text) => {
    expect(() => parseWindow(text)).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ loc: ['query', 'window'], type: 'value_error' })],
      }),
    );
  });

  test.each(['0', '0s', '0.0', 'PT0S', '400.001d', '401d', '576001', '58w', 'P401D'])('%s, out of bounds', (text) => {
    expect(() => parseWindow(text)).toThrow('Validation Error');
  });

  test('hostile text', () => {
    const texts = [
      '9'.repeat(1e6),
      `P${'1'.repeat(1e6)}`,
      `${'0'.repeat(39)}x`,
      `PT${'1H'.repeat(1e5)}`,
      '1.'.repeat(1e5),
    ];
    // Who reads a text so long once for each of its characters is not done when the test has to be.
    for (const text of texts) expect(() => parseWindow(text)).toThrow();
  });
});

test('whatever it is given, it answers in bounds or refuses', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.PTWDHMSsmhdw]{1,12}$/)), (text) => {
      try {
        const { ms, window_minutes } = parseWindow(text);
        expect(ms).toBeGreaterThan(0);
        expect(ms).toBeLessThanOrEqual(400 * 1440 * minute);
        expect(window_minutes).toBe(Math.ceil(ms / minute));
      } catch (error) {
        expect((error as Error).name).toBe('ValidationError');
      }
    }),
    { numRuns: rounds(2000) },
  );
});
