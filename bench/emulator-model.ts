// What does one second of the emulated network cost? CPU time of the model alone, without anybody posting: per step and
// per device, how it grows with the number of access points, and what a copy for a look ahead costs.
import { createWorld, type World } from '@weft/emulator';
import { town } from '../emulator/src/town.ts';
import { type Figure, keep } from './harness/results.ts';

const devicesEach = 50;
const warmUpSteps = 20;
const steps = 60;

/** A third of each kind, as close together as is usual for the kind. */
function build(count: number, isOneSpot = false): World {
  const third = Math.round(count / 3);
  const spec = town({ counts: { '5G': count - 2 * third, WiFi: third, LiFi: third }, devicesEach });
  const at = spec.accessPoints[0]!;
  const place = isOneSpot ? { latitude: at.latitude, longitude: at.longitude } : {};
  return createWorld({ ...spec, accessPoints: spec.accessPoints.map((ap) => ({ ...ap, ...place })) });
}

/** CPU milliseconds of one step, over many. */
function cost(world: World): number {
  for (let n = 0; n < warmUpSteps; n++) world.step();
  const before = process.cpuUsage();
  for (let n = 0; n < steps; n++) world.step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / steps;
}

const figures: Figure[] = [];
const costs = new Map<number, number>();
for (const count of [100, 300, 1000, 3000]) {
  const ms = cost(build(count));
  costs.set(count, ms);
  const perDevice = (ms * 1000) / (count * devicesEach);
  figures.push({
    question: `${count} access points, ${count * devicesEach} devices: CPU per second of model time`,
    value: `${ms.toFixed(1)} ms, ${perDevice.toFixed(2)} µs per device`,
    ...(count === 1000 ? { goal: 'under 600 ms', ok: ms < 600 } : {}),
  });
}
const growth = costs.get(3000)! / costs.get(300)!;
figures.push({
  question: 'Ten times the access points and devices (300 to 3,000)',
  value: `${growth.toFixed(1)} times the cost`,
  against: '10 would be linear, 100 quadratic',
  goal: 'under 15',
  ok: growth < 15,
});
figures.push({
  question: "1,000 access points in one spot: everybody is everybody's neighbour",
  value: `${(cost(build(1000, true)) / costs.get(1000)!).toFixed(1)} times the cost of 1,000 spread out`,
});
const world = build(1000);
world.step();
const before = performance.now();
for (let n = 0; n < 10; n++) world.clone();
figures.push({
  question: 'A copy of the world of 1,000 access points',
  value: `${((performance.now() - before) / 10).toFixed(0)} ms`,
});
keep('emulator-model', figures);
