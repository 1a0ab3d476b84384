import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { town } from '../town.ts';
import { createWorld } from '../world/world.ts';
import { EmulatedRun } from './emulated-run.ts';
import { answerWhatIf, toAgents } from './what-if-answer.ts';
import { budgetOf, parseCommand, WhatIfQueue } from './what-if-queue.ts';

describe('a look ahead in the words of the interface', () => {
  const world = createWorld(town({ counts: { WiFi: 4 }, devicesEach: 5 }));
  const commands = [{ ap_id: 'wifi-1', name: 'sleep' }];

  test('names each command, has the network minute by minute, and says what was run', () => {
    const answer = answerWhatIf(world, commands, { minutes: 2, futures: 2 });
    expect(answer).toMatchObject({
      model: 3,
      model_time: '2026-01-07T10:00:00.000Z',
      minutes: 2,
      exact: false,
      asked: { minutes: 2, futures: 2, agents: 4 },
      ran: { minutes: 2, futures: 2, agents: 4 },
      limited_by: [],
      totals: { devices: 20 },
      results: [{ agent_id: 'wifi-1', name: 'sleep', state: 'succeeded' }],
      took_over: [{ agent_id: 'wifi-1' }],
      timeline: [{ minute: 1 }, { minute: 2 }],
    });
    expect(answer.agents.map(({ agent_id }) => agent_id)).toEqual(['wifi-0', 'wifi-1', 'wifi-2', 'wifi-3']);
    const { power_w } = answer.totals;
    expect(power_w.change).toBeCloseTo(power_w.with - power_w.without, 3);
    expect(Object.keys(power_w.plus_minus!)).toEqual(['with', 'without', 'change']);
    expect(Object.keys(power_w.range!)).toEqual(['with', 'without', 'change']);
    const range = [expect.any(Number), expect.any(Number)];
    expect(answer.took_over[0]!.devices).toEqual({ mean: expect.any(Number), plus_minus: expect.any(Number), range });
  });

  test('one future has no interval, and says that it is exact', () => {
    const answer = answerWhatIf(world, commands, { minutes: 0.5, futures: 1 });
    expect(answer).toMatchObject({ exact: true, ran: { futures: 1 } });
    expect(JSON.stringify(answer)).not.toMatch(/plus_minus|range/);
  });

  test('what the time and the size of an answer do not allow is said', () => {
    let ms = 0;
    const now = () => (ms += 3);
    const answer = answerWhatIf(world, commands, { minutes: 5, futures: 4, budgetMs: 60, now }, 3000);
    expect(answer.limited_by).toEqual(['computing_time', 'answer_size']);
    expect(answer.asked).toEqual({ minutes: 5, futures: 4, agents: 4 });
    expect(answer.ran.minutes).toBeLessThan(1);
    expect(answer.minutes).toBe(answer.ran.minutes);
    expect(answer.ran.agents).toBe(answer.agents.length);
    expect(answer.agents.length).toBeLessThan(4);
  });

  test('of too many agents those with commands come first, then those for whom something changes', () => {
    const metric = (mean: number) => new Map([['load', { with: { mean: 1 }, without: { mean: 1 }, change: { mean } }]]);
    const predictions = new Map([
      ['a', metric(0)],
      ['b', metric(1)],
      ['c', metric(0)],
      ['d', metric(1)],
      ['e', metric(0)],
    ]);
    const { length } = JSON.stringify({ agent_id: 'a', metrics: { load: { with: 1, without: 1, change: 1 } } });
    const most = (count: number) =>
      toAgents(predictions, new Set(['e']), count * (length + 1)).map(({ agent_id }) => agent_id);
    expect(most(5)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most(4)).toEqual(['a', 'b', 'd', 'e']);
    expect(most(2)).toEqual(['b', 'e']);
    expect(most(1)).toEqual(['e']);
  });
});

test('law: questions that come together share the time alike, and all are answered within it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.double({ min: 20_000, max: 50_000, noNaN: true }),
      (count, allMs) => {
        let usedMs = 0;
        const budgets = Array.from({ length: count }, (_, n) => {
          const budgetMs = budgetOf(allMs - usedMs, count - 1 - n);
          usedMs += budgetMs;
          return budgetMs;
        });
        expect(usedMs).toBeLessThanOrEqual(allMs + 1e-6);
        const least = Math.min(...budgets);
        expect(least).toBeGreaterThanOrEqual(Math.min(allMs / count, 10_000) - 1e-6);
      },
    ),
  );
});

test('whoever is in a hurry gets no more time than that, and always a little', () => {
  expect([budgetOf(50_000, 0), budgetOf(50_000, 0, 4_000), budgetOf(50_000, 0, 60_000)]).toEqual([
    40_000, 4_000, 40_000,
  ]);
  expect([budgetOf(50_000, 24, 4_000), budgetOf(48_000, 0, -3_000)]).toEqual([2_000, 500]);
});

test.each([
  ['sleep', { name: 'sleep', args: {} }],
  ['{"name":"set_tx_power","dbm":17}', { name: 'set_tx_power', args: { dbm: 17 } }],
  ['{"name":7}', undefined],
  ['{"dbm":7}', undefined],
  ['7', undefined],
  ['[]', undefined],
  ['two words', undefined],
  [undefined, undefined],
])('reads the command %s', (text, command) => {
  expect(parseCommand(text)).toEqual(command);
});

describe('the queue', () => {
  const open = (now?: () => number) => {
    const run = EmulatedRun.begin(createTask({ durations: [60, 5] }), () => {});
    for (let n = 0; n < 6; n++) run.advance();
    return new WhatIfQueue({ run, ...(now && { now }) });
  };
  const sleep = (agent_id: string) => ({ commands: [{ agent_id, command: 'sleep' }], minutes: 0.1 });

  test('answers from a thread', async () => {
    const answer = await open().ask(sleep('emu-wifi-1'));
    expect(answer).toMatchObject({
      model_time: '2026-01-07T10:00:06.000Z',
      results: [{ state: 'succeeded' }],
      asked: { futures: 8 },
      ran: { futures: 8 },
    });
  });

  test.each([
    ['agent_not_found', { commands: [{ agent_id: 'nobody', command: 'sleep' }] }],
    ['agent_not_found', { commands: [{ agent_id: 'emu-wifi-2', command: 'sleep' }] }],
    ['invalid_command', { commands: [{ agent_id: 'emu-wifi-1', command: '{' }] }],
    ['what_if_too_long', { commands: [], minutes: 61 }],
    ['what_if_too_long', { commands: [], minutes: 0 }],
    ['too_many_futures', { commands: [], futures: 33 }],
    ['too_many_futures', { commands: [], futures: 1.5 }],
  ])('says %s', async (code, body) => {
    expect(await open().ask(body)).toMatchObject({ error: { code } });
  });

  test('a question whose time is used up by those before it is told so', async () => {
    let ms = 0;
    const queue = open(() => {
      ms += 49_000;
      return ms;
    });
    expect(await queue.ask(sleep('emu-wifi-1'))).toMatchObject({ error: { code: 'too_many_what_ifs' } });
  });

  test('whoever leaves ends its computation, and that of those who leave while they wait', async () => {
    const queue = open();
    const long = { ...sleep('emu-wifi-1'), minutes: 60, futures: 32 };
    const asked = ['a', 'b', 'c'].map((id) => queue.ask(long, id));
    for (const id of ['b', 'a', 'c']) queue.cancel(id);
    const cancelled = { error: { code: 'what_if_cancelled' } };
    expect(await Promise.all(asked)).toMatchObject([cancelled, cancelled, cancelled]);
    expect(await queue.ask(sleep('emu-wifi-1'), 'd')).toHaveProperty('results');
  });

  test('takes so many at once and no more', async () => {
    const queue = open();
    const answers = await Promise.all(Array.from({ length: 9 }, () => queue.ask(sleep('emu-wifi-1'))));
    expect(answers.slice(0, 8).every((answer) => 'results' in answer)).toBe(true);
    expect(answers[8]).toMatchObject({ error: { code: 'too_many_what_ifs' } });
    expect(await queue.ask(sleep('emu-wifi-1'))).toHaveProperty('results');
  });
});
