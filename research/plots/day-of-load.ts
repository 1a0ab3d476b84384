// A day of three small WiFi networks with different profiles: their throughput, hour by hour.
import { createWorld } from '@weft/emulator';
import { demandFactor } from '../../emulator/src/traffic/demand.ts';
import type { AccessPointSpec, Profile } from '../../emulator/src/world/world-spec.ts';
import { type Chart, line, type Points } from './svg-chart.ts';

const shown: [Profile, 'blue' | 'red' | 'green'][] = [
  ['office', 'blue'],
  ['home', 'red'],
  ['city', 'green'],
];
const accessPoints = 4;
const devices = 12;
const meanOverSeconds = 600;
const peakMbpsPerDevice = 0.8;
const wednesday = Date.UTC(2026, 0, 7);

export function dayOfLoad(): Chart {
  const measured = run();
  const hours = Array.from({ length: 24 * 6 + 1 }, (_, n) => n / 6);
  const asked = (name: Profile): Points =>
    hours.map((hour) => [hour, demandFactor(name, (48 + hour) % 168) * peakMbpsPerDevice * devices]);
  return {
    description: 'Throughput of an access point over a day, for the profiles office, home and city',
    panels: [
      {
        title: `A Wednesday of a WiFi access point with ${devices} devices`,
        x: { label: 'local hour', min: 0, max: 24, step: 2 },
        y: { label: 'throughput (Mb/s)', min: 0, max: 12, step: 2 },
        series: [
          ...shown.map(([name, colour]) => line(name, colour, measured.get(name)!)),
          ...shown.map(([name], n) =>
            line(n === 0 ? 'what is asked for on average' : '', 'grey', asked(name), 'dashed'),
          ),
        ],
      },
    ],
    arranged: 'beside',
    panelWidth: 760,
    panelHeight: 260,
  };
}

/** On the meridian of Greenwich, where the model's hour is that of the clock. */
function run(): Map<Profile, Points> {
  const specs = shown.flatMap(([profile], place) =>
    Array.from({ length: accessPoints }, (_, n): AccessPointSpec => {
      // 20 m apart, and the three networks out of each other's range.
      const location = { latitude: 40 + place + n * 0.00018, longitude: 0 };
      return { ap_id: `${profile}-${n}`, type: 'WiFi', ...location, devices, profile };
    }),
  );
  const world = createWorld({ seed: 3, startMs: wednesday, accessPoints: specs, reportIntervalSeconds: 60 });
  const sums = new Map<Profile, Map<number, { sum: number; count: number }>>(shown.map(([name]) => [name, new Map()]));
  for (let second = 0; second < 86_400; second++) {
    for (const { ap_id, ts, fields } of world.step()) {
      const part = Math.floor((ts - wednesday - 1) / 1000 / meanOverSeconds);
      const own = sums.get(ap_id.split('-')[0] as Profile)!;
      const { sum, count } = own.get(part) ?? { sum: 0, count: 0 };
      own.set(part, { sum: sum + fields.throughput_mbps!, count: count + 1 });
    }
  }
  return new Map(
    [...sums].map(([name, parts]) => [
      name,
      [...parts].map(([part, { sum, count }]) => [((part + 0.5) * meanOverSeconds) / 3600, sum / count]),
    ]),
  );
}
