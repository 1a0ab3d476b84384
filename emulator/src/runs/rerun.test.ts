import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { EmulatedRun } from './emulated-run.ts';
import { type RerunOptions, rerun } from './rerun.ts';

const seconds = 90;
const task = createTask({
  durations: [seconds, seconds, seconds, seconds],
  types: ['WiFi', '5G', 'LiFi', 'WiFi'],
  faults: [{ access_point: 4, after_seconds: 20, kind: 'crash', seconds: 15 }],
});
const names = task.agents.map(({ ap_id }) => ap_id);

type Given = { second: number; ap: number; name: string; args?: Record<string, number>; program?: string };

/** A run that goes by itself, with these commands on its way. */
function live(given: readonly Given[], until = seconds, from = 0): EmulatedRun {
  const run = EmulatedRun.begin(task, () => {}, from);
  run.world.nameDevices('emu-');
  while (run.second < until) {
    for (const [n, { second, ap, name, args = {}, program }] of given.entries()) {
      if (second === run.second) run.command(names[ap]!, { command_id: `${program ?? ''} ${n}`, name, args });
    }
    if (run.second === 30) run.fault(names[1]!, { kind: 'jammed_channel', seconds: 20 });
    run.advance();
  }
  return run;
}

function again(run: EmulatedRun, more: Partial<RerunOptions> = {}) {
  const programOf = (command_id: string) => command_id.split(' ')[0] || undefined;
  const bounds = { from: 0, until: run.second, programOf, mayGoOn: () => true };
  return rerun({ task, history: run.history!, devicePrefix: 'emu-', ...bounds, ...more });
}

const night: Given[] = [
  { second: 10, ap: 0, name: 'sleep', program: 'saver' },
  { second: 25, ap: 2, name: 'set_dimming', args: { percent: 20 }, program: 'lamps' },
  { second: 40, ap: 1, name: 'set_tx_power', args: { dbm: 30 }, program: 'saver' },
  { second: 60, ap: 0, name: 'wake', program: 'saver' },
  { second: 35, ap: 3, name: 'set_channel', args: { channel: 149 }, program: 'saver' },
];
const isPower = ({ name }: Given) => name !== 'set_channel';
const total = (joules: Iterable<number>) => [...joules].reduce((sum, each) => sum + each, 0);

test('without commands about sleep and power nothing is saved, to the last bit', () => {
  const run = live(night.filter((each) => !isPower(each)));
  const found = again(run);
  expect(found.with.energyJ).toEqual([...run.world.energyJ()]);
  expect(found).toMatchObject({ without: found.with, commands: 0, programs: [], until: seconds });
});

test('with them, what is saved is the difference of the run that was and of the one that never got them', () => {
  const [run, never] = [live(night), live(night.filter((each) => !isPower(each)))];
  const found = again(run);
  expect(found.with.energyJ).toEqual([...run.world.energyJ()]);
  expect(found.without.energyJ).toEqual([...never.world.energyJ()]);
  expect(total(found.without.energyJ)).toBeGreaterThan(total(found.with.energyJ));
  const { outageS, dataS, metS } = never.world.totals();
  expect(found.without).toMatchObject({ outageS, dataS, metS });
  expect(found.with).toMatchObject({ outageS: run.world.totals().outageS });
});

test('what programs have saved adds up; each is what was saved by leaving it out after those before it', () => {
  const run = live([...night, { second: 70, ap: 3, name: 'sleep' }]);
  const found = again(run);
  const saved = total(found.without.energyJ) - total(found.with.energyJ);
  expect(found.programs.map(({ program, commands }) => [program, commands])).toEqual([
    ['saver', 3],
    ['lamps', 1],
    [null, 1],
  ]);
  expect(total(found.programs.map(({ savedJ }) => savedJ))).toBeCloseTo(saved, 6);
  const noSaver = live([
    ...night.filter((each) => !isPower(each) || each.program !== 'saver'),
    { second: 70, ap: 3, name: 'sleep' },
  ]);
  expect(found.programs[0]!.savedJ).toBeCloseTo(total(noSaver.world.energyJ()) - total(run.world.energyJ()), 6);
});

test('two windows that touch come to what one over both does, by access point and in buckets', () => {
  const run = live(night);
  const whole = again(run);
  expect(total(whole.with.bucketsJ)).toBeCloseTo(total(whole.with.energyJ), 6);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: seconds - 1 }), (middle) => {
      const [first, second] = [again(run, { until: middle }), again(run, { from: middle })];
      for (const side of ['with', 'without'] as const) {
        expect(first[side].energyJ.map((joules, n) => joules + second[side].energyJ[n]!)).toEqual(
          whole[side].energyJ.map((joules) => expect.closeTo(joules, 6)),
        );
        expect(total(second[side].bucketsJ)).toBeCloseTo(total(second[side].energyJ), 6);
      }
    }),
    { numRuns: 3 },
  );
});

test('a run that was taken up from its saved state, or begun late, is repeated as it was', () => {
  const half = live(night, 45);
  const resumed = EmulatedRun.resume(task, () => {}, structuredClone(half.snapshot()), []);
  while (resumed.second < seconds) {
    if (resumed.second === 60) resumed.command(names[0]!, { command_id: 'saver 3', name: 'wake', args: {} });
    resumed.advance();
  }
  expect(again(resumed).with.energyJ).toEqual([...resumed.world.energyJ()]);
  const late = live(night, seconds, 25);
  expect(again(late, { from: 25 }).with.energyJ).toEqual([...late.world.energyJ()]);
  const { history: _, ...before } = half.snapshot();
  expect(EmulatedRun.resume(task, () => {}, before, []).history).toBeUndefined();
});

test('what takes too long ends early and says where; before the hours asked for it is nothing', () => {
  const run = live(night);
  let steps = 0;
  const found = again(run, { from: 5, mayGoOn: () => ++steps <= 50 });
  expect(found).toMatchObject({ until: 50, commands: 3 });
  expect(total(found.without.energyJ)).toBeGreaterThan(total(found.with.energyJ));
  expect(() => again(run, { from: 50, mayGoOn: () => ++steps < 60 })).toThrow(RangeError);
});
