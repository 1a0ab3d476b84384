// What the charts of a page show of time.
import { expect, it } from 'vitest';
import { readZoom, writeZoom } from '../time-window.tsx';
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

it('what is looked at closely is an interval in the address', () => {
  const zoom = { from: Date.UTC(2026, 10, 17, 9) / 1000 + 0.4, to: Date.UTC(2026, 10, 17, 9, 5) / 1000 - 0.2 };
  expect(writeZoom(zoom)).toBe('2026-11-17T09:00:00Z/2026-11-17T09:05:00Z');
  expect(readZoom(writeZoom(zoom))).toEqual({ from: Math.floor(zoom.from), to: Math.ceil(zoom.to) });
  for (const text of ['', 'x/y', '2026-11-17T09:05:00Z/2026-11-17T09:00:00Z']) expect(readZoom(text)).toBeUndefined();
});

it('what is looked at closely goes first, paused or not', () => {
  const zoom = { from: 900, to: 910 };
  expect(chartRange({ ...live, zoom })).toEqual({ range: zoom, past: zoom });
  expect(chartRange({ ...live, pausedAt: 950, zoom })).toEqual({ range: zoom, past: zoom });
});
