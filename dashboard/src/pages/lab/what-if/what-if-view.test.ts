// What is shown of a look ahead.
import { describe, expect, it } from 'vitest';
import type { WhatIfAnswer } from '../../../api/client.ts';
import { movesInWords } from './what-if-changes.tsx';
import {
  amountOf,
  biggestChanges,
  formatAmount,
  formatChange,
  isCertain,
  movesIn,
  notableReceivers,
} from './what-if-view.ts';

const plain = (text: string) => text.replaceAll(/[\u00a0\u2009]/g, ' ').replaceAll('\u2212', '-');
const around = (mean: number, reach: number) => [mean - reach, mean + reach];
const both = (after: number, without: number, plus_minus?: number) => ({
  with: after,
  without,
  change: after - without,
  ...(plus_minus !== undefined && {
    plus_minus: { with: plus_minus, without: plus_minus, change: plus_minus },
    range: {
      with: around(after, 3 * plus_minus),
      without: around(without, 3 * plus_minus),
      change: around(after - without, 3 * plus_minus),
    },
  }),
});
describe('an amount', () => {
  it.each([
    [{ mean: 1.9123, range: around(1.9123, 1.8123) }, 'W', '1.9 (0.1 to 3.7) W'],
    [{ mean: -36.12, range: [-36.14, -36.1] }, '', '-36.12 (-36.14 to -36.1)'],
    [{ mean: 123.4, range: around(123.4, 17.9) }, 'Mb/s', '123 (106 to 141) Mb/s'],
    [{ mean: 5 }, 'W', '5 W'],
    [{ mean: 0.00001, range: [0, 0.00003] }, 'W', '0 W'],
    [{ mean: 0, range: [0, 0] }, '', '0'],
  ])('%j is written with as many digits as its range allows', (amount, unit, words) => {
    expect(plain(formatAmount(amount, unit))).toBe(words);
  });

  it('that grows has a plus', () => {
    expect(plain(formatChange({ mean: 1.9, range: [0.1, 3.7] }))).toBe('+1.9 (0.1 to 3.7)');
    expect(plain(formatChange({ mean: -1.9 }))).toBe('-1.9');
    expect(plain(formatChange({ mean: 0.01, range: [-12, 12] }))).toBe('0 (-12 to 12)');
  });

  it('is certain if its interval excludes zero', () => {
    expect([{ mean: 2, plus_minus: 1 }, { mean: -2, plus_minus: 1 }, { mean: 3 }].map(isCertain)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      [
        { mean: 1, plus_minus: 1 },
        { mean: -1, plus_minus: 2 },
        { mean: 0, plus_minus: 0 },
      ].map(isCertain),
    ).toEqual([false, false, false]);
  });

  it('is one side of a comparison', () => {
    expect(amountOf(both(3, 1, 0.5), 'change')).toEqual({ mean: 2, plus_minus: 0.5, range: [0.5, 3.5] });
    expect(amountOf(both(3, 1), 'with')).toEqual({ mean: 3 });
    expect(amountOf({ with: 3 }, 'without')).toBeUndefined();
  });
});

it('what is certain comes first, then what changes most of itself; what does not change is left out', () => {
  const agents = [
    {
      agent_id: 'a',
      metrics: { power_w: both(50, 100, 1), same: both(1, 1, 0), half: { with: 3 }, noise: both(9, 1, 20) },
    },
    { agent_id: 'b', metrics: { served_devices: both(9, 1, 2), tiny: both(0.001, 0, 0) } },
  ];
  expect(biggestChanges({ agents }, 4).map(({ metric }) => metric)).toEqual([
    'served_devices',
    'power_w',
    'tiny',
    'noise',
  ]);
  expect(biggestChanges({ agents }, 4).map((change) => change.isCertain)).toEqual([true, true, true, false]);
  expect(biggestChanges({ agents }, 1)).toHaveLength(1);
  expect(biggestChanges({ agents }, 9, 1).map(({ agent_id }) => agent_id)).toEqual(['b', 'a']);
});

it('who takes over is who has more than a passer-by', () => {
  const one = (agent_id: string, mean: number) => ({ agent_id, devices: { mean }, delivered_mbps: { mean: 0 } });
  const rest = { delivered_mbps: { mean: 0 }, unserved: { mean: 0 } };
  const takeOver = { ...one('a', 4), ...rest, to: [one('b', 3), one('c', -0.5), one('d', 0.05)] };
  const others = (mean: number) => ({ access_points: 2, devices: { mean }, delivered_mbps: { mean: 0 } });
  const found = notableReceivers({ ...takeOver, others: others(0.01) });
  expect(found.to.map(({ agent_id }) => agent_id)).toEqual(['b', 'c']);
  expect(found).not.toHaveProperty('others');
  expect(notableReceivers({ ...takeOver, others: others(1) })).toHaveProperty('others');
  const left = (mean: number, plus_minus: number) =>
    'unserved' in notableReceivers({ ...takeOver, unserved: { mean, plus_minus } });
  expect([left(0.02, 0.01), left(0.02, 0.03), left(0.5, 0.6), left(0, 0)]).toEqual([true, false, true, false]);
});

it('who goes where is told once for each pair, by balance and with its range; who finds nothing is told too', () => {
  const rest = { delivered_mbps: { mean: 0 }, unserved: { mean: 0, plus_minus: 0 } };
  const to = (agent_id: string, mean: number) => ({
    agent_id,
    devices: { mean, plus_minus: 0.5, range: [mean - 1, mean + 1] },
    delivered_mbps: { mean: 0 },
  });
  const unserved = { mean: 2, plus_minus: 0.5, range: [1, 3] };
  const took_over = [
    { agent_id: 'a', devices: { mean: 4 }, ...rest, to: [to('b', 3), to('c', -5), to('d', 0.05)], unserved },
    // The same pair from its other end: both get a command.
    { agent_id: 'b', devices: { mean: -3 }, ...rest, to: [to('a', -3)] },
  ];
  expect(movesIn({ took_over }).map(({ words, ...move }) => ({ ...move, words: plain(words) }))).toEqual([
    { from: 'c', to: 'a', words: '5 (4 to 6)' },
    { from: 'a', to: 'b', words: '3 (2 to 4)' },
    { from: 'a', words: '2 (1 to 3)' },
  ]);
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
