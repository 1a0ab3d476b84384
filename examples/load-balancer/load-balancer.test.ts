import type { Cell } from '@weft/sdk';
import { expect, test } from 'vitest';
import { row } from '../fleet/imagined-cells.ts';
import { LoadBalancer } from './load-balancer.ts';

const full = { load: 0.9 };
const named = (cells: Cell[]) =>
  new LoadBalancer().decide(cells, 0).map(({ ap_id, name, args }) => `${name} ${ap_id} ${args?.target ?? ''}`.trim());

test('a full access point sends a device to the emptiest neighbour', () => {
  expect(named(row('WiFi', 3, { 0: { load: 0.3 }, 1: full }))).toEqual(['steer_device wifi-1 wifi-2']);
});

test('a full access point sends a device to a wider technology', () => {
  expect(named([...row('WiFi', 1, { 0: full }), ...row('5G', 1)])).toEqual(['steer_device wifi-0 5g-0']);
  expect(named([...row('LiFi', 1, { 0: full }), ...row('WiFi', 1)])).toEqual(['steer_device lifi-0 wifi-0']);
  expect(named([...row('LiFi', 1, { 0: full }), ...row('5G', 1)])).toEqual(['steer_device lifi-0 5g-0']);
});

test('nobody is sent where it would need more air than it frees: inwards, or to another cell or lamp', () => {
  expect(named([...row('5G', 1, { 0: full }), ...row('WiFi', 1)])).toEqual([]);
  expect(named([...row('WiFi', 1, { 0: full }), ...row('LiFi', 1)])).toEqual([]);
  expect(named(row('5G', 2, { 0: full }))).toEqual([]);
  expect(named(row('LiFi', 2, { 0: full }))).toEqual([]);
});

test('an access point that fills up is relieved before it is full', () => {
  const rising = { load: 0.55, loadPerSecond: 0.002 };
  expect(named(row('WiFi', 2, { 0: rising }))).toEqual(['steer_device wifi-0 wifi-1']);
  expect(named(row('WiFi', 2, { 0: { ...rising, loadPerSecond: 0 } }))).toEqual([]);
});

test('an access point whose devices wait is full whatever its load', () => {
  expect(named(row('WiFi', 2, { 0: { load: 0.4, backlogMbit: 500 } }))).toEqual(['steer_device wifi-0 wifi-1']);
});

test('nobody is sent to one that is nearly as full, too far away or asleep', () => {
  expect(named(row('WiFi', 2, { 0: { load: 0.62 }, 1: { load: 0.49 } }))).toEqual([]);
  const [here, , away] = row('WiFi', 3, { 0: full });
  expect(named([here!, away!])).toEqual([]);
});

test('each takes one device in a round, the fullest goes first', () => {
  const cells = row('WiFi', 3, { 0: { load: 0.8 }, 2: { load: 0.95 } });
  expect(named(cells)).toEqual(['steer_device wifi-2 wifi-1']);
});

test('a full cell whose neighbours are of no use to its devices has a sleeping one woken', () => {
  expect(named(row('5G', 3, { 0: { isAwake: false }, 1: full }))).toEqual(['wake 5g-0']);
});

test('where nobody has room the nearest sleeping neighbour is woken, once', () => {
  const balancer = new LoadBalancer();
  const cells = row('5G', 3, { 0: { isAwake: false }, 1: full, 2: { load: 0.8 } });
  expect(balancer.decide(cells, 0)).toMatchObject([{ ap_id: '5g-0', name: 'wake' }]);
  expect(balancer.decide(cells, 10_000)).toEqual([]);
});

test('a pair none of whose devices can change is left out for a while', () => {
  const balancer = new LoadBalancer();
  const cells = row('WiFi', 3, { 0: { load: 0.3 }, 1: full });
  const [order] = balancer.decide(cells, 0);
  balancer.undone(order!, 'refused', 0);
  expect(balancer.decide(cells, 5_000)).toEqual([order]);
  balancer.undone(order!, 'failed', 5_000);
  expect(balancer.decide(cells, 10_000)).toMatchObject([{ args: { target: 'wifi-0' } }]);
  expect(balancer.decide(cells, 600_000)).toEqual([order]);
});
