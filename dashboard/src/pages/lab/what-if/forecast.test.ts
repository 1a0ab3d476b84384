// What a what-if says, beside the button that would send it and in the charts.
import { expect, it } from 'vitest';
import type { WhatIfAnswer } from '../../../api/client.ts';
import { ghostLines, secondsAhead } from './forecast.ts';
import { movesInWords } from './what-if-changes.tsx';

const line = { name: 'power_w', label: 'Power', times: [1, 2], values: [5, 6] };
const answer = (metrics: object) => ({ agents: [{ agent_id: 'a', metrics }] }) as unknown as WhatIfAnswer;

it('a metric goes on as its ghost, level, with the range of what will be seen', () => {
  const power_w = { with: 3, without: 6, change: -3, range: { with: [2, 4], without: [5, 7], change: [-4, -2] } };
  const lines = new Map([['power_w', line]]);
  const ghost = ghostLines(lines, 'a', { at: 100, answer: answer({ power_w }) }, 80).get('power_w')!;
  expect(ghost).toMatchObject({ ghostOf: 'power_w', label: 'Power, if sent', times: [100, 120, 140, 160, 180] });
  expect([ghost.values[0], ghost.lows![4], ghost.highs![4]]).toEqual([3, 2, 4]);
  expect(ghostLines(lines, 'a', { at: 100, answer: answer({ power_w: { without: 6 } }) }, 80).size).toBe(0);
  expect(ghostLines(lines, 'b', { at: 100, answer: answer({ power_w }) }, 80).size).toBe(0);
});

it('charts show as much of what is expected as there is room for', () => {
  expect([secondsAhead(3600, 2), secondsAhead(60, 2)]).toEqual([120, 20]);
});

it('devices that go elsewhere are told by name', () => {
  const none = { mean: 0 };
  const to = (agent_id: string, mean: number) => ({ agent_id, devices: { mean }, delivered_mbps: none });
  const took = (list: object[], unserved = none) =>
    ({ agent_id: 'a', devices: none, delivered_mbps: none, to: list, unserved }) as WhatIfAnswer['took_over'][number];
  const asked = { took_over: [took([to('b', 3), to('c', 1), to('d', -1)], { mean: 2 })] };
  expect(movesInWords(asked, 2)).toEqual(['Devices of a: 3 go to b, 1 go to c, 2 find no access point.']);
  expect(movesInWords(asked)).toEqual(['Devices of a: 3 go to b, 1 go to c, 1 come from d, 2 find no access point.']);
  expect(movesInWords({ took_over: [took([to('b', 0.01)])] })).toEqual([]);
});
