import { expect, test } from 'vitest';
import { row } from '../../../../examples/fleet/imagined-cells.ts';
import { Fleet, positionOf } from './fleet.ts';
import { helpersOf } from './neighbourhood.ts';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const agent = (ap_id: string, access_point_type = '5G') => ({
  id: ap_id,
  ap_id,
  onboard: true,
  configuration: { access_point_type, geolocation: { latitude: 51, longitude: 0 } },
});

function fleetOf(...agents: ReturnType<typeof agent>[]): Fleet {
  const fleet = new Fleet();
  fleet.learn(agents);
  return fleet;
}

test('an access point is unknown until its place is', () => {
  const fleet = new Fleet();
  const sample = { ap_id: 'a', ts: at(0), metrics: { prb_load_pct: 10 } };
  expect(fleet.hear(sample)).toBe(false);
  fleet.learn([agent('a')]);
  expect(fleet.hear(sample)).toBe(true);
  expect(fleet.cells()).toMatchObject([{ ap_id: 'a', isAwake: true, load: 0.1 }]);
});

test('a place and a technology are understood in all the forms that Weft understands', () => {
  const place = { latitude: 51.45, longitude: -2.58 };
  for (const geolocation of [place, { lat: 51.45, lon: -2.58 }, { lat: '51.45', lng: '-2.58' }]) {
    expect(positionOf('a', { access_point_type: 'wi-fi', geolocation })).toEqual({
      ap_id: 'a',
      technology: 'WiFi',
      ...place,
    });
  }
});

test('the load of each technology is read from its own metric', () => {
  const fleet = fleetOf(agent('a'), agent('b', 'WiFi'), agent('c', 'LiFi'));
  const metrics = { prb_load_pct: 10, channel_utilisation_pct: 20, airtime_pct: 30 };
  for (const ap_id of ['a', 'b', 'c']) fleet.hear({ ap_id, ts: at(0), metrics });
  expect(fleet.cells().map(({ load }) => load)).toEqual([0.1, 0.2, 0.3]);
});

test('a load that rises has a trend, and one that stays has none', () => {
  const fleet = fleetOf(agent('a'), agent('b'));
  for (let minute = 0; minute < 60; minute++) {
    fleet.hear({ ap_id: 'a', ts: at(60 * minute), metrics: { prb_load_pct: minute } });
    fleet.hear({ ap_id: 'b', ts: at(60 * minute), metrics: { prb_load_pct: 30 } });
  }
  const [rising, steady] = fleet.cells();
  expect(rising!.loadPerSecond * 3600).toBeGreaterThan(0.4);
  expect(rising!.loadPerSecond * 3600).toBeLessThan(0.7);
  expect(steady).toMatchObject({ load: 0.3, loadPerSecond: 0 });
});

test('sleep and wake are dated by the samples', () => {
  const fleet = fleetOf(agent('a'));
  for (const [seconds, active] of [
    [0, 1],
    [10, 0],
    [20, 0],
  ] as const) {
    fleet.hear({ ap_id: 'a', ts: at(seconds), metrics: { active, prb_load_pct: 50 } });
  }
  expect(fleet.cells()).toMatchObject([{ isAwake: false, sinceMs: 10_000, load: 0 }]);
});

test('one that has fallen silent is not counted on, nor waited for', () => {
  const fleet = fleetOf(agent('a'), agent('b'));
  fleet.hear({ ap_id: 'a', ts: at(0), metrics: {} });
  fleet.hear({ ap_id: 'b', ts: at(0), metrics: {} });
  expect(fleet.hasAllSince(0)).toBe(true);
  fleet.hear({ ap_id: 'a', ts: at(10), metrics: {} });
  expect(fleet.hasAllSince(10_000)).toBe(false);
  fleet.hear({ ap_id: 'a', ts: at(100), metrics: {} });
  expect(fleet.cells().map(({ ap_id }) => ap_id)).toEqual(['a']);
  expect(fleet.hasAllSince(100_000)).toBe(true);
});

test('a sample that comes late changes nothing', () => {
  const fleet = fleetOf(agent('a'));
  fleet.hear({ ap_id: 'a', ts: at(10), metrics: { prb_load_pct: 10 } });
  fleet.hear({ ap_id: 'a', ts: at(5), metrics: { prb_load_pct: 90 } });
  expect(fleet.cells()).toMatchObject([{ load: 0.1 }]);
});

test('neighbours help one another, and the wider technology the narrower one', () => {
  const cells = [...row('5G', 3), ...row('WiFi', 1), ...row('LiFi', 1)];
  const helpers = helpersOf(cells);
  const names = (ap_id: string) => helpers.get(ap_id)!.map((cell) => cell.ap_id);
  expect(names('5g-0')).toEqual(['5g-1']);
  expect(names('5g-1').sort()).toEqual(['5g-0', '5g-2']);
  expect(names('wifi-0')).toEqual(['5g-0']);
  expect(names('lifi-0').sort()).toEqual(['5g-0', 'wifi-0']);
});
