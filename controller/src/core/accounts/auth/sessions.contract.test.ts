// Tokens that are ended and renewed, the sessions of a user, and the change of a password.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { eachDatabase } from '../../../../../test/databases.ts';
import { type Answer, adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { generateSecret } from '../../base/secrets.ts';

const ada = 'ada@weft.test';
const me = '/api/v1/users/me';
const next = 'another good password';

let weft: TestWeft;
let admin: string;
beforeAll(async () => {
  weft = await startWeft({ WEFT_MAX_SESSIONS: '5' });
  admin = await weft.admin();
});
afterAll(() => weft.stop());

const ask = (method: string, path: string, token: string, json?: unknown): Promise<Answer> =>
  weft.request(method, path, { token, ...(json !== undefined && { json }) });
const statusOf = async (token: string, path = me) => (await ask('GET', path, token)).status;

async function logInAs(username: string, client = 'a test', secret = password): Promise<string> {
  const answer = await weft.request('POST', '/api/v1/token/?login_type=user', {
    form: { username, password: secret },
    headers: { 'user-agent': client },
  });
  expect(answer.status).toBe(200);
  return answer.body.access_token;
}

let count = 0;
async function newUser(): Promise<{ username: string; token: string }> {
  count += 1;
  const username = `user-${count}@weft.test`;
  await weft.user(username);
  const { body } = await ask('GET', `/api/v1/users/${username}/sessions`, admin);
  for (const { id } of body) await ask('DELETE', `/api/v1/users/${username}/sessions/${id}`, admin);
  return { username, token: await logInAs(username) };
}

describe('DELETE /api/v1/token/', () => {
  it('ends the token of every kind of caller at once, and no other of the same caller', async () => {
    const agent = await weft.agent('ap-1');
    const app = await weft.app('app-1');
    const user = await weft.user(ada);
    const tokens = {
      user: [user, me],
      agent: [agent, '/api/v1/agents/ap-1'],
      third_party_app: [app, '/api/v1/third_party_apps/app-1'],
    } as const;
    for (const [kind, [token, path]] of Object.entries(tokens)) {
      const other = await weft.login(kind as 'user', { user: ada, agent: 'ap-1', third_party_app: 'app-1' }[kind]!);
      expect(await statusOf(token, path)).toBe(200);
      expect((await ask('DELETE', '/api/v1/token/', token)).body).toEqual({
        status: 'success',
        detail: expect.any(String),
      });
      const refused = await ask('GET', path, token);
      expect([refused.status, refused.body.code]).toEqual([401, 'invalid_token']);
      expect((await ask('DELETE', '/api/v1/token/', token)).status).toBe(401);
      expect(await statusOf(other, path)).toBe(200);
    }
  });

  it('ends reports on the fast lane', async () => {
    const agent = await weft.agent('ap-2');
    const report = () => ask('POST', '/api/v1/agent_update/update', agent, { rssi: -60 });
    for (let n = 0; n < 3; n += 1) expect((await report()).status).toBe(200);
    await ask('DELETE', '/api/v1/token/', agent);
    expect((await report()).status).toBe(401);
  });

  it('closes the sockets and streams that were opened with it', async () => {
    const { token } = await newUser();
    const { body } = await ask('POST', '/api/v1/agent_details/request_all_agents_details', token);
    const socket = new WebSocket(`${weft.url.replace('http', 'ws')}${body.websocket}?token=${token}`);
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.on('open', resolve));
    const stream = await fetch(`${weft.url}/api/v1/metrics/stream`, { headers: { authorization: `Bearer ${token}` } });
    expect(stream.status).toBe(200);
    await ask('DELETE', '/api/v1/token/', token);
    expect([1000, 4401]).toContain(await closed);
    // It ends by itself; were it left open, this would wait for ever.
    expect(await stream.text()).not.toContain('never');
  });
});

describe('sessions', () => {
  it('are listed with their times, address and client; users see their own, administrators all', async () => {
    const { username, token } = await newUser();
    const other = await logInAs(username, 'Firefox on the wall');
    const expected = {
      id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      renewed_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      ends_at: expect.stringMatching(/Z$/),
      address: '127.0.0.1',
    };
    const { body } = await ask('GET', `${me}/sessions`, token);
    expect(body).toHaveLength(2);
    expect(body).toEqual(
      expect.arrayContaining([
        { ...expected, client: 'Firefox on the wall', is_current: false },
        { ...expected, client: 'a test', is_current: true },
      ]),
    );
    expect(Date.parse(body[0].ends_at) - Date.parse(body[0].created_at)).toBe(24 * 3_600_000);
    expect((await ask('GET', `/api/v1/users/${username}/sessions`, admin)).body).toHaveLength(2);
    expect((await ask('GET', `/api/v1/users/${adminUsername}/sessions`, other)).status).toBe(403);
    expect((await ask('GET', '/api/v1/users/nobody@weft.test/sessions', admin)).status).toBe(404);
  });

  it('are ended by their user and by administrators, and by nobody else', async () => {
    const { username, token } = await newUser();
    const other = await logInAs(username);
    const [session] = (await ask('GET', `${me}/sessions`, other)).body.filter(({ is_current }: never) => is_current);
    const stranger = (await newUser()).token;
    const path = `/api/v1/users/${username}/sessions/${session.id}`;
    expect((await ask('DELETE', path, stranger)).status).toBe(403);
    expect((await ask('DELETE', `${me}/sessions/${session.id}`, stranger)).status).toBe(404);
    expect(await statusOf(other)).toBe(200);
    expect((await ask('DELETE', `${me}/sessions/${session.id}`, token)).status).toBe(200);
    expect(await statusOf(other)).toBe(401);
    expect(await statusOf(token)).toBe(200);
    expect((await ask('DELETE', path, admin)).status).toBe(404);
    const [left] = (await ask('GET', `${me}/sessions`, token)).body;
    expect((await ask('DELETE', `/api/v1/users/${username}/sessions/${left.id}`, admin)).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  it('of one user are at most as many as the setting says: the one used longest ago ends', async () => {
    const { username, token } = await newUser();
    for (let n = 0; n < 4; n += 1) await logInAs(username);
    expect(await statusOf(token)).toBe(200);
    const last = await logInAs(username);
    expect(await statusOf(token)).toBe(401);
    expect((await ask('GET', `${me}/sessions`, last)).body).toHaveLength(5);
  });
});

describe('POST /api/v1/token/renew', () => {
  it('gives a new token of the same session, which ends with it', async () => {
    const { token } = await newUser();
    const renewed = await ask('POST', '/api/v1/token/renew', token);
    expect(renewed.body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
    const { access_token } = renewed.body;
    expect(access_token).not.toBe(token);
    expect((await ask('GET', `${me}/sessions`, access_token)).body).toHaveLength(1);
    await ask('DELETE', '/api/v1/token/', token);
    expect(await statusOf(access_token)).toBe(401);
  });

  it('is not for agents and apps, which can log in', async () => {
    expect((await ask('POST', '/api/v1/token/renew', await weft.agent('ap-3'))).status).toBe(403);
    expect((await ask('POST', '/api/v1/token/renew', await weft.app('app-3'))).status).toBe(403);
  });

  it('works until the session has lasted as long as the setting says, or 30 days if an administrator extended it', async () => {
    const { username, token } = await newUser();
    const wall = await logInAs(username, 'the wall');
    const [{ id }] = (await ask('GET', `${me}/sessions`, wall)).body.filter(({ is_current }: never) => is_current);
    expect((await ask('POST', `${me}/sessions/${id}/extend`, wall)).status).toBe(403);
    const extended = await ask('POST', `/api/v1/users/${username}/sessions/${id}/extend`, admin);
    expect(Date.parse(extended.body.ends_at) - Date.parse(extended.body.created_at)).toBe(30 * 86_400_000);
    let tokens = { short: token, long: wall };
    const startedAt = Date.now();
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (let minutes = 50; minutes < 24 * 60 - 10; minutes += 50) {
        vi.setSystemTime(startedAt + minutes * 60_000);
        const renew = async (bearer: string) =>
          (await ask('POST', '/api/v1/token/renew', bearer)).body.access_token as string;
        tokens = { short: await renew(tokens.short), long: await renew(tokens.long) };
      }
      const { exp } = JSON.parse(Buffer.from(tokens.short.split('.')[1]!, 'base64url').toString());
      expect(Math.abs(exp * 1000 - startedAt - 24 * 3_600_000)).toBeLessThan(60_000);
      vi.setSystemTime(exp * 1000 - 500);
      const over = await ask('POST', '/api/v1/token/renew', tokens.short);
      expect([over.status, over.body.code]).toEqual([401, 'session_over']);
      vi.setSystemTime(exp * 1000);
      expect(await statusOf(tokens.short)).toBe(401);
      expect((await ask('POST', '/api/v1/token/renew', tokens.long)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('POST /api/v1/users/me/password', () => {
  const change = (token: string, current_password: string, new_password = next) =>
    ask('POST', `${me}/password`, token, { current_password, new_password });

  it('changes the password of who knows it, answers a token of this session and ends the others', async () => {
    const { username, token } = await newUser();
    const other = await logInAs(username);
    const before = (await ask('GET', `${me}/sessions`, token)).body.find(({ is_current }: never) => is_current);
    const { status, body } = await change(token, password);
    expect([status, body.expires_in]).toEqual([200, 3600]);
    expect([await statusOf(token), await statusOf(other), await statusOf(body.access_token)]).toEqual([401, 401, 200]);
    const sessions = (await ask('GET', `${me}/sessions`, body.access_token)).body;
    expect(sessions).toMatchObject([{ id: before.id, ends_at: before.ends_at, is_current: true }]);
    expect((await ask('POST', '/api/v1/token/renew', body.access_token)).status).toBe(200);
    await logInAs(username, 'a test', next);
  });

  it('refuses a wrong one with 403, and then goes on with the token; a bad new one is 422', async () => {
    const { token } = await newUser();
    const refused = await change(token, 'not the password');
    expect([refused.status, refused.body.code]).toEqual([403, 'wrong_password']);
    expect((await change(token, password, 'short')).status).toBe(422);
    expect((await ask('POST', `${me}/password`, token, {})).body.detail).toHaveLength(2);
    expect(await statusOf(token)).toBe(200);
    expect((await change(await weft.agent('ap-4'), password)).status).toBe(403);
  });

  it('counts wrong ones as failed logins', async () => {
    const strict = await startWeft({ WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '2' });
    try {
      const token = await strict.user(ada);
      const guess = (current_password: string) =>
        strict.request('POST', `${me}/password`, { token, json: { current_password, new_password: next } });
      expect([(await guess('a')).status, (await guess('b')).status]).toEqual([403, 403]);
      expect((await guess(password)).status).toBe(429);
      expect((await strict.request('GET', me, { token })).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});

describe('`me`', () => {
  it('is the calling user wherever a username stands', async () => {
    const { username, token } = await newUser();
    expect((await ask('GET', me, token)).body.username).toBe(username);
    expect((await ask('PUT', me, token, { password: next })).body).toMatchObject({ username });
    const again = await logInAs(username, 'a test', next);
    expect((await ask('PUT', '/api/v1/disabled_users/me', admin)).body.code).toBe('own_account');
    expect((await ask('DELETE', me, again)).status).toBe(200);
    expect((await ask('GET', `/api/v1/users/${username}`, admin)).status).toBe(404);
    expect((await ask('PUT', me, await weft.agent('ap-5'), { password: next })).status).toBe(403);
  });
});

eachDatabase((kind) => {
  it('a token that was ended on one node, or before a restart, is refused on every other', async () => {
    const namespace = await kind.createNamespace();
    const shared =
      kind.dialect === 'postgres' ? { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: generateSecret() } : undefined;
    const nodes = [await startWeft(shared)];
    try {
      const token = await nodes[0]!.user(ada);
      const read = async (node: TestWeft) => (await node.request('GET', me, { token })).status;
      if (shared) {
        nodes.push(await startWeft(shared));
        expect(await read(nodes[1]!)).toBe(200);
      }
      expect((await nodes[0]!.request('DELETE', '/api/v1/token', { token })).status).toBe(200);
      for (const node of nodes) await expect.poll(() => read(node)).toBe(401);
      if (shared) {
        nodes.push(await startWeft(shared));
        expect(await read(nodes[2]!)).toBe(401);
      }
    } finally {
      for (const node of nodes) await node.stop();
      await namespace.remove();
    }
  });
});
