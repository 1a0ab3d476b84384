// The ways to an agent on the whole server: which of them presence shows, and a command's life over each.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Agent } from '../../../../../sdk/src/index.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { bearer, connect } from '../../../../../test/socket-client.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
beforeAll(async () => {
  weft = await startWeft({ WEFT_PUSH_ALLOW: 'ap.example.org:443' });
  admin = await weft.admin();
});
afterAll(() => weft.stop());

async function presenceOf(ap_id: string) {
  const { body } = await weft.request('GET', `/api/v1/metrics/presence?agents=${ap_id}`, { token: admin });
  const [{ presence, channel, command_ready }] = body.agents;
  return { presence, channel, command_ready };
}

async function send(ap_id: string, command: string) {
  const path = `/api/v1/send_command?agent_id=${ap_id}&command=${encodeURIComponent(command)}`;
  const { status, body } = await weft.request('POST', path, { token: admin });
  expect(status).toBe(200);
  return body as { command_id: string; websocket: string };
}

async function commandOf(command_id: string) {
  return (await weft.request('GET', `/api/v1/commands/${command_id}`, { token: admin })).body;
}

test('a channel is a link without a report, and is ready for commands', async () => {
  await weft.agent('ap-channel');
  expect(await presenceOf('ap-channel')).toEqual({ presence: 'offline', channel: false, command_ready: false });
  const agent = new Agent({ url: weft.url, ap_id: 'ap-channel', password });
  agent.command('set_tx_power', () => ({ applied: { dbm: 17 } }));
  await agent.start();
  const { body } = await weft.request('GET', '/api/v1/metrics/presence?agents=ap-channel', { token: admin });
  expect(body.agents[0]).toMatchObject({ channel: true, command_ready: true });
  const { command_id, websocket } = await send('ap-channel', '{"name":"set_tx_power","dbm":20}');
  const socket = await connect(weft.url, websocket, bearer(admin));
  await untilSo(async () =>
    expect(await commandOf(command_id)).toMatchObject({ state: 'succeeded', applied: { dbm: 17 } }),
  );
  await socket.closed;
  expect(socket.messages.at(-1)).toMatchObject({ type: 'command', final: true });
  await agent.stop();
  await untilSo(async () =>
    expect(await presenceOf('ap-channel')).toMatchObject({ channel: false, command_ready: false }),
  );
});

test('who polls is ready for a minute', async () => {
  const token = await weft.agent('ap-poll');
  const { command_id } = await send('ap-poll', 'sleep');
  const { body } = await weft.request('GET', '/api/v1/agents/ap-poll/commands?wait=30', { token });
  expect(body).toMatchObject([{ command_id, command: 'sleep', name: 'sleep' }]);
  expect(await presenceOf('ap-poll')).toEqual({ presence: 'offline', channel: false, command_ready: true });
  await untilSo(async () => expect((await commandOf(command_id)).state).toBe('sent'));
  const path = `/api/v1/agents/ap-poll/commands/${command_id}`;
  await weft.request('POST', path, { token, json: { state: 'failed', result: 'no' } });
  expect(await commandOf(command_id)).toMatchObject({ state: 'failed', result: 'no' });
});

test('who can be pushed to is ready; a destination that is not allowed is not, and fails the command with the reason', async () => {
  const urls = {
    'ap-push': 'https://ap.example.org/x',
    'ap-local': 'http://127.0.0.1:8000',
    'ap-name': 'https://b.example.org',
  };
  for (const [ap_id, api_url] of Object.entries(urls)) {
    const token = await weft.agent(ap_id, { api_url });
    expect(await presenceOf(ap_id)).toMatchObject({ command_ready: false });
    expect((await weft.request('POST', `/api/v1/agents/${ap_id}/push_secret`, { token })).status).toBe(200);
  }
  expect(await presenceOf('ap-push')).toMatchObject({ channel: false, command_ready: true });
  for (const ap_id of ['ap-local', 'ap-name']) {
    expect(await presenceOf(ap_id)).toMatchObject({ channel: false, command_ready: false });
    const { command_id } = await send(ap_id, 'sleep');
    await untilSo(async () => {
      const { state, detail } = await commandOf(command_id);
      expect([state, detail]).toEqual(['failed', expect.stringContaining('not on the list of allowed destinations')]);
    });
  }
});

test('the minting of a secret stands in the audit log, the secret does not', async () => {
  const token = await weft.agent('ap-audit');
  const { secret } = (await weft.request('POST', '/api/v1/agents/ap-audit/push_secret', { token })).body;
  const { body } = await weft.request('GET', '/api/v1/audit?limit=10', { token: admin });
  const entries = body.entries.filter(({ action }: { action: string }) => action === 'push_secret_created');
  expect(entries[0]).toMatchObject({ target: { kind: 'agent', name: 'ap-audit' } });
  expect(JSON.stringify(body)).not.toContain(secret);
});

test('an agent that is deleted leaves no secret to the next of its name', async () => {
  const token = await weft.agent('ap-gone', { api_url: 'https://ap.example.org/x' });
  await weft.request('POST', '/api/v1/agents/ap-gone/push_secret', { token });
  expect(await presenceOf('ap-gone')).toMatchObject({ command_ready: true });
  await weft.request('DELETE', '/api/v1/agents/ap-gone', { token: admin });
  await weft.agent('ap-gone', { api_url: 'https://ap.example.org/x' });
  expect(await presenceOf('ap-gone')).toMatchObject({ command_ready: false });
});
