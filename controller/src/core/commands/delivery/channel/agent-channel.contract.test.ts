// An agent's channel on a real server: telemetry as on every endpoint, commands down, words up, and what a client may not do.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChannelServer, startChannelServer } from '../../../../../../test/channel-server.ts';
import { untilSo } from '../../../../../../test/pure/until-so.ts';
import { bearer, connect, refusal, type SocketClient } from '../../../../../../test/socket-client.ts';

let server: ChannelServer;
beforeAll(async () => {
  server = await startChannelServer({ times: { sweepMs: 50 } });
});
afterAll(() => server.stop());

let agents = 0;
async function open(configuration = {}) {
  const agent = await server.agent(`ap-${++agents}`, configuration);
  const client = await connect(server.url, `/api/v1/agents/${agent.ap_id}/channel`, bearer(agent.token));
  return { agent, client };
}

function say(client: SocketClient, message: unknown): void {
  client.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
}

/** What came back to this. */
async function ask(client: SocketClient, message: unknown) {
  const before = client.texts.length;
  say(client, message);
  await untilSo(() => expect(client.texts.length).toBeGreaterThan(before));
  return client.messages[before];
}

describe('who may open it', () => {
  test('the agent itself, and nobody else', async () => {
    const { ap_id, token } = await server.agent('ap-mine');
    const other = await server.agent('ap-other');
    const path = `/api/v1/agents/${ap_id}/channel`;
    expect((await refusal(server.url, path)).status).toBe(401);
    expect((await refusal(server.url, path, bearer(other.token))).status).toBe(403);
    expect((await refusal(server.url, path, bearer(await server.adminToken()))).status).toBe(403);
    const client = await connect(server.url, path, bearer(token));
    expect(server.hub.isConnected(ap_id)).toBe(true);
    client.socket.close();
    await untilSo(() => expect(server.hub.isConnected(ap_id)).toBe(false));
  });

  test('without a WebSocket the answer is 426', async () => {
    const { ap_id, token } = await server.agent('ap-plain');
    expect((await server.request('GET', `/api/v1/agents/${ap_id}/channel`, token)).status).toBe(426);
  });

  test('J18 one agent that comes and goes is kept waiting', async () => {
    const strict = await startChannelServer({ connectsPerMinute: 3 });
    const { ap_id, token } = await strict.agent('ap-1');
    const path = `/api/v1/agents/${ap_id}/channel`;
    for (let n = 0; n < 3; n++) await connect(strict.url, path, bearer(token));
    const { status, headers, body } = await refusal(strict.url, path, bearer(token));
    expect([status, body.code]).toEqual([429, 'too_many_connects']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await strict.stop();
  });

  test('J18 of many channels of one agent one is left, the newest', async () => {
    const { ap_id, token } = await server.agent('ap-many');
    const path = `/api/v1/agents/${ap_id}/channel`;
    const clients: SocketClient[] = [];
    for (let n = 0; n < 40; n++) clients.push(await connect(server.url, path, bearer(token)));
    const ends = await Promise.all(clients.slice(0, -1).map(({ closed }) => closed));
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([4409]));
    expect(await ask(clients.at(-1)!, { type: 'telemetry', id: 1, load: 1 })).toMatchObject({ accepted: 1 });
  });
});

describe('telemetry', () => {
  const time = Date.now() - 60_000;
  const bodies: unknown[] = [
    { load: 0.5, clients: 3 },
    { payload: { load: 0.25, radio: { power: 17 }, mode: 'eco' }, ts: time },
    {
      samples: [
        { ts: time, load: 1 },
        { ts: time + 1000, load: 2, state: 'on' },
      ],
    },
    {
      samples: [
        { ts: time, load: 1 },
        { ts: time, load: 2, mode: 'eco' },
      ],
    },
    { ts: time, plmn: '00101', firmware: '1.20', serial: 2 ** 60 },
    { samples: [] },
    { load: 'a lot', id_number: 1 },
    { samples: [{ ts: 'yesterday', load: 1 }, 7, {}] },
    { payload: {} },
    { load: null },
    { load: 1, neighbours: ['a', 'b'], samples: 7 },
    { samples: [{ load: 1 }, { load: 'x', state: 5 }, {}, { state: 'on' }] },
    { payload: '{"load":1,"radio":{"power":17}}', from: 'x' },
    { ts: time, time: time + 1, load: 1 },
    { load: 1, wifi: { Password: 'hunter2' } },
    { configuration: { api_key: 'hunter2' } },
    { ap_id: 'somebody else', load: 1 },
    { payload: { ap_id: 'somebody else', load: 1 } },
    { samples: [{ load: 1 }, { ap_id: 'somebody else', load: 1 }] },
    { configuration: { site: 'roof' } },
    { configuration: 7, load: 1 },
    { ts: time, configuration: { floor: 3 }, load: 9 },
  ];

  test.each(bodies.map((body) => [JSON.stringify(body), body] as const))(
    'Z2 %s is judged as #21 judges it',
    async (_name, body) => {
      const { agent, client } = await open();
      const twin = await server.agent(`twin-${++agents}`);
      const posted = await server.request('POST', '/api/v1/agent_update/update', twin.token, body);
      for (const spelling of [
        { type: 'telemetry', id: 7, ...(body as object) },
        { ...(body as object), id: 7, type: 'telemetry' },
      ]) {
        const answer = await ask(client, spelling);
        if (posted.status === 200) {
          const { status: _status, detail: _detail, ...counts } = posted.body;
          expect(answer).toEqual({ type: 'telemetry_ack', id: 7, ...counts });
        } else {
          const { detail, code } = posted.body;
          expect(answer).toEqual({ type: 'error', id: 7, status: posted.status, detail, code });
        }
      }
      const timeless = (rows: Record<string, unknown>[]) =>
        rows.map(({ ts, ...row }) => (ts === time ? { ts, ...row } : row));
      const stored = timeless(await server.rowsOf(agent.ap_id));
      const expected = timeless(await server.rowsOf(twin.ap_id));
      expect(new Set(stored.map((row) => JSON.stringify(row)))).toEqual(
        new Set(expected.map((row) => JSON.stringify(row))),
      );
      expect(await server.configurationOf(agent.ap_id)).toEqual(await server.configurationOf(twin.ap_id));
    },
  );

  test('thousands on their way at once are all stored, each once, and each is answered', async () => {
    const { agent, client } = await open();
    const count = 5000;
    for (let n = 0; n < count; n++) say(client, `{"type":"telemetry","id":${n},"ts":${time + n},"load":${n / 10}}`);
    await untilSo(() => expect(client.texts.length).toBe(count));
    expect(new Set(client.messages.map(({ id, accepted }) => `${id}:${accepted}`)).size).toBe(count);
    const rows = await server.rowsOf(agent.ap_id);
    expect(rows).toEqual(Array.from({ length: count }, (_, n) => ({ ts: time + n, load: n / 10 })));
  });

  test('of equal keys the last one counts, also in the envelope', async () => {
    const { agent, client } = await open();
    expect(await ask(client, '{"type":"telemetry","id":1,"load":1,"id":2}')).toEqual({
      type: 'telemetry_ack',
      id: 2,
      accepted: 1,
    });
    expect(await ask(client, '{"type":"telemetry","id":1,"load":1,"type":"hello"}')).toEqual({ type: 'hello_ack' });
    expect((await server.rowsOf(agent.ap_id)).map(({ ts: _, ...row }) => row)).toEqual([{ load: 1 }]);
  });

  test('the fields of a body of #21 are not the envelope of a message, though both are remembered', async () => {
    const { agent, client } = await open();
    const post = (id: number) =>
      server.request('POST', '/api/v1/agent_update/update', agent.token, { ts: time + id, load: 1, id });
    for (const id of [1, 2]) expect((await post(id)).body.accepted).toBe(1);
    const message = (id: number) => `{"type":"telemetry","id":0,"ts":${time + id},"load":1,"id":${id}}`;
    for (const id of [3, 4]) {
      expect(await ask(client, message(id))).toEqual({ type: 'telemetry_ack', id, accepted: 1 });
    }
    expect((await post(5)).body.accepted).toBe(1);
    expect(await server.rowsOf(agent.ap_id)).toEqual([
      { ts: time + 1, load: 1, id: 1 },
      { ts: time + 2, load: 1, id: 2 },
      { ts: time + 3, load: 1 },
      { ts: time + 4, load: 1 },
      { ts: time + 5, load: 1, id: 5 },
    ]);
  });

  test('without an id the answer has none', async () => {
    const { client } = await open();
    expect(await ask(client, { type: 'telemetry', load: 1 })).toEqual({ type: 'telemetry_ack', accepted: 1 });
  });
});

describe('what makes no sense', () => {
  const nonsense: [string, string, object][] = [
    ['not JSON', '{"type":', { status: 422, code: 'validation_error' }],
    ['a comma too many', '{"type":"telemetry","id":5,}', { id: 5, status: 422, code: 'validation_error' }],
    ['a list', '[]', { status: 422, code: 'validation_error' }],
    ['nothing', '', { status: 422, code: 'validation_error' }],
    ['an unknown type', '{"type":"telemetric","id":3}', { id: 3, status: 422, code: 'validation_error' }],
    ['no type', '{"id":3}', { id: 3, status: 422 }],
    ['a strange id', '{"type":"telemetry","id":"x","load":1}', { status: 422 }],
    ['a fractional id', '{"type":"telemetry","id":1.5,"load":1}', { status: 422 }],
    ['a long id', '{"type":"telemetry","id":12345678901234567890,"load":1}', { status: 422 }],
    ['an id with a zero before it', '{"type":"telemetry","id":05,"load":1}', { status: 422 }],
    [
      'a state that is none',
      '{"type":"command_result","command_id":"c","state":"perhaps"}',
      { command_id: 'c', status: 422 },
    ],
    ['no state', '{"type":"command_result","command_id":"c"}', { command_id: 'c', status: 422 }],
    [
      'an unknown command',
      '{"type":"command_result","command_id":"c","state":"failed"}',
      { command_id: 'c', status: 404 },
    ],
    [
      'a result that cannot be stored',
      '{"type":"command_result","command_id":"c","state":"failed","result":"\\ud800"}',
      { command_id: 'c', status: 422 },
    ],
    ['commands that are no list', '{"type":"hello","commands":7}', { status: 422 }],
    ['something deep', `{"type":"telemetry","id":1,"x":${'['.repeat(40)}${']'.repeat(40)}}`, { id: 1, status: 422 }],
  ];

  test.each(nonsense)('%s is answered, and the channel lives on', async (_name, text, expected) => {
    const { agent, client } = await open();
    expect(await ask(client, text)).toMatchObject({ type: 'error', ...expected });
    expect(await ask(client, { type: 'telemetry', id: 9, load: 1 })).toEqual({
      type: 'telemetry_ack',
      id: 9,
      accepted: 1,
    });
    expect((await server.rowsOf(agent.ap_id)).length).toBe(1);
    expect(server.errors).toEqual([]);
  });

  test('a message of more than 1 MiB ends it with 1009, bytes with 1003', async () => {
    const large = (await open()).client;
    say(large, JSON.stringify({ type: 'telemetry', id: 1, note: 'x'.repeat(1024 * 1024) }));
    expect((await large.closed).code).toBe(1009);
    const binary = (await open()).client;
    binary.socket.send(Buffer.from('{}'), { binary: true });
    expect((await binary.closed).code).toBe(1003);
  });

  test('pings are counted', async () => {
    const { client } = await open();
    for (let n = 0; n < 200; n++) client.socket.ping();
    expect((await client.closed).code).toBe(1008);
  });
});

describe('commands', () => {
  test('come down with their arguments, and the word of the agent goes up', async () => {
    const { agent, client } = await open();
    const command_id = server.ledger.send(agent, 'set_tx_power', { dbm: 17 });
    await untilSo(() => expect(client.messages.length).toBe(1));
    const { issued_at, expires_at } = server.ledger.commands.get(command_id)!;
    expect(client.messages[0]).toEqual({
      type: 'command',
      command_id,
      command: '{"dbm":17,"name":"set_tx_power"}',
      name: 'set_tx_power',
      args: { dbm: 17 },
      issued_at: new Date(issued_at).toISOString(),
      expires_at: new Date(expires_at).toISOString(),
    });
    await untilSo(() => expect(server.ledger.commands.get(command_id)!.state).toBe('sent'));
    const word = { state: 'succeeded', result: { was: 20 }, applied: { dbm: 16 } };
    expect(await ask(client, { type: 'command_result', command_id, ...word })).toEqual({
      type: 'command_state',
      command_id,
      state: 'succeeded',
    });
    expect(server.ledger.commands.get(command_id)!.answers).toEqual([word]);
  });

  test('that waited come first to last; none twice on one channel', async () => {
    const agent = await server.agent('ap-waited');
    const ids = Array.from({ length: 2500 }, (_, n) => server.ledger.send(agent, 'step', { n }));
    const client = await connect(server.url, `/api/v1/agents/${agent.ap_id}/channel`, bearer(agent.token));
    for (let n = 0; n < 5; n++) server.ledger.tell(agent.ap_id);
    await untilSo(() => expect(client.texts.length).toBe(2500));
    expect(client.messages.map(({ command_id }) => command_id)).toEqual(ids);
    await untilSo(() => expect(server.ledger.of(agent.ap_id).every(({ state }) => state === 'sent')).toBe(true));
    expect(client.texts.length).toBe(2500);
  });

  test('that had no answer come again to whoever connects anew', async () => {
    const { agent, client } = await open();
    const first = server.ledger.send(agent, 'sleep');
    const second = server.ledger.send(agent, 'wake');
    await untilSo(() => expect(client.texts.length).toBe(2));
    await ask(client, { type: 'command_result', command_id: first, state: 'received' });
    client.socket.terminate();
    const again = await connect(server.url, `/api/v1/agents/${agent.ap_id}/channel`, bearer(agent.token));
    await untilSo(() => expect(again.messages.map(({ command_id }) => command_id)).toEqual([second]));
  });

  test('nobody answers for another agent', async () => {
    const { agent, client } = await open();
    const command_id = server.ledger.send(agent, 'sleep');
    const other = (await open()).client;
    expect(await ask(other, { type: 'command_result', command_id, state: 'succeeded' })).toMatchObject({ status: 404 });
    expect(server.ledger.commands.get(command_id)!.answers).toEqual([]);
    client.socket.close();
  });

  test('hello puts what the agent can do into its configuration', async () => {
    const { agent, client } = await open({ site: 'roof' });
    expect(await ask(client, { type: 'hello', commands: ['sleep', { name: 'set_tx_power' }] })).toEqual({
      type: 'hello_ack',
    });
    expect(await server.configurationOf(agent.ap_id)).toEqual({
      site: 'roof',
      commands: ['sleep', { name: 'set_tx_power' }],
    });
  });
});

describe('its end', () => {
  test('an agent that is deleted is sent away at once, and stores nothing more', async () => {
    const { agent, client } = await open();
    await server.agents.remove(agent.ap_id, server.admin);
    say(client, { type: 'telemetry', id: 1, load: 1 });
    expect((await client.closed).code).toBe(4401);
    expect(await server.rowsOf(agent.ap_id)).toEqual([]);
  });

  test('a new password ends the channel', async () => {
    const { agent, client } = await open();
    await server.agents.update(agent.ap_id, { password: 'another long password' }, server.admin);
    expect((await client.closed).code).toBe(4401);
  });

  test('when this node alone does not reach the database it is 1013', async () => {
    let isCutOff = false;
    const lost = await startChannelServer({ isCutOff: () => isCutOff, times: { sweepMs: 10 } });
    const { ap_id, token } = await lost.agent('ap-1');
    const open = () => connect(lost.url, `/api/v1/agents/${ap_id}/channel`, bearer(token));
    const client = await open();
    isCutOff = true;
    expect((await client.closed).code).toBe(1013);
    isCutOff = false;
    const again = await open();
    await lost.stop();
    expect((await again.closed).code).toBe(1012);
  });

  test('when Weft stops it is 1012', async () => {
    const short = await startChannelServer();
    const { ap_id, token } = await short.agent('ap-1');
    const client = await connect(short.url, `/api/v1/agents/${ap_id}/channel`, bearer(token));
    await short.stop();
    expect((await client.closed).code).toBe(1012);
  });
});
