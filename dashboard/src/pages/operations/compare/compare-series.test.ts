// Series of several agents side by side.
import { expect, it } from 'vitest';
import { offeredMetrics, readList, toCompareLines, usualOf, withSamples } from './compare-series.ts';

const answer = (agent_id: string, values: number[]) => ({
  agent_id,
  window_minutes: 5,
  series: [
    { metric: 'power_w', points: values.map((value, index) => ({ ts: `1970-01-01T00:00:0${index}.000Z`, value })) },
  ],
});

it('an address names each agent once, and no more than can be shown', () => {
  expect(readList('a,b, a,,c,d', 3)).toEqual(['a', 'b', 'c']);
  expect(readList('', 3)).toEqual([]);
});

it('a metric has a line for each agent that answered', () => {
  const lines = toCompareLines([answer('a', [1, 2]), answer('b', [3])], ['power_w', 'other']);
  expect(lines.get('power_w')).toEqual([
    { name: 'a', label: 'a', times: [0, 1], values: [1, 2] },
    { name: 'b', label: 'b', times: [0], values: [3] },
  ]);
  expect(lines.get('other')).toEqual([]);
});

it('a live sample lengthens the line of its agent, and what has left the window goes', () => {
  const lines = toCompareLines([answer('a', [1, 2, 3]), answer('b', [3])], ['power_w']);
  const grown = withSamples(lines, [{ ap_id: 'a', time: 9, metrics: { power_w: 7, x: 1 } }], 2);
  expect(grown.get('power_w')![0]).toMatchObject({ times: [1, 2, 9], values: [2, 3, 7] });
  expect(grown.get('power_w')![1]).toMatchObject({ times: [0], values: [3] });
});

it('offers first what most agents have', () => {
  const a = [
    { name: 'x', label: 'A' },
    { name: 'y', label: 'B' },
  ];
  expect(offeredMetrics([a, [{ name: 'y', label: 'B' }]]).map(({ name, count }) => [name, count])).toEqual([
    ['y', 2],
    ['x', 1],
  ]);
});

it('shows what people ask for first until somebody chooses; of what has none of that what most have in common', () => {
  const of = (...names: string[]) => names.map((name) => ({ name, label: name, count: 2 }));
  expect(usualOf(of('airtime_pct', 'power_w', 'throughput_mbps'))).toEqual(['throughput_mbps', 'power_w']);
  expect(usualOf(of('a', 'b', 'c'))).toEqual(['a', 'b']);
  expect(usualOf([])).toEqual([]);
});
