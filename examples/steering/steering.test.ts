import { expect, test } from 'vitest';
import { row } from '../fleet/imagined-cells.ts';
import type { SeenDevice } from '../fleet/seen-device.ts';
import { Steering, type SteeringOptions } from './steering.ts';

const cells = [...row('LiFi', 2), ...row('WiFi', 2), ...row('5G', 1)];
const heard = [
  { ap_id: 'wifi-0', rssi_dbm: -60 },
  { ap_id: 'wifi-1', rssi_dbm: -50 },
  { ap_id: '5g-0', rssi_dbm: -80 },
];

function inLight(tx_mbps: number, lamp = 'lifi-0', device = 'a'): SeenDevice {
  const link = { ap_id: lamp, technology: 'LiFi', rssi_dbm: -15, snr_db: 30, tx_mbps };
  return { device, links: [link], heard };
}
const onWifi = (ap_id = 'wifi-0', device = 'a'): SeenDevice => {
  return { device, links: [{ ap_id, technology: 'WiFi', rssi_dbm: -60, snr_db: 30, tx_mbps: 200 }], heard };
};

/** What a program decides that sees these, a second apart. */
function after(seen: SeenDevice[], options: SteeringOptions = {}, now = cells) {
  const program = new Steering(options);
  for (const [second, device] of seen.entries()) program.see([device], second * 1000);
  return { program, nowMs: seen.length * 1000, orders: program.decide(now, seen.length * 1000) };
}
const dark = (share: number, seconds = 60) =>
  Array.from({ length: seconds }, (_, n) => inLight(n % Math.round(1 / share) === 0 ? 0 : 60));

test('a device whose light fails it again and again is moved to the strongest WiFi with room', () => {
  const { orders } = after(dark(0.2));
  expect(orders).toMatchObject([{ ap_id: 'lifi-0', name: 'steer_device', args: { device: 'a', target: 'wifi-1' } }]);
});

test('a device in steady light stays, also after a single failure', () => {
  expect(after(dark(1 / 200)).orders).toEqual([]);
  expect(after([...dark(1 / 200), inLight(0), inLight(60)]).orders).toEqual([]);
});

test('changes of lamp and falls out of the light count as well', () => {
  const between = Array.from({ length: 60 }, (_, n) => inLight(60, `lifi-${Math.floor(n / 3) % 2}`));
  expect(after(between).orders).toHaveLength(1);
  const falls = Array.from({ length: 60 }, (_, n) => (n % 10 < 7 ? inLight(60) : onWifi()));
  expect(after([...falls, inLight(60)]).orders).toHaveLength(1);
});

test('where WiFi is full the strongest cell is next, and where nothing has room the device stays', () => {
  const fullWifi = cells.map((cell) => (cell.technology === 'WiFi' ? { ...cell, load: 0.6 } : cell));
  expect(after(dark(0.2), {}, fullWifi).orders).toMatchObject([{ args: { target: '5g-0' } }]);
  expect(
    after(
      dark(0.2),
      {},
      cells.map((cell) => ({ ...cell, load: 0.6 })),
    ).orders,
  ).toEqual([]);
});

test('a moved device is left alone for two minutes; one that could not go, for one', () => {
  const { program, nowMs, orders } = after(dark(0.2));
  expect(program.decide(cells, nowMs + 2000)).toEqual([]);
  program.undone(orders[0]!, 'failed', nowMs + 2000);
  expect(program.decide(cells, nowMs + 30_000)).toEqual([]);
  expect(program.decide(cells, nowMs + 63_000)).toHaveLength(1);
});

test('what is known of its light is not forgotten while it is elsewhere', () => {
  const { program, nowMs } = after(dark(0.2));
  for (let second = 1; second <= 122; second++) program.see([onWifi('wifi-1')], nowMs + second * 1000);
  program.see([inLight(60)], nowMs + 123_000);
  expect(program.decide(cells, nowMs + 123_000)).toHaveLength(1);
});

test('with standby links a device at risk gets one, once, and stays in the light', () => {
  const { program, nowMs, orders } = after(dark(0.2), { standby: true });
  expect(orders).toMatchObject([
    { ap_id: 'lifi-0', name: 'set_link_policy', args: { device: 'a', mode: 'active_standby', primary: 'LiFi' } },
  ]);
  expect(program.decide(cells, nowMs + 600_000)).toEqual([]);
});

test('a full access point sends its worst device to one with room; each gets one order in a round', () => {
  const program = new Steering();
  const slow: SeenDevice = { ...onWifi('wifi-0', 'slow') };
  const fast: SeenDevice = { ...onWifi('wifi-0', 'fast') };
  program.see([fast, { ...slow, links: [{ ...slow.links[0]!, tx_mbps: 20 }] }], 0);
  const full = cells.map((cell) => (cell.ap_id === 'wifi-0' ? { ...cell, load: 0.9 } : cell));
  expect(program.decide(full, 0)).toMatchObject([{ ap_id: 'wifi-0', args: { device: 'slow', target: 'wifi-1' } }]);
});
