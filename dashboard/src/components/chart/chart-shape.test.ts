// Gaps stay gaps, lines of different rhythm share a chart, and live points land where they belong.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addPoint,
  alignLines,
  breakGaps,
  type ChartLine,
  dropBefore,
  gapLimit,
  indexNear,
  isCount,
  latestValue,
  lonelyPoints,
  valueRange,
  withLimit,
} from './chart-shape.ts';

const line = (times: number[], values: (number | null)[], more: Partial<ChartLine> = {}): ChartLine => ({
  name: 'm',
  label: 'M',
  times,
  values,
  ...more,
});

describe('a gap', () => {
  it('is a silence much longer than the usual step', () => {
    const times = [0, 1, 2, 3, 20, 21, 22];
    const broken = breakGaps(line(times, [1, 1, 1, 1, 2, 2, 2]), gapLimit(times));
    expect(broken.times).toHaveLength(8);
    expect(broken.values).toEqual([1, 1, 1, 1, null, 2, 2, 2]);
    expect(broken.times[4]).toBeGreaterThan(3);
    expect(broken.times[4]).toBeLessThan(20);
  });

  it('is not seen in a rhythm that only wavers', () => {
    const times = [0, 1, 2.4, 3.1, 5, 6];
    const whole = line(times, [1, 2, 3, 4, 5, 6]);
    expect(breakGaps(whole, gapLimit(times))).toBe(whole);
  });

  it('is longer than three intervals, of samples as of buckets', () => {
    for (const resolution of [undefined, 60]) {
      const limit = gapLimit([0, 60, 120, 300, 360], resolution);
      expect(breakGaps(line([0, 60, 120, 300, 360], [1, 2, 3, 4, 5]), limit).values).toEqual([1, 2, 3, 4, 5]);
      expect(breakGaps(line([0, 60, 120, 301, 360], [1, 2, 3, 4, 5]), limit).values).toEqual([1, 2, 3, null, 4, 5]);
    }
  });

  it('goes by the reports where those are farther apart than the buckets', () => {
    expect(gapLimit([0, 600, 1200, 1800], 36)).toBe(1800);
    expect(gapLimit([0, 600], undefined)).toBe(Number.POSITIVE_INFINITY);
  });

  it('breaks the band as well', () => {
    const banded = line([0, 60, 180], [1, 2, 3], { lows: [0, 1, 2], highs: [2, 3, 4] });
    const { lows, highs } = breakGaps(banded, 90);
    expect([lows, highs]).toEqual([
      [0, 1, null, 2],
      [2, 3, null, 4],
    ]);
  });
});

describe('lines of one chart', () => {
  it('share their times; where only another has a point there is neither value nor gap', () => {
    const { times, columns } = alignLines([line([1, 3], [10, null]), line([2, 3], [20, 30])]);
    expect(times).toEqual([1, 2, 3]);
    expect(columns).toEqual([
      [10, undefined, null],
      [undefined, 20, 30],
    ]);
  });

  it('bring their bands along', () => {
    const { columns } = alignLines([line([1], [5], { lows: [4], highs: [6] })]);
    expect(columns).toEqual([[5], [4], [6]]);
  });
});

it('a limit that has to be seen widens the values', () => {
  expect(withLimit(1, 2, 5)).toEqual([1, 5]);
  expect(withLimit(null, null, 5)).toEqual([5, 5]);
  expect(withLimit(1, 2)).toEqual([1, 2]);
});

it('a point between two gaps is alone, whatever other lines have there', () => {
  expect(lonelyPoints([1, null, 2, null, 3, 4])).toEqual([0, 2]);
  expect(lonelyPoints([null, undefined, 5, undefined, null, 1, undefined, 2])).toEqual([2]);
  expect(lonelyPoints([undefined, 7, undefined])).toEqual([1]);
  expect(lonelyPoints([1, undefined, 2])).toEqual([]);
});

describe('under the crosshair', () => {
  const times = [0, 1, 2, 600, 601, 602];
  const broken = breakGaps(line(times, [1, 2, 3, 4, 5, 6]), gapLimit(times));
  const near = (time: number, reach = 2) => {
    const index = indexNear(broken.times, broken.values, time, reach);
    return index === undefined ? undefined : broken.values[index];
  };

  it('is the nearer point where a line is drawn, and nothing in a gap or beside the data', () => {
    expect([near(0.4), near(0.6), near(601.5)]).toEqual([1, 2, 6]);
    expect([near(300), near(10), near(590), near(700), near(-5)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is never farther away than the reach, unless the line runs there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1000), { maxLength: 30 }), fc.nat(1200), fc.nat(20), (moments, time, reach) => {
        const sorted = moments.toSorted((a, b) => a - b);
        const whole = breakGaps(line(sorted, sorted), 5);
        const index = indexNear(whole.times, whole.values, time, reach);
        const nearest = Math.min(...sorted.map((moment) => Math.abs(moment - time)));
        if (index === undefined) expect(nearest).toBeGreaterThan(reach);
        else expect(Math.abs(whole.values[index]! - time)).toBe(nearest);
        if (index !== undefined) expect(nearest).toBeLessThanOrEqual(Math.max(reach, 2.5));
      }),
    );
  });

  it('of one line is not what another has', () => {
    const { times: shared, columns } = alignLines([line([0, 10], [1, 2]), line([4, 5, 6], [7, 8, 9])]);
    expect(indexNear(shared, columns[0]!, 4, 1)).toBe(0);
    expect(shared[indexNear(shared, columns[0]!, 6, 1)!]).toBe(10);
    expect(indexNear(shared, columns[1]!, 9, 1)).toBeUndefined();
  });
});

it('what is counted has no unit and whole samples, also within buckets', () => {
  expect(isCount([line([1, 2], [3, null])], '')).toBe(true);
  expect(isCount([line([1, 2], [3, 4])], 'W')).toBe(false);
  expect(isCount([line([1, 2], [3, 4.5])], '')).toBe(false);
  expect(isCount([line([1, 2], [3.2, 4.5], { lows: [3, 4], highs: [4, 5] })], '')).toBe(true);
});

describe('the vertical range', () => {
  it('has air, and keeps to bounds that mean something', () => {
    expect(valueRange(0, 100, '%')).toEqual([0, 100]);
    expect(valueRange(10, 20)).toEqual([9.2, 20.8]);
    expect(valueRange(-70, -60)[0]).toBeLessThan(-70);
    expect(valueRange(1, 50)[0]).toBe(0);
  });

  it('is never empty', () => {
    for (const value of [0, 5, -5]) {
      const [low, high] = valueRange(value, value);
      expect(high).toBeGreaterThan(low);
    }
    expect(valueRange(null, null)).toEqual([0, 1]);
  });
});

describe('a live point', () => {
  it('goes where its time belongs, in whatever order points come', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(100)), { maxLength: 60 }), (points) => {
        const built = points.reduce((so, [time, value]) => addPoint(so, time, value), line([], []));
        const newest = [...new Map(points)].sort(([a], [b]) => a - b);
        expect(built.times).toEqual(newest.map(([time]) => time));
        expect(built.values).toEqual(newest.map(([, value]) => value));
      }),
    );
  });

  it('extends the band by itself', () => {
    const built = addPoint(line([1], [5], { lows: [4], highs: [6] }), 2, 9);
    expect([built.lows, built.highs]).toEqual([
      [4, 9],
      [6, 9],
    ]);
  });
});

it('what has left the window is dropped, but for the point from which the line enters', () => {
  expect(dropBefore(line([1, 2, 3, 4], [1, 2, 3, 4]), 3).times).toEqual([2, 3, 4]);
  expect(dropBefore(line([1, 2], [1, 2]), 9).times).toEqual([2]);
  const whole = line([5], [1]);
  expect(dropBefore(whole, 3)).toBe(whole);
});

it('the axis spans the largest numbers there are', () => {
  const most = Number.MAX_VALUE;
  for (const [low, high] of [
    [most, most],
    [-most, -most],
    [-most, most],
  ] as const) {
    const [bottom, top] = valueRange(low, high);
    expect(top).toBeGreaterThan(bottom);
    expect(Number.isFinite(top - bottom)).toBe(true);
  }
});

it('the latest value is the last that is one', () => {
  expect(latestValue(line([1, 2, 3], [1, 7, null]))).toBe(7);
  expect(latestValue(line([], []))).toBeUndefined();
});
