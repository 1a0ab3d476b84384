// The laws of an environment, over networks of all kinds and actions by chance.
import type { EmulatorTask } from '@weft/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { setters } from '../access-points/command-table.ts';
import { EmulatedRun } from '../runs/emulated-run.ts';
import { restoreWorld } from '../world/world.ts';
import { type Answer, Environment, EnvironmentError, type EnvironmentSpec } from './environment.ts';

const spec: EnvironmentSpec = {
  access_points: [
    ...['5G', '5G', 'WiFi', 'WiFi', 'LiFi'].map((access_point_type, n) => ({
      ap_id: `ap-${n}`,
      access_point_type,
      location: { latitude: 51.4545 + n * 1e-4, longitude: -2.5879 },
      num_devices: 4,
    })),
  ],
  start: '2026-01-07T10:00:00Z',
};
const rows = spec.access_points.length;
const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
/** Two small numbers for each access point and step, from which an open choice is made. */
const draws = fc.array(fc.array(fc.nat(997), { minLength: rows, maxLength: rows }), { minLength: 1, maxLength: 4 });
const runs = { numRuns: rounds(12) };

/** An open choice for each access point of a world. */
function openChoices({ masks }: Answer, choices: number, drawn: readonly number[], world = 0): number[] {
  return drawn.map((draw, ap) => {
    const row = masks.subarray((world * rows + ap) * choices, (world * rows + ap + 1) * choices);
    const open = [...row.keys()].filter((choice) => row[choice] === 1);
    return open[draw % open.length]!;
  });
}

function bytes({ block }: Answer): string {
  return Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString('base64');
}

/** One world alone, step by step; the actions that it took, and every byte that it showed. */
function playAlone(begin: number, drawn: readonly number[][], seconds = 3) {
  const environment = new Environment(spec);
  const { choices } = environment.layout;
  let answer = environment.reset([begin], 2);
  const shown = [bytes(answer)];
  const actions: number[][] = [];
  for (const each of drawn) {
    actions.push(openChoices(answer, choices.length, each));
    answer = environment.step(seconds, actions.at(-1)!);
    shown.push(bytes(answer));
  }
  return { environment, actions, shown, answer };
}

describe('law', () => {
  test('the same seed and actions give the same bytes, alone and among other worlds', () => {
    fc.assert(
      fc.property(seed, seed, draws, (one, other, drawn) => {
        const first = playAlone(one, drawn);
        expect(playAlone(one, drawn).shown).toEqual(first.shown);
        const many = new Environment(spec, 3);
        let answer = many.reset([other, one, other], 2);
        const { columns, choices, components } = many.layout;
        const parts = (all: Answer, of: number, worlds: number) =>
          [all.observations, all.valid, all.components, all.masks].map((values) => {
            const size = values.length / worlds;
            return [...values.slice(of * size, (of + 1) * size)];
          });
        expect(answer.observations).toHaveLength(3 * rows * columns.length);
        expect(answer.components).toHaveLength(3 * components.length);
        for (const [n, actions] of first.actions.entries()) {
          const beside = openChoices(answer, choices.length, drawn[n]!, 0);
          answer = many.step(3, [...beside, ...actions, ...openChoices(answer, choices.length, actions, 2)]);
        }
        expect(parts(answer, 1, 3)).toEqual(parts(first.answer, 0, 1));
      }),
      runs,
    );
  });

  test('to restore and go on equals going on', () => {
    fc.assert(
      fc.property(seed, draws, draws, (begin, before, after) => {
        const { environment, answer } = playAlone(begin, before);
        const { choices } = environment.layout;
        const kept = environment.snapshot();
        const goOn = (from: Answer) => {
          let now = from;
          return after.map((drawn) => {
            now = environment.step(2, openChoices(now, choices.length, drawn));
            return bytes(now);
          });
        };
        const went = goOn(answer);
        const restored = environment.restore(kept);
        const [observations, masks] = [answer.observations, answer.masks];
        expect(restored).toMatchObject({ observations, masks });
        expect(goOn(restored)).toEqual(went);
        expect(goOn(environment.restore(kept))).toEqual(went);
      }),
      runs,
    );
  });

  test('a choice that is masked is refused and changes nothing, and the network takes each that is not', () => {
    fc.assert(
      fc.property(seed, draws, fc.nat(rows - 1), (begin, drawn, ap) => {
        const { environment, answer } = playAlone(begin, drawn, 1);
        const { choices, access_points } = environment.layout;
        const kept = environment.snapshot();
        const idle = access_points.map(() => 0);
        for (const choice of choices.keys()) {
          const actions = idle.with(ap, choice);
          if (answer.masks[ap * choices.length + choice] === 0) {
            expect(() => environment.step(1, actions)).toThrow(
              expect.objectContaining({ code: 'masked_action', world: 0 }),
            );
            continue;
          }
          environment.restore(kept);
          // The same environment with a witness in the place of the world: what it answers to the command itself.
          expect(answerOf(kept, access_points[ap]!, choices[choice]!)).toBe('succeeded');
          expect(() => environment.step(1, actions)).not.toThrow();
          environment.restore(kept);
        }
        expect(environment.snapshot()).toEqual(kept);
      }),
      { numRuns: rounds(4) },
    );
  });

  test('the world is the one whose agents report for an emulated network of the same seed', () => {
    fc.assert(
      fc.property(seed, draws, (begin, drawn) => {
        const { environment, actions } = playAlone(begin, []);
        expect(actions).toEqual([]);
        const run = EmulatedRun.begin(taskOf(begin), () => {});
        run.advance();
        run.advance();
        const { columns, choices, access_points } = environment.layout;
        let answer = environment.reset([begin], 2);
        let id = 0;
        for (const each of drawn) {
          const chosen = openChoices(answer, choices.length, each);
          for (const [ap, choice] of chosen.entries()) {
            const [name, value] = choices[choice]!.split(' ');
            if (name === 'nothing') continue;
            const args = value === undefined ? {} : { [argumentOf(name!)]: Number(value) };
            run.command(access_points[ap]!, { command_id: String(++id), name: name!, args });
          }
          const samples = new Map(run.advance().map(({ ap_id, fields }) => [ap_id, fields]));
          answer = environment.step(1, chosen);
          for (const [ap, ap_id] of access_points.entries()) {
            const at = ap * columns.length;
            const shown = columns.flatMap((name, n) =>
              n >= columns.indexOf('connected_devices') && answer.valid[at + n] === 1
                ? [[name, answer.observations[at + n]!] as const]
                : [],
            );
            const fields = Object.entries(samples.get(ap_id) ?? {}).map(([name, value]) => [name, Math.fround(value)]);
            expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(fields));
          }
        }
      }),
      runs,
    );
  });

  test('components are what happened: they sum up, and bits asked for are delivered, lost or wait', () => {
    const whole = playAlone(5, [[0, 0, 0, 0, 0]], 60).answer.components;
    const { environment } = playAlone(5, []);
    const sums = new Float64Array(whole.length);
    for (let step = 0; step < 6; step++) {
      const { components } = environment.step(10, new Float32Array(rows));
      for (const [n, value] of components.entries()) sums[n]! += value;
    }
    const { components } = environment.layout;
    for (const [n, value] of whole.entries()) expect(sums[n], components[n]).toBeCloseTo(value, 2);
    const read = (name: (typeof components)[number]) => whole[components.indexOf(name)]!;
    expect(read('delivered_mbit') + read('lost_mbit')).toBeLessThanOrEqual(read('asked_mbit') + 50);
    expect(read('budget_met_s')).toBeLessThanOrEqual(read('data_s'));
    for (const name of ['energy_kj', 'hand_overs', 'delivered_mbit'] as const) expect(read(name)).toBeGreaterThan(0);
  });
});

test('an episode ends after its time, and a world that is over is reset alone', () => {
  const environment = new Environment({ ...spec, episode_seconds: 4, devices: true }, 2);
  const idle = new Float32Array(2 * rows);
  environment.reset([1, 2], 3);
  expect(environment.step(3, idle).truncated).toEqual([false, false]);
  const over = environment.step(1, idle);
  expect(over).toMatchObject({ truncated: [true, true], terminated: [false, false] });
  expect(over.devices).toHaveLength(2 * 20 * 9);
  expect(() => environment.step(1, idle)).toThrow(expect.objectContaining({ code: 'episode_over', world: 0 }));
  const again = environment.reset([null, 2], 3);
  expect(again.truncated).toEqual([true, false]);
  const first = over.observations.length / 2;
  expect(again.observations.slice(0, first)).toEqual(over.observations.slice(0, first));
});

test('the hour differs from seed to seed where the start is spread, and is the same for the same', () => {
  const environment = new Environment({ ...spec, start_spread_seconds: 86_400 }, 3);
  const hour = environment.layout.columns.indexOf('hour_sin');
  const { observations } = environment.reset([1, 2, 1]);
  const at = (world: number) => observations[world * rows * environment.layout.columns.length + hour];
  expect(at(0)).toBe(at(2));
  expect(at(0)).not.toBe(at(1));
});

const ap = spec.access_points[0]!;
test.each<[string, unknown, unknown, string]>([
  ['no object', 7, 1, 'spec must be an object'],
  ['a field that is none', { ...spec, episode_secs: 5 }, 1, 'spec has no episode_secs. Did you mean episode_seconds?'],
  ['no world', spec, 0, 'worlds must be 1 to 256'],
  ['too many devices', { ...spec, access_points: [{ ...ap, num_devices: 900 }] }, 256, 'all worlds together'],
  ['an access point that is none', { ...spec, access_points: [ap, 3] }, 1, 'access_points[1] must be an object'],
  [
    'a wrong type',
    { ...spec, access_points: [{ ...ap, mix: null }] },
    1,
    'access_points[0]: a field has the wrong type',
  ],
  ['a missing field', { ...spec, access_points: [{ ap_id: 'a' }] }, 1, 'access_points[0] needs access_point_type'],
  ['an unknown kind', { ...spec, access_points: [{ ...ap, access_point_type: '6G' }] }, 1, 'type must be one of'],
  ['no time', { ...spec, start: 'soon' }, 1, 'start must be a time'],
  ['an unknown command', { ...spec, actions: { fly: true } }, 1, 'no access point knows fly'],
  ['a command with names', { ...spec, actions: { steer_device: [1] } }, 1, 'steer_device must be left out'],
  ['a value for none', { ...spec, actions: { set_channel: [37] } }, 1, 'no access point takes set_channel 37'],
  ['values for nothing', { ...spec, actions: { sleep: [1] } }, 1, 'sleep must be true'],
])('a description with %s is refused with the reason', (_, given, worlds, detail) => {
  const make = () => new Environment(given as EnvironmentSpec, worlds as number);
  expect(make).toThrow(EnvironmentError);
  expect(make).toThrow(detail);
});

/** What the access point says to a choice, in a world of the snapshot. */
function answerOf({ states }: ReturnType<Environment['snapshot']>, ap_id: string, label: string): string {
  const [name, value] = label.split(' ');
  if (name === 'nothing') return 'succeeded';
  const args = value === undefined ? {} : { [argumentOf(name!)]: Number(value) };
  return restoreWorld(states[0]!).command(ap_id, name!, args).state;
}

function argumentOf(name: string): string {
  return setters[name]!.argument;
}

function taskOf(begin: number): EmulatorTask {
  return {
    agents: spec.access_points.map((each) => ({ ...each, password: '', duration: 600 })),
    num_devices: 0,
    duration: 600,
    seed: begin,
    speed: 1,
    model_start: spec.start,
    started_at: spec.start,
    report_interval_seconds: 1,
    faults: [],
  };
}
