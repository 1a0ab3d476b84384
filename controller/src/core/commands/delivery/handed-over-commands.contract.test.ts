// Commands that the ledger hands over after their commit: sent without a look in the database, once, in order, and by one
// transport.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ChannelServer, startChannelServer } from '../../../../../test/channel-server.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { bearer, connect, type SocketClient } from '../../../../../test/socket-client.ts';

let server: ChannelServer;
beforeAll(async () => {
  server = await startChannelServer();
});
afterEach(() => {
  server.ledger.handsOver = true;
  server.ledger.onDueAsked = () => {};
});
afterAll(() => server.stop());

type Agent = Awaited<ReturnType<ChannelServer['agent']>>;

const idsOf = (client: SocketClient) => client.messages.map(({ command_id }) => command_id);
const poll = (agent: Agent, wait: number) =>
  server.request('GET', `/api/v1/agents/${agent.ap_id}/commands?wait=${wait}`, agent.token);

/** An open channel whose first look is over. */
async function openChannel(ap_id: string) {
  const agent = await server.agent(ap_id);
  const looks = server.ledger.dues;
  const client = await connect(server.url, `/api/v1/agents/${ap_id}/channel`, bearer(agent.token));
  await untilSo(() => expect(server.ledger.dues).toBe(looks + 1));
  const first = server.ledger.send(agent, 'sleep');
  await untilSo(() => expect(idsOf(client)).toEqual([first]));
  return { agent, client, first };
}

test('a channel that has looked once sends them without another look', async () => {
  const { agent, client, first } = await openChannel('ap-1');
  const looks = server.ledger.dues;
  const ids = ['sleep', 'wake', 'sleep'].map((name) => server.ledger.send(agent, name));
  await untilSo(() => expect(idsOf(client)).toEqual([first, ...ids]));
  expect(server.ledger.dues).toBe(looks);
  await untilSo(() => expect(server.ledger.of('ap-1').map(({ state }) => state)).toEqual(Array(4).fill('sent')));
});

test('during a look they come after what it finds, and each once', async () => {
  const { agent, client, first } = await openChannel('ap-2');
  const gate = Promise.withResolvers<void>();
  server.ledger.onDueAsked = () => gate.promise;
  server.ledger.handsOver = false;
  const ids = [server.ledger.send(agent, 'wake')];
  server.ledger.handsOver = true;
  ids.push(server.ledger.send(agent, 'sleep'));
  expect(idsOf(client)).toEqual([first]);
  gate.resolve();
  await untilSo(() => expect(idsOf(client)).toEqual([first, ...ids]));
});

test('what an agent does not read in time is found by a later look, in order, and each once', async () => {
  const { agent, client, first } = await openChannel('ap-3');
  const looks = server.ledger.dues;
  client.socket.pause();
  const text = 'x'.repeat(200_000);
  const ids = Array.from({ length: 60 }, () => server.ledger.send(agent, 'show', { text }));
  expect(server.ledger.dues).toBe(looks);
  client.socket.resume();
  await untilSo(() => expect(idsOf(client)).toEqual([first, ...ids]));
  expect(server.ledger.dues).toBeGreaterThan(looks);
});

test('a poll that waits gets them without another look; a second one goes on waiting', async () => {
  const agent = await server.agent('ap-4');
  const looks = server.ledger.dues;
  const polls = [poll(agent, 60), poll(agent, 60)];
  await untilSo(() => expect(server.ledger.dues).toBe(looks + 2));
  const first = server.ledger.send(agent, 'sleep');
  const [{ body }, other] = await Promise.race([
    polls[0]!.then((answer) => [answer, polls[1]!] as const),
    polls[1]!.then((answer) => [answer, polls[0]!] as const),
  ]);
  expect(body).toEqual([expect.objectContaining({ command_id: first })]);
  expect(server.poll.isConnected('ap-4')).toBe(true);
  expect(server.ledger.dues).toBe(looks + 2);
  const second = server.ledger.send(agent, 'wake');
  expect((await other).body).toEqual([expect.objectContaining({ command_id: second })]);
});

test('an agent with a channel and a poll gets them on the channel only', async () => {
  const { agent, client, first } = await openChannel('ap-5');
  const asked = poll(agent, 1);
  await untilSo(() => expect(server.poll.isConnected('ap-5')).toBe(true));
  const command_id = server.ledger.send(agent, 'wake');
  expect((await asked).body).toEqual([]);
  await untilSo(() => expect(idsOf(client)).toEqual([first, command_id]));
});
