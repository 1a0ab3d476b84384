// What is expected, in the charts of a page; and who may ask for it.
import { expect, it } from 'vitest';
import type { Amount } from '../api/client.ts';
import { ghostLines, secondsAhead } from './look-ahead.tsx';

const line = { name: 'power_w', label: 'Power', times: [1, 2], values: [5, 6] };
/** Of access point `a`. */
const expected = (metrics: Record<string, Amount>) => (ap_id: string, metric: string) =>
  ap_id === 'a' ? metrics[metric] : undefined;

it('a metric goes on as its ghost, level, with the range of what will be seen', () => {
  const power_w = { mean: 3, range: [2, 4] };
  const lines = new Map([['power_w', line]]);
  const ghost = ghostLines(lines, 'a', { at: 100, expected: expected({ power_w }) }, 80).get('power_w')!;
  expect(ghost).toMatchObject({ ghostOf: 'power_w', label: 'Power, if sent', times: [100, 120, 140, 160, 180] });
  expect([ghost.values[0], ghost.lows![4], ghost.highs![4]]).toEqual([3, 2, 4]);
  expect(ghostLines(lines, 'a', { at: 100, expected: expected({}) }, 80).size).toBe(0);
  expect(ghostLines(lines, 'b', { at: 100, expected: expected({ power_w }) }, 80).size).toBe(0);
});

it('charts show as much of what is expected as there is room for', () => {
  expect([secondsAhead(3600, 2), secondsAhead(60, 2)]).toEqual([120, 20]);
});
