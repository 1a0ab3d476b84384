// The present value of a chart whose points are buckets.
import { expect, it } from 'vitest';
import { presentValue } from '../../../components/chart/chart-shape.ts';
import { withNewest } from './use-agent-series.ts';

const line = { name: 'load', label: 'Load', times: [100, 160], values: [1, 2] };
const latest = (seconds: number, value: number) => ({ load: { ts: new Date(seconds * 1000).toISOString(), value } });

it('is the newest value, not the mean of the last bucket', () => {
  const lines = withNewest(new Map([['load', line]]), latest(215, 9));
  expect(presentValue(lines.get('load')!)).toBe(9);
  expect(lines.get('load')!.values).toEqual([1, 2]);
});

it('is that of the last bucket if nothing newer is known', () => {
  expect(presentValue(withNewest(new Map([['load', line]]), latest(90, 9)).get('load')!)).toBe(2);
  expect(presentValue(withNewest(new Map([['load', line]]), {}).get('load')!)).toBe(2);
  const empty = { ...line, times: [], values: [] };
  expect(presentValue(withNewest(new Map([['load', empty]]), latest(215, 9)).get('load')!)).toBeUndefined();
});
