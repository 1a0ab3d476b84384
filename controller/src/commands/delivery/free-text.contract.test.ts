// The text of a command as agents get it, over every transport, and commands from before texts were kept.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

const texts = ['reboot now', ' Set  channel 36 ', 'sleep', '{ "dbm": 17, "name": "set_tx_power" }', 'say "ü" {x}'];
const parsed = [
  ['reboot', { text: 'now' }],
  ['set', { text: 'channel 36' }],
  ['sleep', {}],
  ['set_tx_power', { dbm: 17 }],
  ['say', { text: '"ü" {x}' }],
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
  await expect.poll(() => pushed.length, { timeout: 45_000 }).toBe(texts.length);
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

test('what looks like JSON and is no command stays refused', async () => {
  await weft.agent('strict');
  for (const text of ['{reboot}', '[reboot]', '{"name":"x"', '[1,2', '{"dbm":1}', ' {']) {
    expect([text, (await send('strict', text)).status]).toEqual([text, 422]);
  }
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
