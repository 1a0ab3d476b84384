// Measurements in a world: devices are where they were, ask for what they asked for, and walls stand where they stood.
import { expect, test } from 'vitest';
import { Environment, type EnvironmentSpec } from './environment.ts';
import type { ImportTexts } from './environment-spec.ts';

const place = { latitude: 51.4545, longitude: -2.5879 };
const metre = 1 / 111_320;
const spec: EnvironmentSpec = {
  access_points: [
    { ap_id: 'west', access_point_type: 'WiFi', location: place, num_devices: 3, profile: 'always' },
    {
      ap_id: 'north',
      access_point_type: 'WiFi',
      location: { latitude: place.latitude + 60 * metre, longitude: place.longitude },
      num_devices: 0,
    },
  ],
  start: '2026-01-07T10:00:00Z',
  devices: true,
};
const north = (metres: number) => `${place.latitude + metres * metre},${place.longitude}`;

function begin(imports: ImportTexts, seed = 1) {
  const environment = new Environment({ ...spec, imports });
  environment.reset([seed]);
  const { device_columns, columns } = environment.layout;
  return {
    environment,
    pass(seconds: number) {
      const answer = environment.step(seconds, [0, 0]);
      const device = (index: number, column: string) =>
        answer.devices[index * device_columns.length + device_columns.indexOf(column)]!;
      const metric = (ap: number, column: string) =>
        answer.observations[ap * columns.length + columns.indexOf(column)]!;
      const [delivered, asked] = answer.components;
      return { device, metric, delivered: delivered!, asked: asked! };
    },
  };
}

test('a device goes straight from one place to the next, and stays before and after', () => {
  const rows = [`10,device-1,${north(0)}`, `20,1,${north(60)}`];
  const positions_csv = `second,device,latitude,longitude\r\n${rows.join('\r\n')}\r\n`;
  for (const seed of [1, 2]) {
    const { pass } = begin({ positions_csv }, seed);
    expect(pass(5).device(1, 'y_m')).toBe(0);
    expect(pass(10).device(1, 'y_m')).toBeCloseTo(30, 4);
    const there = pass(15);
    expect(there.device(1, 'y_m')).toBeCloseTo(60, 4);
    expect(there.device(1, 'x_m')).toBe(0);
    // It hears the other access point better there.
    expect(there.device(1, 'serving')).toBe(1);
  }
});

test('devices with traffic of their own ask for that, in its second, and for nothing else', () => {
  const traffic_csv = 'second,device,down_mbit,up_mbit\n2,0,1.5,0.1\n4,0,2,0\n4,1,0.5,0\n9,2,0,0\n';
  const { pass } = begin({ traffic_csv });
  expect([1, 1, 1, 1, 6].map((seconds) => pass(seconds).asked)).toEqual([0, 1.5, 0, 2.5, 0]);
});

test('a wall takes what it says from whatever crosses it, between devices and between access points', () => {
  // One of them walks a little: its path is followed rather than searched for.
  const walk = `0,0,${north(9)}\n100,0,${north(10)}\n`;
  const positions_csv = `second,device,latitude,longitude\n${walk}0,1,${north(9)}\n0,2,${north(9)}\n`;
  const line = (metres: number, loss_db: number) => ({
    type: 'Feature',
    properties: { loss_db },
    geometry: {
      type: 'LineString',
      coordinates: [-0.001, 0.001].map((degrees) => [place.longitude + degrees, place.latitude + metres * metre]),
    },
  });
  const walls = (...features: unknown[]) => ({ walls_geojson: { type: 'FeatureCollection', features }, positions_csv });
  const open = begin({ positions_csv }).pass(5);
  const behind = begin(walls(line(5, 12))).pass(5);
  expect(open.metric(0, 'rssi_dbm') - behind.metric(0, 'rssi_dbm')).toBeCloseTo(12, 3);
  const text = JSON.stringify(walls(line(5, 12)).walls_geojson);
  expect(begin({ walls_geojson: text, positions_csv }).pass(5).metric(0, 'rssi_dbm')).toBe(
    behind.metric(0, 'rssi_dbm'),
  );
  expect(
    begin(walls(line(20, 12)))
      .pass(5)
      .metric(0, 'rssi_dbm'),
  ).toBe(open.metric(0, 'rssi_dbm'));
  const gainOf = (imports: ImportTexts) => begin(imports).environment.snapshot().states[0]!.neighbours[0]!.gain[0]!;
  expect(gainOf({ positions_csv }) / gainOf(walls(line(20, 10)))).toBeCloseTo(10, 6);
});

const head = 'second,device,latitude,longitude\n';
const trafficHead = 'second,device,down_mbit,up_mbit\n';
const feature = (properties: unknown, geometry: unknown) => ({
  walls_geojson: { type: 'FeatureCollection', features: [{ type: 'Feature', properties, geometry }] },
});
test.each<[string, ImportTexts, string]>([
  [
    'another head',
    { positions_csv: 'time,device,lat,lon\n' },
    'positions_csv, line 1: must be second,device,latitude,longitude',
  ],
  ['a word', { positions_csv: `${head}0,0,51,0\n1,0,x,0\n` }, 'positions_csv, line 3: latitude must be a number: x'],
  ['an empty cell', { traffic_csv: `${trafficHead}0,0,,1\n` }, 'traffic_csv, line 2: down_mbit must be a number'],
  ['a cell too few', { traffic_csv: `${trafficHead}0,0,1\n` }, 'traffic_csv, line 2: must have 4 values'],
  [
    'a device that is not there',
    { traffic_csv: `${trafficHead}0,3,1,1\n` },
    'traffic_csv, line 2: device must be 0 to 2',
  ],
  [
    'time that goes back',
    { traffic_csv: `${trafficHead}5,0,1,1\n\n5,0,1,1\n` },
    'traffic_csv, line 4: the seconds of a device',
  ],
  ['half a second', { traffic_csv: `${trafficHead}0.5,0,1,1\n` }, 'traffic_csv, line 2: second must be a whole number'],
  ['less than nothing', { traffic_csv: `${trafficHead}0,0,-1,1\n` }, 'traffic_csv, line 2: traffic must be'],
  ['a place far away', { positions_csv: `${head}0,0,10,0\n` }, 'positions_csv, line 2: too far from the network'],
  ['no text', { positions_csv: 5 as never }, 'positions_csv: must be a text'],
  ['no JSON', { walls_geojson: '{' }, 'walls_geojson: is not JSON'],
  ['no collection', { walls_geojson: { type: 'Feature' } }, 'walls_geojson: must be a FeatureCollection'],
  ['no loss', feature({}, {}), 'walls_geojson, feature 1: properties.loss_db must be 0 to 100'],
  ['no line', feature({ loss_db: 3 }, { type: 'Point' }), 'walls_geojson, feature 1: must be a LineString'],
  [
    'no point',
    feature({ loss_db: 3 }, { type: 'LineString', coordinates: [[0, 51], ['a']] }),
    'walls_geojson, feature 1, point 2: must be a longitude and a latitude',
  ],
  ['an unknown table', { position_csv: '' } as never, 'imports has no position_csv. Did you mean positions_csv?'],
])('%s is refused with its line', (_, imports, detail) => {
  expect(() => new Environment({ ...spec, imports })).toThrow(detail);
});
