import type { Cell } from '@weft/sdk';
import { describe, expect, test } from 'vitest';
import { row } from '../fleet/imagined-cells.ts';
import { EnergySaver } from './energy-saver.ts';

const minute = 60_000;
const named = (cells: Cell[], options = {}, nowMs = 0) =>
  new EnergySaver({ leastHelpers: 1, ...options }).decide(cells, nowMs).map(({ name, ap_id }) => `${name} ${ap_id}`);

describe('an idle cell', () => {
  test('sleeps if its neighbours have room', () => {
    expect(named(row('5G', 3, { 1: { throughputMbps: 1 } }))).toEqual(['sleep 5g-1']);
  });

  test('stays awake if a neighbour would come above the limit with its share', () => {
    const cells = row('5G', 3, { 0: { load: 0.3 }, 1: { load: 0.2, throughputMbps: 20 }, 2: { load: 0.3 } });
    expect(named(cells.map((cell, index) => (index === 1 ? cell : { ...cell, throughputMbps: 25 })))).toEqual([]);
    expect(named(row('5G', 3, { 1: { throughputMbps: 0.5 } }))).toEqual(['sleep 5g-1']);
  });

  test('stays awake if the trend leads a neighbour above the limit', () => {
    const rising = { load: 0.3, loadPerSecond: 0.001, throughputMbps: 30 };
    expect(named(row('5G', 2, { 1: rising }))).toEqual([]);
    expect(named(row('5G', 2, { 1: { ...rising, loadPerSecond: 0 } }))).toEqual(['sleep 5g-0']);
  });

  test('stays awake for a while after it woke', () => {
    const cells = row('5G', 2, { 0: { sinceMs: -minute }, 1: { load: 0.2, throughputMbps: 20 } });
    expect(named(cells)).toEqual([]);
    expect(named(cells, {}, 10 * minute)).toEqual(['sleep 5g-0']);
  });

  test('stays awake where it stands alone, whatever is asleep elsewhere', () => {
    expect(named(row('5G', 1))).toEqual([]);
  });

  test('stays awake while a sleeping neighbour relies on it', () => {
    expect(named(row('5G', 2, { 0: { isAwake: false, connected: 0 } }))).toEqual([]);
  });

  test('needs as many helpers as it is told', () => {
    const cells = row('5G', 3, { 0: { throughputMbps: 9 }, 1: { throughputMbps: 1 }, 2: { throughputMbps: 9 } });
    expect(named(cells, { leastHelpers: 2 })).toEqual(['sleep 5g-1']);
    expect(named(cells, { leastHelpers: 3 })).toEqual([]);
  });

  test('may leave a lamp to the WiFi around it, but not WiFi to a lamp', () => {
    const [lamp] = row('LiFi', 1);
    const [wifi] = row('WiFi', 1);
    expect(named([lamp!, wifi!])).toEqual(['sleep lifi-0']);
    expect(named([{ ...lamp!, isAwake: false }, wifi!])).toEqual([]);
  });

  test('is not ordered again while the order does not show yet', () => {
    const saver = new EnergySaver({ leastHelpers: 1 });
    const cells = row('5G', 2);
    expect(saver.decide(cells, 0)).toHaveLength(1);
    expect(saver.decide(cells, minute)).toEqual([]);
    expect(saver.decide(cells, 20 * minute)).toHaveLength(1);
  });

  test('is tried again when the order was refused', () => {
    const saver = new EnergySaver({ leastHelpers: 1 });
    const cells = row('5G', 2);
    const [order] = saver.decide(cells, 0);
    saver.undone(order!);
    expect(saver.decide(cells, minute)).toEqual([order]);
  });
});

describe('a sleeping cell', () => {
  const sleeper = { isAwake: false, load: 0, throughputMbps: 0, connected: 0, served: 0 };

  test('wakes when a neighbour gets full', () => {
    expect(named(row('5G', 2, { 0: sleeper, 1: { load: 0.7 } }))).toEqual(['wake 5g-0']);
  });

  test('wakes before a neighbour gets full', () => {
    const rising = { load: 0.5, loadPerSecond: 0.0005 };
    expect(named(row('5G', 2, { 0: sleeper, 1: rising }))).toEqual(['wake 5g-0']);
    expect(named(row('5G', 2, { 0: sleeper, 1: rising }), { lookAheadSeconds: 30 })).toEqual([]);
  });

  test('wakes when devices of a neighbour wait', () => {
    expect(named(row('5G', 2, { 0: sleeper, 1: { backlogMbit: 100 } }))).toEqual(['wake 5g-0']);
  });

  test('wakes when nobody else is left', () => {
    expect(named(row('5G', 2, { 0: sleeper, 1: sleeper }))).toContain('wake 5g-0');
  });

  test('is one of several that a full neighbour gets back', () => {
    expect(named(row('5G', 3, { 0: sleeper, 1: { load: 0.9 }, 2: sleeper }))).toHaveLength(1);
  });

  test('stays asleep between the two limits', () => {
    expect(named(row('5G', 2, { 0: sleeper, 1: { load: 0.5 } }))).toEqual([]);
  });
});

describe('coverage', () => {
  const start = row('5G', 2, { 0: { connected: 4, throughputMbps: 1 } });
  const asleepWith = (connected: number) =>
    row('5G', 2, { 0: { isAwake: false, connected: 0, sinceMs: 0 }, 1: { connected } });

  test('a cell whose devices turn up nowhere is woken and left awake', () => {
    const saver = new EnergySaver({ leastHelpers: 1 });
    expect(saver.decide(start, 0)).toMatchObject([{ name: 'sleep', ap_id: '5g-0' }]);
    expect(saver.decide(asleepWith(5), 10 * minute)).toMatchObject([{ name: 'wake', ap_id: '5g-0' }]);
    expect(saver.decide(start, 60 * minute).filter(({ ap_id }) => ap_id === '5g-0')).toEqual([]);
    expect(saver.decide(start, 24 * 60 * minute).length).toBeGreaterThan(0);
  });

  test('a cell whose devices have found the neighbour sleeps on', () => {
    const saver = new EnergySaver({ leastHelpers: 1 });
    expect(saver.decide(start, 0)).toHaveLength(1);
    expect(saver.decide(asleepWith(9), 10 * minute)).toEqual([]);
  });
});
