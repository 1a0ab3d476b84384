// What the charts of a page show of time.
import { expect, it } from 'vitest';
import { chartRange } from './chart.tsx';

const live = { nowSeconds: 1000, pausedAt: undefined, windowSeconds: 60, zoom: undefined };

it('a window that moves has no end that could be asked for', () => {
  expect(chartRange(live)).toEqual({ range: { from: 940, to: 1000 }, past: undefined });
});

it('paused charts stand still and can be given another window', () => {
  const still = { from: 890, to: 950 };
  expect(chartRange({ ...live, pausedAt: 950 })).toEqual({ range: still, past: still });
  const longer = { from: 650, to: 950 };
  expect(chartRange({ ...live, pausedAt: 950, windowSeconds: 300 })).toEqual({ range: longer, past: longer });
});

it('what is looked at closely goes first, paused or not', () => {
  const zoom = { from: 900, to: 910 };
  expect(chartRange({ ...live, zoom })).toEqual({ range: zoom, past: zoom });
  expect(chartRange({ ...live, pausedAt: 950, zoom })).toEqual({ range: zoom, past: zoom });
});
