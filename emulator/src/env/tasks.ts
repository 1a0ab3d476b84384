// The tasks: networks with a goal, numbered, so that results of different people can be compared. What a task is never changes
// under its name; another network, reward or length is another number.
import { type Component, EnvironmentError, type EnvironmentSpec } from './environment.ts';
import type { EnvironmentAccessPoint } from './environment-spec.ts';

export interface Task {
  name: string;
  /** What to aim for, in a sentence. */
  goal: string;
  spec: EnvironmentSpec;
  warmup_seconds: number;
  step_seconds: number;
  /** The return of an episode: the sum of these times the components. */
  reward: Partial<Record<Component, number>>;
}

/** Any seed below is for training; those from here on are for judging, and must not be learned from. */
export const firstJudgingSeed = 1_000_000;
export const judgingSeeds = 24;

const centre = { latitude: 51.4545, longitude: -2.5879 };
const metresPerDegree = { north: 111_320, east: 69_350 };

function gridOf(
  columns: number,
  rows: number,
  spacingM: number,
  entry: (n: number) => Omit<EnvironmentAccessPoint, 'ap_id' | 'location'>,
): EnvironmentAccessPoint[] {
  return Array.from({ length: columns * rows }, (_, n) => ({
    ap_id: `ap-${n}`,
    location: {
      latitude: centre.latitude + (Math.floor(n / columns) * spacingM) / metresPerDegree.north,
      longitude: centre.longitude + ((n % columns) * spacingM) / metresPerDegree.east,
    },
    ...entry(n),
  }));
}

const tasks: readonly Task[] = [
  {
    name: 'weft/energy-v1',
    goal: 'Nine 5G cells of a town, at any hour: let cells sleep, and keep the service.',
    spec: {
      access_points: gridOf(3, 3, 150, () => ({ access_point_type: '5G', num_devices: 8, mbps_per_device: 2 })),
      start: '2026-01-07T00:00:00Z',
      start_spread_seconds: 86_400,
      episode_seconds: 1_800,
      actions: { sleep: true, wake: true },
    },
    warmup_seconds: 30,
    step_seconds: 30,
    reward: { energy_kj: -0.1, minutes_without_service: -0.1, data_s: -0.001, budget_met_s: 0.001 },
  },
  {
    name: 'weft/channels-v1',
    goal: 'Twelve WiFi access points of an office that all begin on one channel: spread them over four.',
    spec: {
      access_points: gridOf(4, 3, 14, (n) => ({
        access_point_type: 'WiFi',
        num_devices: 6,
        profile: 'always',
        mbps_per_device: [3, 8, 16][n % 3]!,
      })),
      start: '2026-01-07T10:00:00Z',
      episode_seconds: 900,
      actions: { set_channel: [36, 44, 52, 60] },
      initial: [{ name: 'set_channel', args: { channel: 36 } }],
    },
    warmup_seconds: 30,
    step_seconds: 30,
    reward: { delivered_mbit: 0.001, data_s: -0.002, budget_met_s: 0.002, minutes_without_service: -0.5 },
  },
];

export const taskNames: readonly string[] = tasks.map(({ name }) => name);

/** Throws EnvironmentError `task_not_found`. */
export function taskOf(name: unknown): Task {
  const task = tasks.find((each) => each.name === name);
  if (!task) throw new EnvironmentError('task_not_found', `a task is one of ${taskNames.join(', ')}`);
  return task;
}
