import type { EmulatorTask } from '@weft/contract';
import { expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { FaultPlan } from './fault-plan.ts';

const seconds = (plan: FaultPlan, until: number) => {
  const taken: [number, string, string, number][] = [];
  for (let second = 0; second <= until; second++) {
    for (const { ap_id, fault } of plan.take(second)) taken.push([second, ap_id, fault.kind, fault.seconds]);
  }
  return taken;
};

const faulty = (faults: EmulatorTask['faults']) => createTask({ durations: [60, 20], faults });

test('each fault comes in its second, to the access point with its number', () => {
  const plan = new FaultPlan(
    faulty([
      { access_point: 2, after_seconds: 7, kind: 'backhaul_cut', seconds: 3 },
      { access_point: 1, kind: 'crash', seconds: 5 },
      { access_point: 9, kind: 'crash', seconds: 5 },
    ]),
  );
  expect(seconds(plan, 19)).toEqual([
    [0, 'emu-wifi-1', 'crash', 5],
    [7, 'emu-wifi-2', 'backhaul_cut', 3],
  ]);
});

test('an access point whose time is over is down for the rest of the run, whatever else was planned for it', () => {
  const plan = new FaultPlan(faulty([{ access_point: 2, after_seconds: 25, kind: 'crash', seconds: 1 }]));
  expect([plan.endOf('emu-wifi-1'), plan.endOf('emu-wifi-2'), plan.endOf('nobody')]).toEqual([60, 20, 0]);
  expect(seconds(plan, 60)).toEqual([[20, 'emu-wifi-2', 'crash', 41]]);
});

test('a rest that is longer than any fault is made of several', () => {
  const plan = new FaultPlan(createTask({ durations: [1_500_000, 100_000] }));
  expect(seconds(plan, 1_500_000).map(([second, , , length]) => [second, length])).toEqual([
    [100_000, 604_800],
    [704_800, 604_800],
    [1_309_600, 190_401],
  ]);
});

test('a run that begins late has what is left of what began before', () => {
  const plan = new FaultPlan(
    faulty([
      { access_point: 1, after_seconds: 5, kind: 'backhaul_cut', seconds: 30 },
      { access_point: 1, after_seconds: 5, kind: 'jammed_channel', seconds: 10 },
      { access_point: 1, after_seconds: 40, kind: 'command_ignored', seconds: 10 },
    ]),
    30,
  );
  expect(seconds(plan, 60)).toEqual([
    [30, 'emu-wifi-1', 'backhaul_cut', 5],
    [30, 'emu-wifi-2', 'crash', 31],
    [40, 'emu-wifi-1', 'command_ignored', 10],
  ]);
});

test('a run that is taken up again does not repeat what its world has already', () => {
  const plan = new FaultPlan(faulty([{ access_point: 1, after_seconds: 5, kind: 'crash', seconds: 30 }]));
  plan.skipTo(6);
  expect(seconds(plan, 60)).toEqual([[20, 'emu-wifi-2', 'crash', 41]]);
});
