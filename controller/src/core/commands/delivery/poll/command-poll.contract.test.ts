// The long poll on a real server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChannelServer, startChannelServer } from '../../../../../../test/channel-server.ts';
import { untilSo } from '../../../../../../test/pure/until-so.ts';

let server: ChannelServer;
beforeAll(async () => {
  server = await startChannelServer();
});
afterAll(() => server.stop());

const pathOf = (ap_id: string, wait?: number | string) =>
  `/api/v1/agents/${ap_id}/commands${wait === undefined ? '' : `?wait=${wait}`}`;

test('what waits is answered at once, oldest first, and counts as sent; the next question finds nothing', async () => {
  const agent = await server.agent('ap-1');
  const ids = ['sleep', 'wake'].map((name) => server.ledger.send(agent, name, { after: 1 }));
  const { status, body } = await server.request('GET', pathOf('ap-1', 30), agent.token);
  expect(status).toBe(200);
  expect(body).toEqual([
    expect.objectContaining({ command_id: ids[0], name: 'sleep', args: { after: 1 } }),
    expect.objectContaining({ command_id: ids[1], name: 'wake', args: { after: 1 } }),
  ]);
  expect((await server.request('GET', pathOf('ap-1'), agent.token)).body).toEqual([]);
  await untilSo(() => expect(server.ledger.of('ap-1').map(({ state }) => state)).toEqual(['sent', 'sent']));
});

test('a question is held until a command comes', async () => {
  const agent = await server.agent('ap-2');
  const asked = server.request('GET', pathOf('ap-2', 60), agent.token);
  await untilSo(() => expect(server.poll.isConnected('ap-2')).toBe(true));
  const command_id = server.ledger.send(agent, 'sleep');
  expect((await asked).body).toEqual([expect.objectContaining({ command_id })]);
  expect([server.poll.isConnected('ap-2'), server.poll.isReady({ ap_id: 'ap-2' })]).toEqual([false, true]);
});

test('or until the time is over', async () => {
  const { token } = await server.agent('ap-3');
  const { status, body } = await server.request('GET', pathOf('ap-3', 1), token);
  expect([status, body]).toEqual([200, []]);
});

test('who hangs up is not waited for, and takes no command along', async () => {
  const agent = await server.agent('ap-4');
  const leaving = new AbortController();
  const asked = server.request('GET', pathOf('ap-4', 60), agent.token, undefined, leaving.signal);
  await untilSo(() => expect(server.poll.isConnected('ap-4')).toBe(true));
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await untilSo(() => expect(server.poll.isConnected('ap-4')).toBe(false));
  const command_id = server.ledger.send(agent, 'sleep');
  expect((await server.request('GET', pathOf('ap-4'), agent.token)).body).toEqual([
    expect.objectContaining({ command_id }),
  ]);
});

test('few questions of one agent may wait at once', async () => {
  const { token } = await server.agent('ap-5');
  const held = Array.from({ length: 4 }, () => server.request('GET', pathOf('ap-5', 2), token));
  await untilSo(async () => {
    const { status, body } = await server.request('GET', pathOf('ap-5'), token);
    expect([status, body.code]).toEqual([429, 'too_many_polls']);
  });
  expect((await Promise.all(held)).every(({ status }) => status === 200)).toBe(true);
});

test('only the agent itself may ask, and only for 0 to 60 s', async () => {
  const { token } = await server.agent('ap-6');
  const other = await server.agent('ap-7');
  expect((await server.request('GET', pathOf('ap-6'), other.token)).status).toBe(403);
  expect((await server.request('GET', pathOf('ap-6'), await server.adminToken())).status).toBe(403);
  for (const wait of [-1, 61, 'long', '']) {
    expect((await server.request('GET', pathOf('ap-6', wait), token)).status).toBe(422);
  }
});

test('a command without an answer comes again', async () => {
  const agent = await server.agent('ap-8');
  server.ledger.send(agent, 'sleep');
  const first = (await server.request('GET', pathOf('ap-8'), agent.token)).body;
  expect(first.length).toBe(1);
  await untilSo(() => expect(server.ledger.of('ap-8')[0]!.state).toBe('sent'));
  server.ledger.of('ap-8')[0]!.sentAtMs = 0;
  const again = (await server.request('GET', pathOf('ap-8', 10), agent.token)).body;
  expect(again).toEqual(first);
});

test('when Weft stops everybody is answered', async () => {
  const short = await startChannelServer();
  const { token } = await short.agent('ap-1');
  const asked = short.request('GET', pathOf('ap-1', 60), token);
  await untilSo(() => expect(short.poll.isConnected('ap-1')).toBe(true));
  await short.stop();
  expect((await asked).body).toEqual([]);
});
