// Worlds to learn in, without server, database or agents: several of one description, reset and stepped together. What a
// world does follows from its seed and the actions alone, whichever others are beside it.

import { setFlagsFromString } from 'node:v8';
import { hash, streams } from '../randomness.ts';
import type { Imported } from '../traffic/imported.ts';
import { createState } from '../world/create-state.ts';
import { World } from '../world/world.ts';
import type { WorldState } from '../world/world-state.ts';
import { type Choices, choicesOf, isAllowed } from './choices.ts';
import {
  EnvironmentError,
  type EnvironmentSpec,
  isWhole,
  parseEnvironmentSpec,
  worldSpecOf,
} from './environment-spec.ts';
import { readImports } from './import-files.ts';
import {
  type Component,
  columnsOf,
  components,
  deviceColumns,
  listDevices,
  type NeighbourGraph,
  neighboursIn,
  observe,
  sumUp,
} from './observation.ts';

export { EnvironmentError, type EnvironmentSpec } from './environment-spec.ts';
export { type Component, components } from './observation.ts';

/** What stays the same through the life of an environment. */
export interface Layout {
  worlds: number;
  access_points: string[];
  columns: string[];
  choices: string[];
  components: readonly Component[];
  device_columns: readonly string[];
  devices: number;
  neighbours: NeighbourGraph;
}

/** Parts of one block, one row after the other: by world, access point or device, and column. */
export interface Answer {
  block: Float32Array;
  observations: Float32Array;
  /** 1 where the value of an observation holds, else 0. */
  valid: Float32Array;
  /** Empty unless asked for. */
  devices: Float32Array;
  components: Float32Array;
  /** 1 where the choice would be taken. */
  masks: Float32Array;
  terminated: boolean[];
  truncated: boolean[];
}

export interface EnvironmentSnapshot {
  states: WorldState[];
  begunAtSteps: number[];
}

const longestStepSeconds = 3_600;
const maxSeed = 0xffffffff;
const msPerMinute = 60_000;

/**
 * For processes that do little else: the model is many small functions of numbers, and the engine puts fewer of them into one
 * another than is good for it, so that numbers between them go over the heap. The same bytes, in less time.
 */
export function preferSpeed(): void {
  setFlagsFromString('--max-inlined-bytecode-size=1500');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=4000');
}

interface Place {
  state: WorldState;
  world: World;
  /** The second after its warm-up. */
  begunAtStep: number;
}

export class Environment {
  readonly layout: Layout;
  readonly #spec: EnvironmentSpec;
  readonly #choices: Choices;
  readonly #imported: Imported | undefined;
  readonly #columns: ReadonlyMap<string, number>;
  #places: Place[] | undefined;

  /** Throws EnvironmentError `invalid_spec`. */
  constructor(spec: EnvironmentSpec, worlds = 1) {
    this.#spec = parseEnvironmentSpec(spec, worlds);
    const state = createState(worldSpecOf(this.#spec, 0));
    this.#imported = readImports(spec.imports ?? {}, state.accessPoints, state.devices.count);
    this.#choices = choicesOf(state.accessPoints, spec.actions);
    const columns = columnsOf(state.accessPoints);
    this.#columns = new Map(columns.map((name, index) => [name, index]));
    this.layout = {
      worlds,
      access_points: state.accessPoints.map(({ ap_id }) => ap_id),
      columns,
      choices: this.#choices.list.map(({ label }) => label),
      components,
      device_columns: deviceColumns,
      devices: spec.devices ? state.devices.count : 0,
      neighbours: neighboursIn(state),
    };
  }

  /**
   * Begins worlds, one for each seed; one whose seed is null goes on. Throws EnvironmentError `invalid_reset`; then
   * nothing has changed.
   */
  reset(seeds: readonly (number | null)[], warmupSeconds = 0): Answer {
    const { worlds } = this.layout;
    const before = this.#places;
    const need = (isMet: boolean, detail: string) => {
      if (!isMet) throw new EnvironmentError('invalid_reset', detail);
    };
    need(seeds.length === worlds, `seeds must be a list of ${worlds}`);
    need(isWhole(warmupSeconds, 0, longestStepSeconds), `warmup_seconds must be 0 to ${longestStepSeconds}`);
    for (const seed of seeds) {
      need(seed === null || isWhole(seed, 0, maxSeed), `a seed must be 0 to ${maxSeed}, or null`);
      need(seed !== null || before !== undefined, 'a world that has not begun cannot go on');
    }
    this.#places = seeds.map((seed, n) => (seed === null ? before![n]! : this.#begin(seed, warmupSeconds)));
    return this.#answer(this.#places);
  }

  /**
   * One choice for each access point of each world, then so many seconds. Throws EnvironmentError `not_begun`,
   * `invalid_step`, `episode_over` or `masked_action`; then nothing has changed.
   */
  step(seconds: number, actions: ArrayLike<number>): Answer {
    const places = this.#requirePlaces();
    const { worlds, access_points, choices } = this.layout;
    if (!isWhole(seconds, 1, longestStepSeconds)) {
      throw new EnvironmentError('invalid_step', `seconds must be 1 to ${longestStepSeconds}`);
    }
    if (actions.length !== worlds * access_points.length) {
      throw new EnvironmentError('invalid_step', `actions must be ${worlds} × ${access_points.length} numbers`);
    }
    for (const [n, place] of places.entries()) {
      if (this.#isTruncated(place)) throw new EnvironmentError('episode_over', 'the episode is over: reset it', n);
      for (const [ap, name] of access_points.entries()) {
        const action = actions[n * access_points.length + ap]!;
        if (!isWhole(action, 0, choices.length - 1)) {
          throw new EnvironmentError('invalid_step', `the action for ${name} must be 0 to ${choices.length - 1}`, n);
        }
        if (this.#mayDo(place.state, ap, action)) continue;
        throw new EnvironmentError('masked_action', `${name} does not take ${choices[action]} now`, n);
      }
    }
    const before = places.map(({ state }) => sumUp(state));
    for (const [n, { world }] of places.entries()) {
      for (const [ap, name] of access_points.entries()) {
        const { command } = this.#choices.list[actions[n * access_points.length + ap]!]!;
        if (command) world.command(name, command.name, command.args);
      }
      world.measureFromNow();
      for (let second = 0; second < seconds; second++) world.step();
    }
    return this.#answer(places, before);
  }

  /** All of it as a plain value. Throws EnvironmentError `not_begun`. */
  snapshot(): EnvironmentSnapshot {
    const places = this.#requirePlaces();
    return {
      states: places.map(({ state }) => structuredClone(state)),
      begunAtSteps: places.map(({ begunAtStep }) => begunAtStep),
    };
  }

  /** Goes on from there as the original would have. */
  restore({ states, begunAtSteps }: EnvironmentSnapshot): Answer {
    this.#places = states.map((each, n) => {
      const state = structuredClone(each);
      return { state, world: new World(state), begunAtStep: begunAtSteps[n]! };
    });
    return this.#answer(this.#places);
  }

  #begin(seed: number, warmupSeconds: number): Place {
    const { start_spread_seconds: spread = 0, initial = [] } = this.#spec;
    const minutes = Math.floor(spread / 60);
    const later = minutes === 0 ? 0 : (hash(seed, streams.start, 0, 0) % minutes) * msPerMinute;
    const imported = this.#imported;
    const state = createState({ ...worldSpecOf(this.#spec, seed, later), ...(imported && { imported }) });
    const world = new World(state);
    for (const { ap_id, commands } of world.accessPoints) {
      for (const { name, args } of initial) {
        if (!commands.some((declared) => declared.name === name)) continue;
        const result = world.command(ap_id, name, args);
        if (result.state === 'failed')
          throw new EnvironmentError('invalid_reset', `initial: ${name}: ${result.reason}`);
      }
    }
    world.measureFromNow();
    for (let second = 0; second < warmupSeconds; second++) world.step();
    return { state, world, begunAtStep: state.step };
  }

  /** `before` are the sums before the step; without them nothing has happened. */
  #answer(places: readonly Place[], before?: readonly Record<Component, number>[]): Answer {
    const { worlds, access_points, columns, choices, devices } = this.layout;
    const rows = access_points.length;
    const sizes = [rows * columns.length, rows * columns.length, devices * deviceColumns.length];
    const lengths = [...sizes, components.length, rows * choices.length].map((size) => size * worlds);
    const block = new Float32Array(lengths.reduce((sum, length) => sum + length, 0));
    let from = 0;
    const [observations, valid, deviceTable, parts, masks] = lengths.map((length) => {
      from += length;
      return block.subarray(from - length, from);
    }) as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
    for (const [n, { state }] of places.entries()) {
      for (let ap = 0; ap < rows; ap++) {
        const row = n * rows + ap;
        const at = row * columns.length;
        const end = at + columns.length;
        observe(state, ap, this.#columns, observations.subarray(at, end), valid.subarray(at, end));
        for (let choice = 0; choice < choices.length; choice++) {
          if (this.#mayDo(state, ap, choice)) masks[row * choices.length + choice] = 1;
        }
      }
      if (devices > 0) listDevices(state, deviceTable.subarray(n * sizes[2]!, (n + 1) * sizes[2]!));
      if (!before) continue;
      const after = sumUp(state);
      for (const [index, name] of components.entries()) {
        // Hand-overs are counted from step to step.
        const past = name.startsWith('hand_over') ? 0 : before[n]![name];
        parts[n * components.length + index] = after[name] - past;
      }
    }
    const terminated = places.map(() => false);
    const truncated = places.map((place) => this.#isTruncated(place));
    return { block, observations, valid, devices: deviceTable, components: parts, masks, terminated, truncated };
  }

  #mayDo(state: WorldState, ap: number, choice: number): boolean {
    const { list, isLegal } = this.#choices;
    return isLegal[ap]![choice] === 1 && isAllowed(state, state.accessPoints[ap]!, list[choice]!);
  }

  #isTruncated({ state, begunAtStep }: Place): boolean {
    return state.step - begunAtStep >= (this.#spec.episode_seconds ?? Number.POSITIVE_INFINITY);
  }

  #requirePlaces(): Place[] {
    if (!this.#places) throw new EnvironmentError('not_begun', 'the worlds have not begun: reset them first');
    return this.#places;
  }
}
