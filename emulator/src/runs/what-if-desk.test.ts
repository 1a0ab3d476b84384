import { describe, expect, test } from 'vitest';
import { town } from '../town.ts';
import { createWorld } from '../world/world.ts';
import { EmulatedRun } from './emulated-run.ts';
import { createTask } from './task-fixture.ts';
import { answerWhatIf, toAgents } from './what-if-answer.ts';
import { mostMinutes, parseCommand, WhatIfDesk } from './what-if-desk.ts';

describe('a look ahead in the words of the interface', () => {
  test('names each command and has the network minute by minute', () => {
    const world = createWorld(town({ counts: { WiFi: 4 }, devicesEach: 5 }));
    const commands = [{ ap_id: 'wifi-1', name: 'sleep' }];
    const answer = answerWhatIf(world, commands, 2);
    expect(answer).toMatchObject({
      model_time: '2026-01-07T10:00:00.000Z',
      minutes: 2,
      totals: { devices: 20 },
      results: [{ agent_id: 'wifi-1', name: 'sleep', state: 'succeeded' }],
      timeline: [{ minute: 1 }, { minute: 2 }],
    });
    expect(answer.agents.map(({ agent_id }) => agent_id)).toEqual(['wifi-0', 'wifi-1', 'wifi-2', 'wifi-3']);
  });

  test('of too many agents those with commands come first, then those for whom something changes', () => {
    const same = new Map([['load', { with: 1, without: 1 }]]);
    const changed = new Map([['load', { with: 1, without: 2 }]]);
    const predictions = new Map([
      ['a', same],
      ['b', changed],
      ['c', same],
      ['d', changed],
      ['e', same],
    ]);
    const { length } = JSON.stringify({ agent_id: 'a', metrics: { load: { with: 1, without: 1 } } });
    const most = (count: number) =>
      toAgents(predictions, new Set(['e']), count * (length + 1)).map(({ agent_id }) => agent_id);
    expect(most(5)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most(4)).toEqual(['a', 'b', 'd', 'e']);
    expect(most(2)).toEqual(['b', 'e']);
    expect(most(1)).toEqual(['e']);
  });
});

test.each([
  [0.1, 60],
  [10, 37],
  [200, 1],
  [1000, 0.37],
])('with %d ms a second one may look %d minutes ahead', (stepMs, minutes) => {
  expect(mostMinutes(stepMs)).toBe(minutes);
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

describe('the desk', () => {
  const open = (stepMs = 1) => {
    const run = EmulatedRun.begin(createTask({ durations: [60, 5] }), () => {});
    for (let n = 0; n < 6; n++) run.advance();
    return new WhatIfDesk({ run, stepMs: () => stepMs });
  };
  const sleep = (agent_id: string) => ({ commands: [{ agent_id, command: 'sleep' }], minutes: 0.1 });

  test('answers from a thread', async () => {
    const answer = await open().ask(sleep('emu-wifi-1'));
    expect(answer).toMatchObject({ model_time: '2026-01-07T10:00:06.000Z', results: [{ state: 'succeeded' }] });
  });

  test.each([
    ['agent_not_found', { commands: [{ agent_id: 'nobody', command: 'sleep' }] }],
    ['agent_not_found', { commands: [{ agent_id: 'emu-wifi-2', command: 'sleep' }] }],
    ['invalid_command', { commands: [{ agent_id: 'emu-wifi-1', command: '{' }] }],
    ['what_if_too_long', { commands: [], minutes: 61 }],
    ['what_if_too_long', { commands: [], minutes: 0 }],
  ])('says %s', async (code, body) => {
    expect(await open().ask(body)).toMatchObject({ error: { code } });
  });

  test('says how long a large network may be looked at', async () => {
    expect(await open(100).ask({ commands: [], minutes: 5 })).toEqual({
      error: { code: 'what_if_too_long', detail: 'at most 3 minutes for a network of this size' },
    });
  });

  test('takes so many at once and no more', async () => {
    const desk = open();
    const answers = await Promise.all(Array.from({ length: 9 }, () => desk.ask(sleep('emu-wifi-1'))));
    expect(answers.slice(0, 8).every((answer) => 'results' in answer)).toBe(true);
    expect(answers[8]).toMatchObject({ error: { code: 'too_many_what_ifs' } });
    expect(await desk.ask(sleep('emu-wifi-1'))).toHaveProperty('results');
  });
});
