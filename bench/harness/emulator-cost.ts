// What one second of the emulated network costs: CPU time of the model alone, without anybody posting. How it grows with
// access points, with devices and with how close together they are, and what a copy for a look ahead costs.
import { createWorld, type World } from '@weft/emulator';
import { town } from '../../emulator/src/town.ts';
import type { Figure } from './results.ts';

const warmUpSteps = 20;
const steps = 60;
const accessPoints = [100, 300, 1000];
const devicesEach = [10, 30, 100];

export function modelFigures(): Figure[] {
  return [...oneHertz(), ...growth(), ...density(), copies()];
}

function oneHertz(): Figure[] {
  const ms = cost(build(1000, 50));
  return [
    {
      question: 'model of 1,000 access points with 50 devices each, at 1 Hz',
      value: `${ms.toFixed(0)} ms a second: ${(ms / 10).toFixed(0)} % of a core`,
      goal: '< 60 %',
      ok: ms < 600,
    },
  ];
}

function growth(): Figure[] {
  const costs = new Map<string, number>();
  const figures: Figure[] = [];
  for (const count of accessPoints) {
    const byDevices = devicesEach.map((devices) => {
      const ms = cost(build(count, devices));
      costs.set(`${count} ${devices}`, ms);
      return `${devices}: ${ms.toFixed(1)} ms (${((ms * 1000) / (count * devices)).toFixed(2)} µs a device)`;
    });
    figures.push({ question: `a step of ${count} access points, by devices each`, value: byDevices.join('; ') });
  }
  const alongDevices = accessPoints.map((count) => exponent(devicesEach.map((n) => [n, costs.get(`${count} ${n}`)!])));
  const alongCount = devicesEach.map((devices) =>
    exponent(accessPoints.map((n) => [n, costs.get(`${n} ${devices}`)!])),
  );
  return [
    ...figures,
    exponentFigure('devices each', accessPoints, alongDevices),
    exponentFigure('access points', devicesEach, alongCount),
  ];
}

function exponentFigure(what: string, others: readonly number[], exponents: readonly number[]): Figure {
  const worst = Math.max(...exponents);
  return {
    question: `the cost grows with ${what} to the power of (fit, at ${others.join(', ')} of the other)`,
    value: exponents.map((value) => value.toFixed(2)).join(', '),
    against: '1 is linear, 2 quadratic',
    goal: '≤ 1.25',
    ok: worst <= 1.25,
  };
}

/** The same access points, moved together: each then has more neighbours, up to everybody. */
function density(): Figure[] {
  const relative = [1, 1 / 2, 1 / 4, 1 / 16, 0].map((scale) => ({ scale, ms: cost(build(1000, 50, scale)) }));
  const emulatedPositions = relative[0]!.ms;
  return [
    {
      question: '1,000 access points with 50 devices each, moved together',
      value: relative
        .map(
          ({ scale, ms }) =>
            `${scale === 0 ? 'one spot' : `distances × ${scale}`}: ${(ms / emulatedPositions).toFixed(2)}`,
        )
        .join('; '),
      against: 'the cost of the usual distances = 1',
      goal: '≤ 3',
      ok: relative.every(({ ms }) => ms <= 3 * emulatedPositions),
    },
  ];
}

function copies(): Figure {
  const world = build(1000, 50);
  world.step();
  const before = performance.now();
  for (let n = 0; n < 10; n++) world.clone();
  return {
    question: 'a copy of that network, for a what-if',
    value: `${((performance.now() - before) / 10).toFixed(0)} ms`,
  };
}

/** A third of each kind, as close together as is usual for the kind, times `scale`. */
function build(count: number, devices: number, scale = 1): World {
  const third = Math.round(count / 3);
  const spec = town({ counts: { '5G': count - 2 * third, WiFi: third, LiFi: third }, devicesEach: devices });
  const centre = spec.accessPoints[0]!;
  const moved = spec.accessPoints.map((ap) => ({
    ...ap,
    latitude: centre.latitude + (ap.latitude - centre.latitude) * scale,
    longitude: centre.longitude + (ap.longitude - centre.longitude) * scale,
  }));
  return createWorld({ ...spec, accessPoints: moved });
}

/** CPU milliseconds of one step, over many. */
function cost(world: World): number {
  for (let n = 0; n < warmUpSteps; n++) world.step();
  const before = process.cpuUsage();
  for (let n = 0; n < steps; n++) world.step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / steps;
}

/** The slope of the straight line through the logarithms, by least squares. */
function exponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (pick: 0 | 1) => logs.reduce((sum, point) => sum + point[pick], 0) / logs.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
}
