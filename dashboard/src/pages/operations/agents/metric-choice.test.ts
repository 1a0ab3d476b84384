// Which metrics are on the charts.
import { expect, it } from 'vitest';
import { chooseMetrics, hasRoomFor, toggleMetric } from './metric-choice.tsx';

const known = ['active', 'backlog', 'cqi', 'latency_ms', 'power_w', 'x', 'throughput_mbps', 'y'].map((name) => ({
  name,
}));
const names = (metrics: { name: string }[]) => metrics.map(({ name }) => name);

it('are the most telling ones at first, filled up with others in their order', () => {
  expect(names(chooseMetrics(known, ''))).toEqual([
    'throughput_mbps',
    'power_w',
    'latency_ms',
    'active',
    'backlog',
    'cqi',
  ]);
});

it('are those of the address in its order, all of them, or none', () => {
  expect(names(chooseMetrics(known, 'x,gone,cqi'))).toEqual(['x', 'cqi']);
  expect(chooseMetrics(known, 'all')).toHaveLength(known.length);
  expect(chooseMetrics(known, 'none')).toEqual([]);
});

it('are no more than a page can draw and an address can name', () => {
  const many = Array.from({ length: 1024 }, (_, index) => ({ name: `metric_${index}` }));
  const all = chooseMetrics(many, 'all');
  expect(all).toEqual(many.slice(0, 60));
  expect(chooseMetrics(many, names(many).join(','))).toEqual(all);
  expect([hasRoomFor(all, 'metric_99'), hasRoomFor(all.slice(1), 'metric_99')]).toEqual([false, true]);
  const long = Array.from({ length: 20 }, (_, index) => ({ name: `${index}${'ش'.repeat(250)}` }));
  for (const wanted of ['', 'all']) {
    const address = encodeURIComponent(names(chooseMetrics(long, wanted)).join(','));
    expect(address.length).toBeGreaterThan(1000);
    expect(address.length).toBeLessThan(6000);
  }
});

it('are changed one by one', () => {
  expect(toggleMetric([{ name: 'a' }], 'b')).toBe('a,b');
  expect(toggleMetric([{ name: 'a' }, { name: 'b' }], 'a')).toBe('b');
  expect(toggleMetric([{ name: 'a' }], 'a')).toBe('none');
});
