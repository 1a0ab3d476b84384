// Radio maps of a run: computed in a thread of their own, once for equal questions of one second.
import { decodeCoverage } from '@weft/contract/coverage-values';
import { afterEach, expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import type { RunCoverageAnswer, RunCoverageDifference } from './coverage-answer.ts';
import { CoverageQueue } from './coverage-queue.ts';
import { EmulatedRun } from './emulated-run.ts';

const question = { layer: 'signal', technology: 'WiFi', columns: 16, rows: 12 };
const open: CoverageQueue[] = [];
afterEach(() => {
  for (const queue of open.splice(0)) queue.close();
});

function begin(stepMs = 1) {
  const run = EmulatedRun.begin(createTask({ durations: [60, 5] }), () => {});
  for (let n = 0; n < 6; n++) run.advance();
  const queue = new CoverageQueue({ run, stepMs: () => stepMs });
  open.push(queue);
  return { run, queue };
}

test('answers from a thread, and equal questions of one second share one computation', async () => {
  const { run, queue } = begin();
  const [first, second, other] = await Promise.all([
    queue.ask(question),
    queue.ask({ ...question }),
    queue.ask({ ...question, layer: 'best_server' }),
  ]);
  expect(first).toMatchObject({
    model_time: '2026-01-07T10:00:06.000Z',
    second: 6,
    model: 3,
    unit: 'dBm',
    columns: 16,
  });
  expect(second).toBe(first);
  expect(other).toMatchObject({ layer: 'best_server', scale: 1 });
  expect(queue.computed).toBe(2);
  expect(await queue.ask(question)).toBe(first);
  expect(queue.computed).toBe(2);
  const { values, scale, min, max } = first as RunCoverageAnswer;
  const decoded = [...decodeCoverage(values as string, scale)].filter((value) => !Number.isNaN(value));
  expect(Math.min(...decoded)).toBeCloseTo(min!, 3);
  expect(Math.max(...decoded)).toBeCloseTo(max!, 3);
  run.advance();
  expect(await queue.ask(question)).toMatchObject({ second: 7 });
  expect(queue.computed).toBe(3);
});

test('a difference runs ahead with the commands and without, and the run does not notice', async () => {
  const { run, queue } = begin();
  const commands = [{ agent_id: 'emu-wifi-1', command: 'sleep' }];
  const answer = (await queue.ask({ ...question, commands, after_seconds: 10 })) as RunCoverageDifference;
  expect(answer).toMatchObject({ after_seconds: 10, second: 16, results: [{ state: 'succeeded', name: 'sleep' }] });
  expect(answer.without.max).toBeGreaterThan(answer.with.max ?? Number.NEGATIVE_INFINITY);
  expect(run.second).toBe(6);
  expect(run.world.accessPoint('emu-wifi-1').power_state).toBe('on');
  // What was said to the network meanwhile is another question, even in the same second.
  run.command('emu-wifi-1', { command_id: 'c-1', name: 'sleep', args: {} });
  await queue.ask({ ...question, commands, after_seconds: 10 });
  expect(queue.computed).toBe(2);
});

test.each([
  ['invalid_coverage', { technology: 'LiFi' }],
  ['agent_not_found', { commands: [{ agent_id: 'nobody', command: 'sleep' }] }],
  ['agent_not_found', { commands: [{ agent_id: 'emu-wifi-2', command: 'sleep' }] }],
  ['invalid_command', { commands: [{ agent_id: 'emu-wifi-1', command: '{' }] }],
  ['invalid_coverage', { commands: [], after_seconds: 601 }],
])('says %s', async (code, more) => {
  const { queue } = begin();
  expect(await queue.ask({ ...question, ...more })).toMatchObject({ error: { code } });
});

test('says how far a large network may be run ahead', async () => {
  const { queue } = begin(500);
  expect(await queue.ask({ ...question, commands: [], after_seconds: 30 })).toMatchObject({
    error: {
      code: 'invalid_coverage',
      field: 'after_seconds',
      detail: 'at most 20 seconds for a network of this size',
    },
  });
});

test('what nobody waits for any more ends at once, and what waits behind it is computed', async () => {
  const { queue } = begin();
  const long = { ...question, columns: 256, rows: 256, commands: [], after_seconds: 600 };
  const asked = [queue.ask(long, 'ada'), queue.ask({ ...long }, 'bob')];
  const [left, stayed] = [queue.ask({ ...long, layer: 'rate' }, 'eve'), queue.ask(question, 'dan')];
  const cancelled = { error: { detail: 'Nobody waits for the answer' } };
  queue.cancel('ada');
  queue.cancel('eve');
  expect(await left).toMatchObject(cancelled);
  expect(await Promise.race([asked[1], 'under way'])).toBe('under way');
  expect(queue.threads).toBe(1);
  queue.cancel('bob');
  expect(await asked[0]).toMatchObject(cancelled);
  expect(await stayed).toMatchObject({ second: 6, layer: 'signal' });
  // The one that was under way has not run to its end in the first.
  expect(queue.threads).toBe(2);
});

test('what waits when the run ends is answered', async () => {
  const { queue } = begin();
  const asked = queue.ask(question);
  queue.close();
  expect(await asked).toMatchObject({ error: { code: 'coverage_failed' } });
});
