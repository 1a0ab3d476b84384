// Access points coloured by a metric.
import { describe, expect, it, test } from 'vitest';
import {
  createShading,
  differenceDomain,
  divergingColour,
  domainOf,
  inkOn,
  isLowWorse,
  type Rgb,
  sequential,
  shadeOf,
  shareOf,
} from './radio-colours.ts';

/** Lightness as people see it (CIE L*), from 0 to 100. */
function lightness(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

describe('the sequential scale', () => {
  test('gets lighter with every step, by about the same each time', () => {
    const steps = Array.from(
      { length: 10 },
      (_, n) => lightness(sequential((n + 1) / 10)) - lightness(sequential(n / 10)),
    );
    expect(Math.min(...steps)).toBeGreaterThan(4);
    expect(Math.max(...steps)).toBeLessThan(12);
  });

  test('stays at its ends', () => {
    expect(sequential(-3)).toEqual(sequential(0));
    expect(sequential(7)).toEqual(sequential(1));
  });
});

test('less and more are told apart by hue in both themes, and no change is no colour', () => {
  for (const theme of ['light', 'dark'] as const) {
    const [less, more] = [divergingColour(-1, theme), divergingColour(1, theme)];
    expect(less.colour[0]).toBeGreaterThan(less.colour[2]);
    expect(more.colour[2]).toBeGreaterThan(more.colour[0]);
    expect(divergingColour(0, theme).alpha).toBe(0);
    expect([less.alpha, more.alpha]).toEqual([1, 1]);
  }
});

test('a colour means the same from second to second, and rates have a round end', () => {
  expect(domainOf('signal', '5G', -50)).toEqual(domainOf('signal', '5G', -90));
  expect(domainOf('rate', '5G', 733)).toEqual({ from: 0, to: 800 });
  expect(differenceDomain('signal', -8.5, 3)).toEqual({ from: -10, to: 10 });
  expect(differenceDomain('sinr', -41, 3)).toEqual({ from: -20, to: 20 });
  expect(differenceDomain('rate', -41, 3)).toEqual({ from: -50, to: 50 });
  expect(differenceDomain('signal', null, null)).toEqual({ from: -1, to: 1 });
  expect(shareOf(-90, { from: -120, to: -60 })).toBe(0.5);
});

const values = new Map([
  ['a', 0],
  ['b', 50],
  ['c', 100],
]);

it('one has the colour of its value, many that of the worst, and who has no value none', () => {
  const load = createShading('prb_load_pct', values);
  expect(shadeOf(load, ['a'])).toEqual(sequential(0));
  expect(shadeOf(load, ['a', 'b', 'nobody'])).toEqual(sequential(0.5));
  expect(shadeOf(load, ['nobody'])).toBeUndefined();
  const signal = createShading('rssi_dbm', values);
  expect(shadeOf(signal, ['b', 'c'])).toEqual(sequential(0.5));
});

it('equal values have a colour as well, and words on it can be read', () => {
  const same = createShading('x', new Map([['a', 7]]));
  expect(shadeOf(same, ['a'])).toEqual(sequential(0.5));
  expect([inkOn(sequential(0)), inkOn(sequential(1))]).toEqual(['#ffffff', '#0d1219']);
});

it('knows which end is the worse one', () => {
  expect(['sinr_db', 'throughput_mbps', 'illuminance_lux'].every(isLowWorse)).toBe(true);
  expect(['latency_ms', 'channel_utilisation_pct', 'handover_failures', 'power_w'].some(isLowWorse)).toBe(false);
});
