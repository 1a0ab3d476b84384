// The text of a command as agents get it, over every transport, and commands from before texts were kept.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const texts = [
  'reboot now',
  ' Set  channel 36 ',
  'sleep',
  '{ "dbm": 17, "name": "set_tx_power" }',
  'say "ü" {x}',
  '42',
  'a=1;b=2',
  'Übertrage',
  '["a"]',
  '{not json',
];
const parsed = [
  ['reboot', { text: 'now' }],
  ['set', { text: 'channel 36' }],
  ['sleep', {}],
  ['set_tx_power', { dbm: 17 }],
  ['say', { text: '"ü" {x}' }],
  ['42', {}],
  ['a=1;b=2', {}],
  ['übertrage', {}],
  ['["a"]', {}],
  ['{not', { text: 'json' }],
];

let weft: TestWeft;
let admin: string;
const pushed: Record<string, unknown>[] = [];
const endpoint = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  pushed.push(JSON.parse(body));
  response.end('{"state":"succeeded"}');
});

beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  weft = await startWeft({ WEFT_PUSH_ALLOW: `127.0.0.1:${(endpoint.address() as AddressInfo).port}` });
  admin = await weft.admin();
});
afterAll(async () => {
  await weft.stop();
  await new Promise((resolve) => endpoint.close(resolve));
});

const send = (agent_id: string, command: string, more: Record<string, string> = {}, token = admin) =>
  weft.request('POST', `/api/v1/send_command?${new URLSearchParams({ agent_id, command, ...more })}`, { token });
const poll = async (ap_id: string, token: string) =>
  (await weft.request('GET', `/api/v1/agents/${ap_id}/commands?wait=5`, { token })).body;
const seen = (commands: Record<string, unknown>[]) => commands.map(({ command, name, args }) => [command, name, args]);
const expected = texts.map((text, index) => [text, ...parsed[index]!]);

async function sendAll(ap_id: string): Promise<void> {
  for (const text of texts) expect((await send(ap_id, text)).status).toBe(200);
}

test('by long poll', async () => {
  const agent = await weft.agent('polled');
  await sendAll('polled');
  expect(seen(await poll('polled', agent))).toEqual(expected);
});

test('over the channel', async () => {
  const token = await weft.agent('connected');
  await sendAll('connected');
  const socket = new WebSocket(`${weft.url.replace('http', 'ws')}/api/v1/agents/connected/channel`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const got: Record<string, unknown>[] = [];
  socket.on('message', (data) => got.push(JSON.parse(String(data))));
  await expect.poll(() => got.length).toBe(texts.length);
  expect(seen(got)).toEqual(expected);
  socket.close();
});

test('by push', async () => {
  const token = await weft.agent('pushed', { api_url: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}` });
  await weft.request('POST', '/api/v1/agents/pushed/push_secret', { token });
  await sendAll('pushed');
  await expect.poll(() => pushed.length).toBe(texts.length);
  expect(seen(pushed)).toEqual(expected);
});

test('in the message for the broker, and for the caller', async () => {
  await weft.agent('queued');
  const { job_number, command_id } = (await send('queued', 'Set channel 36')).body;
  const data = JSON.parse((await weft.parts.jobs.jobStore.get(job_number))!.data);
  const form = { command: 'Set channel 36', name: 'set', args: { text: 'channel 36' } };
  expect(data).toEqual({ agent_id: 'queued', command_id, ...form });
  expect((await weft.request('GET', `/api/v1/commands/${command_id}`, { token: admin })).body).toMatchObject(form);
});

test('a batch takes free text and objects', async () => {
  const agent = await weft.agent('many');
  for (const command of ['reboot now', { name: 'set_x', v: 1 }]) {
    const { status } = await weft.request('POST', '/api/v1/commands/batch', {
      token: admin,
      json: { agents: ['many'], command },
    });
    expect(status).toBe(200);
  }
  expect(seen(await poll('many', agent))).toEqual([
    ['reboot now', 'reboot', { text: 'now' }],
    ['{"name":"set_x","v":1}', 'set_x', { v: 1 }],
  ]);
});

test('several lines are for agents that say they take them', async () => {
  await weft.agent('strict');
  const agent = await weft.agent('multi', { multiline: true });
  const text = 'configure\nset channel 36';
  expect((await send('strict', text)).body.detail[0].msg).toContain('multiline');
  expect((await send('strict', ' ')).status).toBe(422);
  for (const bad of ['a\x1b[2J', 'a\0']) expect((await send('multi', bad)).status).toBe(422);
  expect((await send('multi', text)).status).toBe(200);
  expect(seen(await poll('multi', agent))).toEqual([[text, 'configure', { text: 'set channel 36' }]]);
});

test('a caller is not in conflict with itself, however soon', async () => {
  const agent = await weft.agent('hasty');
  const app = await weft.app('hasty-app');
  const sent: string[] = [];
  for (const text of [
    'reboot',
    'reboot',
    'identify',
    'identify',
    'set power 5',
    'set power 20',
    'turn_off',
    'turn_on',
  ]) {
    const { status, body } = await send('hasty', text, {}, app);
    expect([text, status]).toEqual([text, 200]);
    sent.push(body.command_id);
  }
  // What was not sent yet need not be; but actions and free text all are, in order.
  const expectedTexts = ['reboot', 'reboot', 'identify', 'identify', 'set power 5', 'set power 20', 'turn_on'];
  expect(seen(await poll('hasty', agent)).map(([text]) => text)).toEqual(expectedTexts);
  const { body } = await weft.request('GET', `/api/v1/commands/${sent[6]}`, { token: app });
  expect(body).toMatchObject({ state: 'superseded', detail: expect.stringContaining('later command') });
  await send('hasty', 'turn_off', {}, app);
  expect(seen(await poll('hasty', agent)).map(([text]) => text)).toEqual(['turn_off']);
  expect((await send('hasty', 'turn_on', {}, app)).status).toBe(200);
  const [, off] = (await weft.request('GET', '/api/v1/commands?agent=hasty&limit=2', { token: app })).body;
  expect([off.command, off.state]).not.toEqual(['turn_off', 'superseded']);
});

test('free text sets all but its last word', async () => {
  await weft.agent('worded');
  const [one, two] = [await weft.app('words-1'), await weft.app('words-2')];
  expect((await send('worded', 'set power 5', {}, one)).status).toBe(200);
  expect((await send('worded', 'set channel 36', {}, two)).status).toBe(200);
  const lost = await send('worded', 'set power 20', {}, two);
  expect([lost.status, lost.body.reason]).toEqual([409, 'held_by_other']);
  expect(lost.body.detail).toContain('set power of worded');
});

test('64 parameters that callers make up are held for an agent; more are sent and not held', async () => {
  const agent = await weft.agent('crowded');
  const app = await weft.app('inventive');
  // For longer than a busy machine takes to send them all.
  const hold = { hold_seconds: '3600' };
  for (let n = 0; n < 66; n += 1) expect((await send('crowded', `set p${n} 5`, hold, app)).status).toBe(200);
  const count = async (table: string) => {
    const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE ap_id = 'crowded'`;
    return (await weft.platform.database.query<{ n: number }>(sql))[0]!.n;
  };
  expect([await count('leases'), await count('parameter_states')]).toEqual([64, 64]);
  expect(await poll('crowded', agent)).toHaveLength(66);
  expect((await send('crowded', 'set p1 6', {}, await weft.app('other-1'))).status).toBe(409);
  expect((await send('crowded', 'set p65 6', {}, await weft.app('other-2'))).body.reason).not.toBe('held_by_other');
});

test('an agent that lists its commands decides what is allowed', async () => {
  const agent = await weft.agent('listed', {
    commands: [
      'reboot',
      'setChannel',
      { name: 'sleep', params: {} },
      { name: 'say', params: { text: { type: 'string' } } },
    ],
  });
  const status = async (text: string) => [text, (await send('listed', text)).status];
  expect(await status('reboot now')).toEqual(['reboot now', 200]);
  expect(await status('say hello there')).toEqual(['say hello there', 200]);
  expect(await status('setChannel 36')).toEqual(['setChannel 36', 200]);
  for (const text of ['sleep now', 'dance', 'setchannel 36']) expect(await status(text)).toEqual([text, 422]);
  const names = seen(await poll('listed', agent)).map(([, name]) => name);
  expect(names).toEqual(['reboot', 'say', 'setChannel']);
});

test('permissions are those of the command that is sent, in whatever letters', async () => {
  await weft.agent('guarded', { commands: ['Reset', 'reset', 'Wave'] });
  const app = await weft.app('narrow', { commands: ['reset', 'Wave'] });
  const status = async (text: string) => (await send('guarded', text, { dry_run: 'true' }, app)).status;
  expect(await status('reset now')).toBe(200);
  expect(await status('Wave')).toBe(200);
  expect(await status('Reset now')).toBe(403);
  expect(await status('RESET')).toBe(200);
  expect(await status('dance')).toBe(403);
});

test('what a merge has changed is sent as text too', async () => {
  const agent = await weft.agent('merged');
  const rules = (await weft.request('GET', '/api/v1/conflicts/rules', { token: admin })).body;
  const group = { name: 'mixed', parameters: ['x'], policy: 'merge', merge: 'mean', min_interval_ms: 0 };
  const json = { ...rules, groups: [...rules.groups, group] };
  expect((await weft.request('PUT', '/api/v1/conflicts/rules', { token: admin, json })).status).toBe(200);
  await send('merged', '{"name":"set_x","v":10}', {}, await weft.app('one'));
  const { body } = await send('merged', '{"name":"set_x","v":20}', {}, await weft.app('two'));
  expect(body).toMatchObject({ verdict: 'accepted_modified', sent_args: { v: 15 } });
  expect(seen(await poll('merged', agent)).at(-1)).toEqual(['{"v":15,"name":"set_x"}', 'set_x', { v: 15 }]);
});

test('a command from before texts were kept is delivered', async () => {
  const agent = await weft.agent('older');
  await send('older', '{"name":"set_tx_power","dbm":17}');
  await send('older', 'sleep');
  await weft.platform.database.query("UPDATE commands SET text = NULL WHERE ap_id = 'older'");
  expect(seen(await poll('older', agent))).toEqual([
    ['{"dbm":17,"name":"set_tx_power"}', 'set_tx_power', { dbm: 17 }],
    ['sleep', 'sleep', {}],
  ]);
});
