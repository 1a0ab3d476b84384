// Commands over HTTP: sent, answered by the agent, listed, cancelled, expired; and what is refused.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
let app: string;
let agent: string;
let otherAgent: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  app = await weft.app('tuner');
  agent = await weft.agent('ap-1', { access_point_type: 'WiFi' });
  otherAgent = await weft.agent('ap-2', {
    commands: ['sleep', { name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 0, maximum: 20 } } }],
  });
});
afterAll(() => weft.stop());

const send = (token: string | undefined, query: Record<string, string>, path = '/api/v1/send_command') =>
  weft.request('POST', `${path}?${new URLSearchParams(query)}`, { token });
const read = async (command_id: string, token = admin) =>
  (await weft.request('GET', `/api/v1/commands/${command_id}`, { token })).body;
const answer = (command_id: string, json: unknown, token = agent, ap_id = 'ap-1') =>
  weft.request('POST', `/api/v1/agents/${ap_id}/commands/${command_id}`, { token, json });
const messagesOf = async (job_number: string) =>
  (await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: admin })).body.messages;
let parameters = 0;
/** A command to a parameter that no other test uses. */
const fresh = () => `set_thing_${++parameters}`;

test.each([
  ['turn_on', 'turn_off'],
  ['on', 'off'],
  ['power_on', 'power_off'],
  ['enable', 'disable'],
  ['wake', 'turn_off'],
])('%s and %s of two apps are in conflict', async (first, second) => {
  const ap_id = `switch-${first}`;
  await weft.agent(ap_id);
  expect((await send(app, { agent_id: ap_id, command: first })).status).toBe(200);
  const rival = await send(await weft.app(`rival-of-${first}`), { agent_id: ap_id, command: second });
  expect([rival.status, rival.body.rival]).toMatchObject([409, { caller_name: 'tuner', parameter: 'power_state' }]);
});

describe('#24', () => {
  test('what stands in a body instead of the query is named', async () => {
    const json = { agent_id: 'ap-1', command: 'sleep' };
    const { status, body } = await weft.request('POST', '/api/v1/send_command', { token: app, json });
    expect(status).toBe(422);
    const error = (name: string) => `${name} is a parameter of the query; the body is not read`;
    expect(body.detail).toMatchObject(
      ['agent_id', 'command'].map((name) => ({ loc: ['query', name], type: 'missing', ctx: { error: error(name) } })),
    );
  });

  test('a command is taken, stands as queued, and its job waits', async () => {
    const { status, body } = await send(app, { agent_id: 'ap-1', command: '{"name":"set_tx_power","dbm":17}' });
    expect([status, body]).toMatchObject([
      200,
      {
        status: 'queued',
        verdict: 'accepted',
        reason: 'free',
        rival: null,
        websocket: `/api/v1/ws/${body.job_number}`,
      },
    ]);
    expect(Date.parse(body.hold_until)).toBeGreaterThan(Date.now());
    expect(await read(body.command_id, app)).toMatchObject({
      ap_id: 'ap-1',
      name: 'set_tx_power',
      args: { dbm: 17 },
      parameter: 'tx_power',
      state: 'queued',
      parameter_group: 'wifi_coverage',
      caller_kind: 'third_party_app',
      caller_name: 'tuner',
      sent_at: null,
    });
    const job = (await weft.request('GET', `/api/v1/jobs/${body.job_number}`, { token: app })).body;
    expect(job).toMatchObject({ task_type: 'send_command', state: 'queued', messages: [] });
  });

  test.each([
    ['no agent', { command: 'sleep' }, 422],
    ['no command', { agent_id: 'ap-1' }, 422],
    ['an empty command', { agent_id: 'ap-1', command: '' }, 422],
    ['an unknown agent', { agent_id: 'ap-9', command: 'sleep' }, 404],
    ['a command that the agent does not list', { agent_id: 'ap-2', command: 'explode' }, 422],
    ['no argument where the agent declares one', { agent_id: 'ap-2', command: 'set_tx_power' }, 422],
    ['free text where the agent declares an argument', { agent_id: 'ap-2', command: 'set_tx_power 17' }, 422],
    ['an argument out of range', { agent_id: 'ap-2', command: '{"name":"set_tx_power","dbm":21}' }, 422],
    ['X6: a shell, to an agent that declares its commands', { agent_id: 'ap-2', command: '; touch /tmp/x' }, 422],
    ['X6: a substitution, to such an agent', { agent_id: 'ap-2', command: '$(id)' }, 422],
    ['X6: a line end', { agent_id: 'ap-1', command: 'sleep\nwake' }, 422],
    ['a guard that is none', { agent_id: 'ap-1', command: 'sleep', guard: 'rssi' }, 422],
    ['a hold that is too long', { agent_id: 'ap-1', command: 'sleep', hold_seconds: '3601' }, 422],
    ['an expiry of nothing', { agent_id: 'ap-1', command: 'sleep', expires_in: '0' }, 422],
  ])('%s is refused', async (_, query, expected) => {
    const before = (await weft.request('GET', '/api/v1/commands?limit=200', { token: admin })).body.length;
    expect((await send(admin, query as unknown as Record<string, string>)).status).toBe(expected);
    expect((await weft.request('GET', '/api/v1/commands?limit=200', { token: admin })).body.length).toBe(before);
  });

  test('X6: a shell as free text travels as data', async () => {
    const { body } = await send(admin, { agent_id: 'ap-1', command: '; touch /tmp/x $(id)' });
    expect(await read(body.command_id)).toMatchObject({ command: '; touch /tmp/x $(id)', name: ';' });
  });

  test('X6: a shell in an argument travels as data', async () => {
    const command = JSON.stringify({ name: fresh(), text: '; touch /tmp/x $(id)\n' });
    const { body } = await send(admin, { agent_id: 'ap-1', command });
    expect((await read(body.command_id)).args).toEqual({ text: '; touch /tmp/x $(id)\n' });
  });

  test('X8: more than 64 KiB never gets through, and the server goes on', async () => {
    const command = JSON.stringify({ name: 'set_x', text: 'x'.repeat(65_536) });
    const { status } = await send(admin, { agent_id: 'ap-1', command });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    const batch = await weft.request('POST', '/api/v1/commands/batch', {
      token: admin,
      json: { agents: ['ap-1'], command: { name: 'set_x', text: 'x'.repeat(65_536) } },
    });
    expect(batch.status).toBe(422);
  });

  test('Z4: what an app may not send is refused', async () => {
    const none = await weft.app('reader', { commands: false });
    const some = await weft.app('limited', {
      commands: { set_tx_power: { dbm: { max: 10 } } },
      agents: ['lab-*', 'ap-1'],
    });
    expect((await send(none, { agent_id: 'ap-1', command: 'sleep' })).status).toBe(403);
    expect((await send(some, { agent_id: 'ap-1', command: 'sleep' })).body.code).toBe('command_not_permitted');
    const tooMuch = await send(some, { agent_id: 'ap-1', command: '{"name":"set_tx_power","dbm":11}' });
    expect([tooMuch.status, tooMuch.body.code]).toEqual([403, 'command_not_permitted']);
    expect((await send(some, { agent_id: 'ap-2', command: '{"name":"set_tx_power","dbm":9}' })).status).toBe(404);
  });

  test('users command only what they have spun up, agents command nobody', async () => {
    const user = await weft.user('ann@weft.test');
    expect((await send(user, { agent_id: 'ap-1', command: 'sleep' })).status).toBe(403);
    expect((await send(user, { agent_id: 'ap-9', command: 'sleep' })).status).toBe(403);
    expect((await send(agent, { agent_id: 'ap-1', command: 'sleep' })).status).toBe(403);
    expect((await send(undefined, { agent_id: 'ap-1', command: 'sleep' })).status).toBe(401);
  });

  test('the same key is the same command, and belongs to one command only', async () => {
    const command = fresh();
    const query = { agent_id: 'ap-1', command, idempotency_key: 'k-1' };
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => send(app, query)));
    expect(first!.status).toBe(200);
    for (const other of others) expect(other.body).toEqual(first!.body);
    const another = await send(app, { ...query, command: fresh() });
    expect([another.status, another.body.code]).toEqual([409, 'idempotency_key_used']);
    // Of another caller it is another key.
    expect((await send(admin, { ...query, command: fresh() })).status).toBe(200);
  });

  test('a dry run answers the verdict and leaves nothing behind', async () => {
    const command = fresh();
    const { status, body } = await send(app, { agent_id: 'ap-1', command, dry_run: 'true' });
    expect([status, body]).toMatchObject([200, { dry_run: true, verdict: 'accepted', reason: 'free' }]);
    expect((await send(admin, { agent_id: 'ap-1', command })).body.reason).toBe('free');
    const rejected = await send(app, { agent_id: 'ap-1', command: `{"name":"${command}","v":2}`, dry_run: 'true' });
    expect([rejected.status, rejected.body.verdict]).toEqual([200, 'rejected']);
  });
});

describe('the agent’s word', () => {
  const sendFresh = async (query: Record<string, string> = {}) =>
    (await send(app, { agent_id: 'ap-1', command: fresh(), ...query })).body;

  test('received, then succeeded: states, times and messages', async () => {
    const { command_id, job_number } = await sendFresh();
    expect((await answer(command_id, { state: 'received' })).body).toMatchObject({ state: 'received', ended_at: null });
    const done = await answer(command_id, { state: 'succeeded', result: { took: 1.5 }, applied: { dbm: 12 } });
    expect(done.body).toMatchObject({ state: 'succeeded', result: { took: 1.5 }, applied: { dbm: 12 } });
    const messages = await messagesOf(job_number);
    expect(
      messages.map(({ type, final, data }: never) => [type, final, (data as [{ state: string }])[0].state]),
    ).toEqual([
      ['command', false, 'received'],
      ['command', true, 'succeeded'],
    ]);
    expect((await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: admin })).body.state).toBe('succeeded');
  });

  test('a result before any acknowledgement counts as both', async () => {
    const { command_id } = await sendFresh();
    await answer(command_id, { state: 'failed', result: 'no' });
    const command = await read(command_id);
    expect(command).toMatchObject({ state: 'failed', result: 'no' });
    expect(command.received_at).toBe(command.ended_at);
    expect(command.sent_at).not.toBeNull();
  });

  test('S4: a repeat, and a word after the end, change nothing', async () => {
    const { command_id, job_number } = await sendFresh();
    await answer(command_id, { state: 'succeeded', result: 1 });
    const before = await read(command_id);
    const messages = await messagesOf(job_number);
    for (const json of [{ state: 'received' }, { state: 'succeeded', result: 1 }, { state: 'failed', result: 2 }]) {
      expect((await answer(command_id, json)).body).toEqual(before);
    }
    expect(await messagesOf(job_number)).toEqual(messages);
  });

  test('Z3: nobody but the agent itself can give it', async () => {
    const { command_id } = await sendFresh();
    expect((await answer(command_id, { state: 'received' }, otherAgent)).status).toBe(403);
    expect((await answer(command_id, { state: 'received' }, otherAgent, 'ap-2')).status).toBe(404);
    expect((await answer(command_id, { state: 'received' }, admin)).status).toBe(403);
    expect((await answer(command_id, { state: 'received' }, app)).status).toBe(403);
    expect((await answer('nonsense', { state: 'received' })).status).toBe(404);
    expect((await read(command_id)).received_at).toBeNull();
  });

  test('what is no answer is refused', async () => {
    const { command_id } = await sendFresh();
    for (const json of [{}, { state: 'done' }, { state: 'succeeded', result: 'x'.repeat(70_000) }, []]) {
      expect((await answer(command_id, json)).status).toBe(422);
    }
    expect((await read(command_id)).state).toBe('queued');
  });
});

describe('a command that has been sent', () => {
  test('is seen by its owner and administrators, and by nobody else', async () => {
    const { command_id } = (await send(app, { agent_id: 'ap-1', command: fresh() })).body;
    const other = await weft.app('stranger');
    const asStranger = (path: string, method = 'GET') => weft.request(method, path, { token: other });
    expect((await asStranger(`/api/v1/commands/${command_id}`)).status).toBe(404);
    expect((await asStranger(`/api/v1/commands/${command_id}`, 'DELETE')).status).toBe(404);
    expect((await asStranger('/api/v1/commands')).body).toEqual([]);
    const own = (await weft.request('GET', '/api/v1/commands?agent=ap-1&state=queued', { token: app })).body;
    expect(own[0].command_id).toBe(command_id);
    const older = await weft.request('GET', `/api/v1/commands?before=${command_id}&limit=1`, { token: app });
    expect(older.body[0].command_id).toBe(own[1].command_id);
  });

  test('is cancelled before the agent has it, with its job and its lease', async () => {
    const command = fresh();
    const { command_id, job_number } = (await send(app, { agent_id: 'ap-1', command })).body;
    const cancelled = await weft.request('DELETE', `/api/v1/commands/${command_id}`, { token: app });
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect((await weft.request('DELETE', `/api/v1/commands/${command_id}`, { token: app })).body).toEqual(
      cancelled.body,
    );
    expect((await messagesOf(job_number)).map(({ type, final }: never) => [type, final])).toEqual([
      ['command', false],
      ['status', true],
    ]);
    const other = await weft.app('heir');
    const otherValue = JSON.stringify({ name: command, v: 2 });
    // The interval between two commands still counts, a lease does not.
    const { reason } = (await send(other, { agent_id: 'ap-1', command: otherValue, dry_run: 'true' })).body;
    expect(['too_soon', 'free']).toContain(reason);
  });

  test('is cancelled with its job, and not once the agent has it', async () => {
    const one = (await send(app, { agent_id: 'ap-1', command: fresh() })).body;
    expect((await weft.request('DELETE', `/api/v1/jobs/${one.job_number}`, { token: app })).body.state).toBe(
      'cancelled',
    );
    expect((await read(one.command_id)).state).toBe('cancelled');
    const two = (await send(app, { agent_id: 'ap-1', command: fresh() })).body;
    await answer(two.command_id, { state: 'received' });
    const late = await weft.request('DELETE', `/api/v1/commands/${two.command_id}`, { token: app });
    expect([late.status, late.body.code]).toEqual([409, 'command_received']);
    expect((await weft.request('DELETE', `/api/v1/jobs/${two.job_number}`, { token: app })).status).toBe(409);
  });

  test('expires while the agent is away, and its caller is told', async () => {
    const { command_id, job_number } = (await send(app, { agent_id: 'ap-1', command: fresh(), expires_in: '1' })).body;
    await expect.poll(() => read(command_id).then(({ state }) => state)).toBe('expired');
    expect((await messagesOf(job_number)).at(-1)).toMatchObject({ type: 'status', final: true });
    expect((await answer(command_id, { state: 'succeeded' })).body.state).toBe('expired');
  });

  test('Z10: fails when the agent is removed, and a new agent of that name does not get it', async () => {
    await weft.agent('ap-gone');
    const { command_id, job_number } = (await send(app, { agent_id: 'ap-gone', command: 'sleep' })).body;
    await weft.request('DELETE', '/api/v1/agents/ap-gone', { token: admin });
    expect(await read(command_id)).toMatchObject({ state: 'failed', detail: 'Agent ap-gone has been removed' });
    expect((await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: admin })).body.state).toBe('failed');
    const again = await weft.agent('ap-gone');
    expect((await answer(command_id, { state: 'succeeded' }, again, 'ap-gone')).status).toBe(404);
    expect((await send(admin, { agent_id: 'ap-gone', command: 'sleep', dry_run: 'true' })).body.reason).toBe('free');
  });
});
