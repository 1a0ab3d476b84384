// What an environment is made from, as JSON has it, and the check of it: whatever is wrong is said by name, before anything
// is made.
import type { EmulatorTask } from '@weft/contract';
import { EmulatorTask as TaskSchema } from '@weft/contract';
import { didYouMean } from '@weft/contract/closest-name';
import { isObject } from '@weft/contract/is-object';
import { hasShape } from '@weft/contract/schema-check';
import { toSpec } from '../runs/emulated-run.ts';
import { checkSpec, type WorldSpec } from '../world/world-spec.ts';

/** An error of the environment: a stable word, a sentence, and the world that it is about. */
export class EnvironmentError extends Error {
  readonly code: string;
  readonly world: number | undefined;

  constructor(code: string, detail: string, world?: number) {
    super(detail);
    this.code = code;
    this.world = world;
  }
}

export type EnvironmentAccessPoint = Omit<EmulatorTask['agents'][number], 'password' | 'duration'>;

/** By name of a command: the values of its argument to choose from; `true` for one that takes none. */
export type WantedActions = Record<string, true | readonly number[]>;

/** Measurements as texts; walls also as an object. */
export interface ImportTexts {
  positions_csv?: string;
  traffic_csv?: string;
  walls_geojson?: unknown;
}

export interface EnvironmentSpec {
  access_points: readonly EnvironmentAccessPoint[];
  /** When it begins; and by how much later at most, a whole number of minutes that follows from the seed. */
  start: string;
  start_spread_seconds?: number;
  /** After so much model time a world is truncated; default: never. */
  episode_seconds?: number;
  /** Default: all declared commands that take a number or nothing, but reboot and set_report_interval. */
  actions?: WantedActions;
  /** Given to every access point that declares them, before the first second. */
  initial?: WantedCommands;
  /** Measurements in the place of chance: the text of each, see docs/learning.md. */
  imports?: ImportTexts;
  /** Whether answers carry a table of devices; default: false. */
  devices?: boolean;
}

export type WantedCommands = readonly { name: string; args?: Record<string, unknown> }[];

const known = [
  'access_points',
  'start',
  'start_spread_seconds',
  'episode_seconds',
  'actions',
  'initial',
  'devices',
  'imports',
];
const importNames = ['positions_csv', 'traffic_csv', 'walls_geojson'];
/** In all worlds of an environment together. */
const maxDevicesInAll = 200_000;
const maxAccessPointsInAll = 20_000;
/** In a world: the graph of neighbours compares each with each. */
const maxAccessPoints = 2_000;
const longestSeconds = 604_800;
export const maxWorlds = 256;

const agentSchema = TaskSchema.properties.agents.items;
const accessPointSchema = {
  ...agentSchema,
  required: agentSchema.required.filter((name) => name !== 'password' && name !== 'duration'),
};

/** Throws EnvironmentError `invalid_spec`. */
export function parseEnvironmentSpec(spec: unknown, worlds: unknown): EnvironmentSpec {
  need(isObject(spec), 'spec must be an object');
  for (const name of Object.keys(spec)) {
    need(known.includes(name), `spec has no ${name.slice(0, 64)}.${didYouMean(name, known)}`);
  }
  const {
    access_points,
    start,
    start_spread_seconds = 0,
    episode_seconds = 1,
    initial = [],
    devices = false,
    imports = {},
  } = spec;
  need(isWhole(worlds, 1, maxWorlds), `worlds must be 1 to ${maxWorlds}`);
  need(Array.isArray(access_points), 'access_points must be a list');
  need(access_points.length <= maxAccessPoints, `a world has at most ${maxAccessPoints} access points`);
  let count = 0;
  for (const [index, entry] of access_points.entries()) {
    const where = `access_points[${index}]`;
    need(isObject(entry), `${where} must be an object`);
    for (const name of Object.keys(entry)) {
      const fields = Object.keys(accessPointSchema.properties);
      need(fields.includes(name), `${where} has no ${name.slice(0, 64)}.${didYouMean(name, fields)}`);
    }
    for (const name of accessPointSchema.required) need(Object.hasOwn(entry, name), `${where} needs ${name}`);
    need(hasShape(accessPointSchema, entry), `${where}: a field has the wrong type`);
    count += (entry as EnvironmentAccessPoint).num_devices;
  }
  const most = Number(worlds);
  need(count * most <= maxDevicesInAll, `all worlds together have at most ${maxDevicesInAll} devices`);
  need(
    access_points.length * most <= maxAccessPointsInAll,
    `all worlds together have at most ${maxAccessPointsInAll} access points`,
  );
  need(typeof start === 'string' && !Number.isNaN(Date.parse(start)), 'start must be a time as 2026-01-07T10:00:00Z');
  need(isWhole(start_spread_seconds, 0, longestSeconds), `start_spread_seconds must be 0 to ${longestSeconds}`);
  need(isWhole(episode_seconds, 1, longestSeconds), `episode_seconds must be 1 to ${longestSeconds}`);
  need(typeof devices === 'boolean', 'devices must be true or false');
  need(isObject(imports), 'imports must be an object');
  for (const name of Object.keys(imports)) {
    need(importNames.includes(name), `imports has no ${name.slice(0, 64)}.${didYouMean(name, importNames)}`);
  }
  need(Array.isArray(initial) && initial.every(isCommand), 'initial must be a list of { name, args }');
  const whole = spec as unknown as EnvironmentSpec;
  try {
    checkSpec(worldSpecOf(whole, 0));
  } catch (error) {
    if (error instanceof RangeError) throw new EnvironmentError('invalid_spec', error.message);
    throw error;
  }
  return whole;
}

/** The world that an emulated network of the same description and seed would have. */
export function worldSpecOf({ access_points, start }: EnvironmentSpec, seed: number, laterMs = 0): WorldSpec {
  const model_start = new Date(Date.parse(start) + laterMs).toISOString();
  const agents = access_points.map((ap) => ({ ...ap, password: '', duration: 0 }));
  return toSpec({ agents, num_devices: 0, seed, model_start, report_interval_seconds: 1 }, 0);
}

function isCommand(value: unknown): boolean {
  return isObject(value) && typeof value.name === 'string' && (value.args === undefined || isObject(value.args));
}

export function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function need(isMet: boolean, detail: string): asserts isMet {
  if (!isMet) throw new EnvironmentError('invalid_spec', detail);
}
