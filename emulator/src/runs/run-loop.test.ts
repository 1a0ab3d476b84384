// A run in steps: what was sent before comes first.
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import type { AgentFleet } from './agent-fleet.ts';
import { EmulatedRun } from './emulated-run.ts';
import { steppedClock } from './model-clock.ts';
import { RunLoop } from './run-loop.ts';

const task = createTask({ durations: [60, 60] });
const [first, second] = task.agents.map(({ ap_id }) => ap_id) as [string, string];
const { signal } = new AbortController();

function begin() {
  const run = EmulatedRun.begin(task, () => {});
  // Agents that are there and have nothing to say.
  const idle = { isCongested: false, isComingUp: false, online: 2, samples: { samples: 0, samples_lost: 0 } };
  const doing = { hold: () => {}, follow: () => {}, flush: () => {}, settle: async () => {}, tally: { waiting: 0 } };
  const fleet = { ...idle, ...doing } as unknown as AgentFleet;
  const options = { task, run, clock: steppedClock(run), fleet, files: undefined };
  return { run, loop: new RunLoop({ ...options, onStatus: () => {}, onTrouble: () => {} }) };
}

test('time passes only when the access point has taken what was sent to it', async () => {
  const { run, loop } = begin();
  const stepping = loop.step(3, [{ ap_id: first, command_id: 'c-1' }], signal);
  expect(run.second).toBe(0);
  run.command(first, { command_id: 'c-1', name: 'sleep', args: {} });
  expect(await stepping).toEqual({ second: 3, model_time: new Date(run.world.time).toISOString(), ended: false });
});

test('who does not hear is not waited for', async () => {
  const { run, loop } = begin();
  run.fault(second, { kind: 'command_ignored', seconds: 30 });
  const sent = [first, second].map((ap_id, n) => ({ ap_id, command_id: `c-${n}` }));
  run.command(first, { command_id: 'c-0', name: 'sleep', args: {} });
  expect(await loop.step(1, sent, signal)).toMatchObject({ second: 1 });
});

test('one that is stopped meanwhile does not pass', async () => {
  const { run, loop } = begin();
  const step = loop.step(3, [{ ap_id: first, command_id: 'c-1' }], AbortSignal.abort());
  expect(await step).toMatchObject({ error: { code: 'commands_not_taken' } });
  expect(run.second).toBe(0);
});

test('the faults that hold are told with their end', async () => {
  const { run, loop } = begin();
  run.fault(second, { kind: 'backhaul_cut', seconds: 2 });
  const until = new Date(run.world.time + 2000).toISOString();
  expect(loop.status().faults).toEqual([{ agent_id: second, kind: 'backhaul_cut', until }]);
  await loop.step(2, [], signal);
  expect(loop.status().faults).toBeUndefined();
});

test('what a second costs is what it computes, not how long it waits for the processor', async () => {
  const { loop } = begin();
  const none = { user: 0, system: 0 };
  const used = { user: 2000, system: 1000 };
  const processor = vi.spyOn(process, 'threadCpuUsage').mockImplementation((before) => (before ? used : none));
  onTestFinished(() => processor.mockRestore());
  await loop.step(1, [], signal);
  expect(loop.stepMs).toBe(3);
});
