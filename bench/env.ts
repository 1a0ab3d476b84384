// How fast worlds to learn in are, on one core: model seconds a second with the observation included, and steps of several
// worlds together. By the processor time of the process: the machine may have other work.
import { Environment, type EnvironmentSpec, preferSpeed } from '@weft/emulator/env';
import { type Figure, keep } from './harness/results.ts';

/** Half of it 5G and WiFi each, ten devices around each access point, on square grids as is usual for the kind. */
function network(count: number): EnvironmentSpec {
  const side = Math.ceil(Math.sqrt(count / 2));
  const access_points = Array.from({ length: count }, (_, n) => {
    const type = n % 2 === 0 ? '5G' : 'WiFi';
    const [spacingM, at] = [type === '5G' ? 300 : 20, Math.floor(n / 2)];
    const location = {
      latitude: 51.4545 + (Math.floor(at / side) * spacingM) / 111_320,
      longitude: -2.5879 + ((at % side) * spacingM) / 69_350,
    };
    return { ap_id: `ap-${n}`, access_point_type: type, location, num_devices: 10 };
  });
  return { access_points, start: '2026-01-07T10:00:00Z' };
}

const warmUpSeconds = 120;

/** Steps of the environment a second of processor time, over all worlds. */
function stepsPerSecond(spec: EnvironmentSpec, worlds: number, seconds: number, steps: number): number {
  const environment = new Environment(spec, worlds);
  environment.reset(
    Array.from({ length: worlds }, (_, n) => n),
    warmUpSeconds,
  );
  const idle = new Float32Array(worlds * spec.access_points.length);
  for (let n = 0; n < steps / 4; n++) environment.step(seconds, idle);
  const before = process.cpuUsage();
  for (let n = 0; n < steps; n++) environment.step(seconds, idle);
  const { user, system } = process.cpuUsage(before);
  return (steps * worlds) / ((user + system) / 1e6);
}

function modelSpeed(count: number, seconds: number, goal: number, steps: number): Figure {
  const perSecond = stepsPerSecond(network(count), 1, seconds, steps) * seconds;
  return {
    question: `Model seconds a second, ${count} access points and ${10 * count} devices, steps of ${seconds} s`,
    value: Math.round(perSecond).toLocaleString('en'),
    goal: `≥ ${goal.toLocaleString('en')}`,
    ok: perSecond >= goal,
  };
}

// As `weft env` does.
preferSpeed();
const steps = stepsPerSecond(network(10), 8, 10, 200);
keep('env', [
  modelSpeed(10, 10, 1_500, 200),
  modelSpeed(10, 1, 1_500, 1_500),
  modelSpeed(100, 10, 120, 12),
  {
    question: 'Steps of a world a second, 8 worlds of 10 access points and 100 devices, steps of 10 s',
    value: Math.round(steps).toLocaleString('en'),
    goal: '≥ 300',
    ok: steps >= 300,
  },
]);
