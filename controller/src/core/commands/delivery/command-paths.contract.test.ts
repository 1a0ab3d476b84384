// What becomes of commands over time: delivery and its evidence, restarts, roll-outs in stages.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

let folder: string;
let weft: TestWeft;
let admin: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-commands-'));
  weft = await startWeft({ WEFT_DATA_DIR: folder });
  admin = await weft.admin();
});
afterEach(async () => {
  await weft.stop();
  rmSync(folder, { recursive: true, force: true });
});

const send = async (agent_id: string, command: object | string, query: Record<string, string> = {}, token = admin) => {
  const text = typeof command === 'string' ? command : JSON.stringify(command);
  const parameters = new URLSearchParams({ agent_id, command: text, ...query });
  return (await weft.request('POST', `/api/v1/send_command?${parameters}`, { token })).body;
};
const get = async (path: string) => (await weft.request('GET', path, { token: admin })).body;
const read = (command_id: string) => get(`/api/v1/commands/${command_id}`);
const answer = async (token: string, ap_id: string, command_id: string, json: object) =>
  (await weft.request('POST', `/api/v1/agents/${ap_id}/commands/${command_id}`, { token, json })).body;

test('what is queued outlives a restart, with leases and rules, and the agent can still answer', async () => {
  const agent = await weft.agent('ap-1');
  const app = await weft.app('late');
  const rules = await get('/api/v1/conflicts/rules');
  const json = { ...rules, interference_range_m: { ...rules.interference_range_m, WiFi: 77 } };
  await weft.request('PUT', '/api/v1/conflicts/rules', { token: admin, json });
  const { command_id, job_number } = await send('ap-1', 'sleep');
  await weft.stop();
  weft = await startWeft({ WEFT_DATA_DIR: folder });
  expect((await read(command_id)).state).toBe('queued');
  expect((await get('/api/v1/conflicts/rules')).interference_range_m.WiFi).toBe(77);
  expect(await send('ap-1', 'wake', {}, app)).toMatchObject({ code: 'command_conflict', reason: 'held_by_other' });
  expect(await answer(agent, 'ap-1', command_id, { state: 'succeeded' })).toMatchObject({ state: 'succeeded' });
  expect((await get(`/api/v1/jobs/${job_number}`)).state).toBe('succeeded');
});

test('a roll-out goes on in stages, also after a restart', async () => {
  for (let n = 1; n <= 4; n += 1) await weft.agent(`lab-${n}`, n === 4 ? { commands: ['wake'] } : {});
  const json = { agents: 'lab-*', command: 'sleep', stages: [{ percent: 50, pause_s: 1 }] };
  const { body } = await weft.request('POST', '/api/v1/commands/batch', { token: admin, json });
  expect(body.totals).toEqual({ accepted: 2, queued: 2 });
  expect(body.targets.map(({ ap_id, stage, reason }: never) => [ap_id, stage, reason])).toEqual([
    ['lab-1', 1, 'free'],
    ['lab-2', 1, 'free'],
    ['lab-3', 2, 'waits_for_stage'],
    ['lab-4', 2, 'waits_for_stage'],
  ]);
  await weft.stop();
  weft = await startWeft({ WEFT_DATA_DIR: folder });
  const sent = async () => (await get(`/api/v1/commands?batch_id=${body.batch_id}`)) as { ap_id: string }[];
  await expect.poll(async () => (await sent()).map(({ ap_id }) => ap_id).sort()).toEqual(['lab-1', 'lab-2', 'lab-3']);
});

test('a batch: each target has its own verdict, a dry run none of them a command', async () => {
  await weft.agent('one');
  await weft.agent('two', { commands: ['wake'] });
  const batch = async (more: object) => {
    const json = { agents: ['one', 'two', 'none'], command: { name: 'set_x', v: 1 }, ...more };
    return (await weft.request('POST', '/api/v1/commands/batch', { token: admin, json })).body;
  };
  const dry = await batch({ dry_run: true });
  expect(dry).toMatchObject({ batch_id: null, dry_run: true, totals: { accepted: 1, rejected: 2 } });
  expect(await get('/api/v1/commands')).toEqual([]);
  const wet = await batch({});
  expect(wet.targets.map(({ ap_id, verdict, reason }: never) => [ap_id, verdict, reason])).toEqual([
    ['one', 'accepted', 'free'],
    ['two', 'rejected', 'invalid_command'],
    ['none', 'rejected', 'agent_not_found'],
  ]);
  expect((await get('/api/v1/commands')).map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(['one']);
});

test('an app has so many commands a minute, and a person is not counted', async () => {
  await weft.stop();
  weft = await startWeft({ WEFT_DATA_DIR: folder, WEFT_LIMIT_COMMANDS_PER_APP: '2' });
  await weft.agent('ap-1');
  const app = await weft.app('eager');
  for (const name of ['set_a', 'set_b']) expect((await send('ap-1', name, {}, app)).verdict).toBe('accepted');
  expect((await send('ap-1', 'set_c', {}, app)).code).toBe('too_many_commands');
  expect((await send('ap-1', 'set_c')).verdict).toBe('accepted');
  const json = { agents: ['ap-1'], command: 'set_d' };
  const { body } = await weft.request('POST', '/api/v1/commands/batch', { token: app, json });
  expect(body.targets[0].reason).toBe('too_many_commands');
});
