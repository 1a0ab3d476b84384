// What the desk waits for: only what was said and has no answer.
import { expect, test } from 'vitest';
import { CommandDesk } from './command-desk.ts';
import { WeftRefusal } from './weft-refusal.ts';

const command = {
  type: 'command',
  command_id: 'c-1',
  command: 'sleep',
  name: 'sleep',
  args: {},
  issued_at: '',
  expires_at: '',
} as const;

test('a command waits for an answer from each word about it until Weft has heard that word', async () => {
  const said: string[] = [];
  const desk = new CommandDesk({ send: (text) => said.push(JSON.parse(text).state), onError: () => {} });
  const end = Promise.withResolvers<undefined>();
  desk.handle('sleep', () => end.promise);
  expect(desk.unansweredSinceMs).toBe(Number.POSITIVE_INFINITY);
  const startedAt = performance.now();
  desk.take(command);
  expect(said).toEqual(['received']);
  expect(desk.unansweredSinceMs).toBeGreaterThanOrEqual(startedAt);
  expect(desk.unansweredSinceMs).toBeLessThanOrEqual(performance.now());
  desk.heard('c-1', 'received');
  expect(desk.unansweredSinceMs).toBe(Number.POSITIVE_INFINITY);
  end.resolve(undefined);
  await desk.idle();
  expect(said).toEqual(['received', 'succeeded']);
  expect(desk.unansweredSinceMs).toBeLessThanOrEqual(performance.now());
  desk.heard('c-1', 'succeeded');
  expect(desk.unansweredSinceMs).toBe(Number.POSITIVE_INFINITY);
});

test('after a refusal nothing is waited for until it is said again, and a last word is not said again', async () => {
  const said: string[] = [];
  const desk = new CommandDesk({ send: (text) => said.push(JSON.parse(text).state), onError: () => {} });
  desk.handle('sleep', () => undefined);
  desk.take(command);
  await desk.idle();
  desk.refused('c-1', new WeftRefusal(503, 'database_unavailable', 'away', 0.01));
  expect(desk.unansweredSinceMs).toBe(Number.POSITIVE_INFINITY);
  await expect.poll(() => said).toEqual(['received', 'succeeded', 'succeeded']);
  expect(desk.unansweredSinceMs).toBeLessThanOrEqual(performance.now());
  desk.refused('c-1', new WeftRefusal(404, 'command_not_found', 'unknown'));
  desk.repeat();
  expect(desk.unansweredSinceMs).toBe(Number.POSITIVE_INFINITY);
  expect(said).toEqual(['received', 'succeeded', 'succeeded']);
});

test('a command is given with its text and its parsed form', async () => {
  const given: unknown[] = [];
  const desk = new CommandDesk({ send: () => {}, onError: () => {} });
  desk.handle('set', (_, command) => {
    given.push(command);
    return undefined;
  });
  desk.take({ ...command, command: 'Set channel 36', name: 'set', args: { text: 'channel 36' } });
  await desk.idle();
  expect(given).toEqual([{ command_id: 'c-1', name: 'set', args: { text: 'channel 36' }, command: 'Set channel 36' }]);
});

test('of a result that no message can hold only the state is told', async () => {
  const said: unknown[] = [];
  const desk = new CommandDesk({ send: (text) => said.push(JSON.parse(text)), onError: () => {} });
  desk.handle('sleep', () => ({ result: 'x'.repeat(1024 * 1024) }));
  desk.take(command);
  await desk.idle();
  expect(said).toMatchObject([
    { state: 'received' },
    { state: 'succeeded', result: { error: expect.stringContaining('too large') } },
  ]);
});
