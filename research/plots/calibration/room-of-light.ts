// LiFi: how the rate falls with the distance from the lamp, and what people in the room do to the light.

import { cos, sin } from '@weft/contract/exact-math';
import { createWorld, restoreWorld } from '@weft/emulator';
import { town } from '../../../emulator/src/town.ts';
import { kinds } from '../../../emulator/src/world/devices.ts';
import { lifiNoiseA2, measureLifi } from '../../../emulator/src/world/lifi-layer.ts';
import { type Chart, line, type Points } from '../svg-chart.ts';

const lamps = 9;
const peoplePerLamp = [1, 2, 3, 4, 6, 9, 12];
const measuredS = 60;
const seeds = [1, 2, 3];

export function roomOfLight(): Chart {
  const crowd = peoplePerLamp.map((each) => ({ people: each * lamps, ...crowded(each) }));
  const overPeople = (what: keyof ReturnType<typeof crowded>, times = 1): Points =>
    crowd.map((each) => [each.people, times * each[what]]);
  const people = { label: 'people in the room, nine lamps', min: 0, max: 108, step: 27 };
  return {
    description: 'LiFi: rate over the distance from the lamp, and over the number of people in the room',
    panels: [
      {
        title: 'One lamp, nobody in its light',
        x: { label: 'distance beside the lamp (m)', min: 0, max: 4, step: 1 },
        y: { label: 'rate after overhead (Mb/s)', min: 0, max: 100, step: 20 },
        series: [line('night', 'blue', overDistance(0)), line('noon', 'red', overDistance(1))],
      },
      {
        title: 'A full room: throughput',
        x: people,
        y: { label: 'throughput (Mb/s)', min: 0, max: 800, step: 200 },
        series: [line('all nine lamps', 'blue', overPeople('mbps'))],
      },
      {
        title: 'A full room: own lamp hidden',
        x: people,
        y: { label: 'share of devices (%)', min: 0, max: 100, step: 25 },
        series: [
          line('own lamp hidden', 'red', overPeople('hidden', 100)),
          line('without any lamp', 'grey', overPeople('unserved', 100)),
        ],
      },
    ],
    arranged: 'beside',
    panelWidth: 280,
    panelHeight: 220,
  };
}

/** Mean over devices that face all ways and over how hands hold them. */
function overDistance(daylightShare: number): Points {
  const around = 72;
  const world = createWorld(town({ counts: { LiFi: 1 }, devicesEach: around }));
  return Array.from({ length: 41 }, (_, n): [number, number] => {
    const distanceM = n / 10;
    const state = world.snapshot();
    const { devices, cells } = state;
    for (let device = 0; device < around; device++) {
      const angle = (2 * Math.PI * device) / around;
      devices.kind[device] = kinds.seated;
      devices.x[device] = cells.x[0]! + distanceM;
      devices.y[device] = cells.y[0]!;
      devices.axisX[device] = cos(angle);
      devices.axisY[device] = sin(angle);
    }
    const placed = restoreWorld(state);
    let sum = 0;
    const seconds = 5;
    for (let second = 0; second < seconds; second++) {
      placed.step();
      const now = placed.snapshot();
      now.devices.hidden.fill(0);
      const noiseA2 = Float64Array.of(lifiNoiseA2(daylightShare));
      for (let device = 0; device < around; device++) sum += measureLifi(now, device, 0, noiseA2);
    }
    return [distanceM, sum / around / seconds / 1e6];
  });
}

function crowded(peopleEach: number): { mbps: number; hidden: number; unserved: number } {
  let [bits, hidden, unserved, devices] = [0, 0, 0, 0];
  for (const seed of seeds) {
    const world = createWorld({
      ...town({ counts: { LiFi: lamps }, devicesEach: peopleEach, seed }),
      peakMbpsPerDevice: 300,
    });
    for (let second = 0; second < 20; second++) world.step();
    const before = world.totals().deliveredBits;
    for (let second = 0; second < measuredS; second++) {
      world.step();
      const state = world.totals();
      unserved += state.unserved;
      devices += state.devices;
      if (second % 10 === 0) hidden += 10 * world.snapshot().devices.isBlocked.reduce((a, b) => a + b, 0);
    }
    bits += world.totals().deliveredBits - before;
  }
  return { mbps: bits / measuredS / seeds.length / 1e6, hidden: hidden / devices, unserved: unserved / devices };
}
