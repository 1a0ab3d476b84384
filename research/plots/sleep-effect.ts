// The effect of a sleep command: the middle one of nine cells is sent to sleep and woken again; its neighbours take
// over its devices, and some have no service meanwhile.
import { createWorld } from '@weft/emulator';
import { town } from '../../emulator/src/town.ts';
import { type Chart, line, type Points } from './svg-chart.ts';

const commanded = '5g-4';
const neighbours = ['5g-1', '5g-3', '5g-5', '5g-7'];
const secondsBefore = 300;
const secondsAsleep = 600;
const secondsAfter = 300;
const meanOverSeconds = 10;

export function sleepEffect(): Chart {
  const { power, connected } = run();
  const minutes = { label: 'minutes', min: -5, max: 15, step: 5 };
  const moments = [
    { x: 0, label: 'sleep' },
    { x: secondsAsleep / 60, label: 'wake' },
  ];
  const both = (of: Record<'own' | 'others', Points>) => [
    line('the commanded cell', 'red', of.own),
    line('its four neighbours, mean', 'blue', of.others),
  ];
  return {
    description: 'Power and connected devices of a 5G cell and its neighbours while it sleeps',
    panels: [
      {
        title: 'Power',
        x: minutes,
        y: { label: 'power (W)', min: 0, max: 100, step: 20 },
        series: both(power),
        moments,
      },
      {
        title: 'Connected devices',
        x: minutes,
        y: { label: 'devices', min: 0, max: 80, step: 20 },
        series: both(connected),
        moments,
      },
    ],
    arranged: 'beside',
    panelWidth: 360,
    panelHeight: 220,
  };
}

function run() {
  const world = createWorld(town({ counts: { '5G': 9 }, devicesEach: 50, seed: 5 }));
  // Devices find their cells first.
  for (let n = 0; n < 120; n++) world.step();
  const power = { own: new Means(), others: new Means() };
  const connected = { own: new Means(), others: new Means() };
  for (let second = -secondsBefore; second < secondsAsleep + secondsAfter; second++) {
    if (second === 0) world.command(commanded, 'sleep');
    if (second === secondsAsleep) world.command(commanded, 'wake');
    for (const { ap_id, fields } of world.step()) {
      const who = ap_id === commanded ? 'own' : neighbours.includes(ap_id) ? 'others' : undefined;
      if (who === undefined) continue;
      power[who].add(second, fields.power_w!);
      connected[who].add(second, fields.connected_devices!);
    }
  }
  return {
    power: { own: power.own.points(), others: power.others.points() },
    connected: { own: connected.own.points(), others: connected.others.points() },
  };
}

class Means {
  readonly #parts = new Map<number, { sum: number; count: number }>();

  add(second: number, value: number): void {
    const part = Math.floor(second / meanOverSeconds);
    const { sum, count } = this.#parts.get(part) ?? { sum: 0, count: 0 };
    this.#parts.set(part, { sum: sum + value, count: count + 1 });
  }

  points(): Points {
    return [...this.#parts].map(([part, { sum, count }]) => [((part + 0.5) * meanOverSeconds) / 60, sum / count]);
  }
}
