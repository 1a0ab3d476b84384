// Logging in: one answer for every failure, and limits that stop guessing without locking anybody out from elsewhere.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { generateAgentSecret } from '../../../../../sdk/src/core/agent-secret.ts';
import { type Answer, adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const running: TestWeft[] = [];
/** The proxy that this machine is, so that tests can come from any address. */
const behindProxy = { WEFT_TRUSTED_PROXIES: '127.0.0.1' };

async function start(settings: Record<string, string>): Promise<TestWeft> {
  const weft = await startWeft({ WEFT_ADMIN_USERNAME: adminUsername, WEFT_ADMIN_PASSWORD: password, ...settings });
  running.push(weft);
  return weft;
}

interface Attempt {
  username?: string;
  secret?: string;
  from?: string;
  kind?: string;
}

function tryLogin(weft: TestWeft, attempt: Attempt = {}): Promise<Answer> {
  const { username = adminUsername, secret = 'wrong password', from, kind = 'user' } = attempt;
  return weft.request('POST', `/api/v1/token/?login_type=${kind}`, {
    form: { username, password: secret },
    headers: from === undefined ? {} : { 'x-forwarded-for': from },
  });
}

async function statusesOf(attempts: Promise<Answer>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(attempts)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('a login', () => {
  let weft: TestWeft;
  beforeAll(async () => {
    weft = await startWeft();
    const token = await weft.admin();
    await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id: 'ap-1', password, configuration: {} } });
    const app = { app_name: 'app-1', api_key: password, permissions: {} };
    await weft.request('POST', '/api/v1/third_party_apps/', { token, json: app });
  });
  afterAll(() => weft.stop());

  test.each([
    ['user', adminUsername],
    ['agent', 'ap-1'],
    ['third_party_app', 'app-1'],
  ])('gives a token to a %s', async (kind, username) => {
    const { status, body, headers } = await tryLogin(weft, { kind, username, secret: password });
    expect(status).toBe(200);
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
    expect(headers.get('cache-control')).toContain('no-store');
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    expect(claims).toEqual({
      iss: 'weft',
      sub: username,
      scope: kind,
      ...(kind === 'user' && { roles: ['admin'] }),
      iat: expect.any(Number),
      exp: claims.iat + 3600,
      jti: expect.any(String),
      ver: expect.any(String),
    });
  });

  test('C11 every failure has the same answer', async () => {
    const failures: Attempt[] = [
      {},
      { username: 'nobody@weft.test' },
      { username: 'no address' },
      { username: 'ap-1', secret: password },
      { kind: 'agent', username: adminUsername, secret: password },
      { kind: 'agent', username: 'ap-1' },
      { kind: 'agent', username: 'AP-1', secret: password },
      { kind: 'third_party_app', username: 'app-1' },
      { kind: 'third_party_app', username: 'no-app' },
    ];
    for (const failure of failures) {
      const { status, body, headers } = await tryLogin(weft, failure);
      expect([status, body], JSON.stringify(failure)).toEqual([
        401,
        { detail: 'Incorrect username or password', code: 'invalid_credentials' },
      ]);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('only the machine that was replaced is told so, and it does not count as one that guesses', async () => {
    const token = await weft.admin();
    const [former, own] = [generateAgentSecret(), generateAgentSecret()];
    const json = { ap_id: 'ap-worn', password: former, configuration: {} };
    await weft.request('POST', '/api/v1/agents/', { token, json });
    const log = (secret: string, username = 'ap-worn') => tryLogin(weft, { kind: 'agent', username, secret });
    const replaced = { token, json: { password: 'of the new machine' } };
    await weft.request('PUT', '/api/v1/agents/ap-worn', replaced);
    for (let tries = 0; tries < 12; tries++) {
      const { status, body } = await log(former);
      expect([status, body.code]).toEqual([401, 'credentials_replaced']);
    }
    const { access_token } = (await log('of the new machine')).body;
    await weft.request('PUT', '/api/v1/agents/ap-worn', { token: access_token, json: { password: own } });
    // What the new machine had before is nothing to tell, nor is anything told of other names.
    const codes = await Promise.all(
      [log('of the new machine'), log(generateAgentSecret()), log(former, 'ap-1'), log(former)].map(
        async (answer) => (await answer).body.code,
      ),
    );
    expect(codes).toEqual([...Array(3).fill('invalid_credentials'), 'credentials_replaced']);
    expect((await log(own)).status).toBe(200);
  });

  test('takes the login type from the form as well, and refuses two that differ', async () => {
    const post = (query: string, form: Record<string, string>) =>
      weft.request('POST', `/api/v1/token/${query}`, { form: { username: 'ap-1', password, ...form } });
    expect((await post('', { login_type: 'agent' })).status).toBe(200);
    expect((await post('?login_type=agent', { login_type: 'agent' })).status).toBe(200);
    const differs = await post('?login_type=agent', { login_type: 'user' });
    expect([differs.status, differs.body.detail[0].loc]).toEqual([422, ['body', 'login_type']]);
    const unknown = await post('', { login_type: 'admin' });
    expect([unknown.status, unknown.body.detail[0].loc]).toEqual([422, ['query', 'login_type']]);
    const multipart = new FormData();
    for (const [name, value] of Object.entries({ username: 'ap-1', password, login_type: 'agent' })) {
      multipart.set(name, value);
    }
    expect((await weft.request('POST', '/api/v1/token/', { body: multipart })).status).toBe(200);
  });

  test('an unknown login type, or none, is told together with the missing fields', async () => {
    const missing = [
      { loc: ['body', 'username'], msg: 'Field required', type: 'missing' },
      { loc: ['body', 'password'], msg: 'Field required', type: 'missing' },
    ];
    const bad = await weft.request('POST', '/api/v1/token/?login_type=admin', { form: {} });
    expect(bad.status).toBe(422);
    expect(bad.body.detail).toEqual([...missing, expect.objectContaining({ loc: ['query', 'login_type'] })]);
    const none = await weft.request('POST', '/api/v1/token/', { json: { username: 'a', password: 'b' } });
    expect(none.body.detail).toHaveLength(3);
    const error = 'the body has the Content-Type application/json; send it as application/x-www-form-urlencoded';
    expect(none.body.detail[0]).toEqual({ ...missing[0], ctx: { error } });
  });
});

describe('too many failed logins', () => {
  /** For three of each account, behind a proxy: each test comes from addresses of its own. */
  let three: TestWeft;
  beforeAll(async () => {
    const admin = { WEFT_ADMIN_USERNAME: adminUsername, WEFT_ADMIN_PASSWORD: password };
    three = await startWeft({ ...admin, ...behindProxy, WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '3' });
  });
  afterAll(() => three.stop());
  afterEach(async () => {
    await Promise.all(running.splice(0).map((weft) => weft.stop()));
  });

  test('C12 to one account from one address are refused there, and nowhere else', async () => {
    for (let n = 0; n < 3; n += 1) expect((await tryLogin(three, { from: '192.0.2.1' })).status).toBe(401);
    const refused = await tryLogin(three, { from: '192.0.2.1', secret: password });
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_failed_logins']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await tryLogin(three, { from: '192.0.2.1', username: 'other@weft.test' })).status).toBe(401);
    expect((await tryLogin(three, { from: '192.0.2.2', secret: password })).status).toBe(200);
  });

  test('C12 do not keep an account out where it has lately logged in', async () => {
    const weft = three;
    await weft.agent('busy-1');
    const agent = { kind: 'agent', username: 'busy-1', from: '192.0.2.1' };
    expect((await tryLogin(weft, { ...agent, secret: password })).status).toBe(200);
    for (let n = 0; n < 3; n += 1) expect((await tryLogin(weft, agent)).status).toBe(401);
    expect((await tryLogin(weft, agent)).status).toBe(429);
    expect((await tryLogin(weft, { ...agent, secret: password })).status).toBe(200);
    const elsewhere = { ...agent, from: '192.0.2.2' };
    for (let n = 0; n < 3; n += 1) expect((await tryLogin(weft, elsewhere)).status).toBe(401);
    expect((await tryLogin(weft, { ...elsewhere, secret: password })).status).toBe(429);
  });

  test('C12 to one account from many addresses do not lock its owner out', async () => {
    const weft = await start({ ...behindProxy, WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '1' });
    await Promise.all(Array.from({ length: 20 }, (_, n) => tryLogin(weft, { from: `192.0.2.${n}` })));
    expect((await tryLogin(weft, { from: '198.51.100.1', secret: password })).status).toBe(200);
  });

  test('C12 sent all at once get no further than one after the other', async () => {
    const from = '203.0.113.1';
    const guesses = Array.from({ length: 20 }, () => tryLogin(three, { from }));
    // Not before: what is sent last may be read first.
    const refused = Promise.any(guesses.map(async (guess) => expect((await guess).status).toBe(429)));
    const right = refused.then(() => tryLogin(three, { from, secret: password }));
    expect(await statusesOf([...guesses, right])).toEqual({ 401: 3, 429: 18 });
  });

  test.each([
    ['letters', '203.0.113.2', (n: number) => (n % 2 ? adminUsername.toUpperCase() : adminUsername)],
    ['spaces', '203.0.113.3', (n: number) => ' '.repeat(n + 1) + adminUsername],
    ['form of accents', '203.0.113.4', (n: number) => 'é'.normalize(n % 2 ? 'NFC' : 'NFD')],
  ])('C12 are one account whatever its %s', async (_what, from, nameOf) => {
    for (let n = 0; n < 3; n += 1) await tryLogin(three, { from, username: nameOf(n) });
    for (let n = 0; n < 3; n += 1) expect((await tryLogin(three, { from, username: nameOf(n) })).status).toBe(429);
  });

  test('C12 to ever new accounts from one address are refused', async () => {
    const weft = await start({ ...behindProxy, WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '4' });
    for (let n = 0; n < 4; n += 1) await tryLogin(weft, { from: '192.0.2.1', username: `u${n}@weft.test` });
    expect((await tryLogin(weft, { from: '192.0.2.1', username: 'u9@weft.test' })).status).toBe(429);
    expect((await tryLogin(weft, { from: '192.0.2.2', username: 'u9@weft.test' })).status).toBe(401);
  });

  test('of others keep nobody out who knows its password: administrator, agent, Telegraf, behind the same address', async () => {
    const weft = await start({
      WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '10',
      WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '100',
    });
    await weft.agent('ap-1');
    const token = await weft.admin();
    for (const ap_id of ['ap-2', 'ap-3']) {
      await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id, password, configuration: {} } });
    }
    const failed = Array.from({ length: 100 }, (_, n) =>
      tryLogin(weft, { username: n % 2 ? `u${n}@weft.test` : `no-ap-${n}`, kind: n % 2 ? 'user' : 'agent' }),
    );
    expect(await statusesOf(failed)).toEqual({ 401: 100 });
    expect((await tryLogin(weft, { username: 'one-more@weft.test' })).status).toBe(429);
    expect((await tryLogin(weft, { secret: password })).status).toBe(200);
    expect((await tryLogin(weft, { kind: 'agent', username: 'ap-2', secret: password })).status).toBe(200);
    for (const [scheme, ap_id] of [
      ['Basic', 'ap-1'],
      ['Token', 'ap-3'],
    ] as const) {
      const credentials = `${ap_id}:${password}`;
      const authorization = `${scheme} ${scheme === 'Basic' ? Buffer.from(credentials).toString('base64') : credentials}`;
      const written = await weft.post('/api/v1/write', { authorization, 'content-type': 'text/plain' }, 'load value=1');
      expect(written.status, scheme).toBe(204);
    }
  });

  test('right logins count for nothing, and forgive the failures of their account', async () => {
    const weft = await start({
      WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '2',
      WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '3',
    });
    const right = () => tryLogin(weft, { secret: password });
    expect(await statusesOf([right(), right(), right(), right(), right(), right()])).toEqual({ 200: 6 });
    await tryLogin(weft);
    await right();
    await tryLogin(weft);
    expect((await right()).status).toBe(200);
  });

  test('C13 an X-Forwarded-For from somebody who is no trusted proxy changes nothing', async () => {
    const weft = await start({ WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '2' });
    for (let n = 0; n < 2; n += 1) await tryLogin(weft, { from: `192.0.2.${n}` });
    expect((await tryLogin(weft, { from: '192.0.2.9' })).status).toBe(429);
  });

  test('C13 behind a trusted proxy only what that proxy adds counts, not what the client wrote before', async () => {
    for (let n = 0; n < 3; n += 1) await tryLogin(three, { from: `198.51.100.${n}, 203.0.113.5` });
    expect((await tryLogin(three, { from: '198.51.100.9, 203.0.113.5' })).status).toBe(429);
  });
});

describe('per address', () => {
  let weft: TestWeft;
  beforeAll(async () => {
    const two = ['SIGNUPS', 'RECOVERIES', 'RESETS'].map((what) => [`WEFT_LIMIT_${what}_PER_ADDRESS`, '2']);
    weft = await start({ ...behindProxy, ...Object.fromEntries(two) });
  });
  afterAll(() => weft.stop());

  test.each([
    ['D10 sign-ups', 'signup', (n: number) => ({ username: `s${n}@weft.test`, password }), 200],
    ['recoveries', 'password-recovery', (n: number) => ({ username: `r${n}@weft.test` }), 200],
    ['resets', 'reset-password', (n: number) => ({ token: `t${n}`, new_password: password }), 400],
  ])('%s are limited', async (_what, path, bodyOf, status) => {
    const post = (n: number, from: string) =>
      weft.request('POST', `/api/v1/users/${path}`, { json: bodyOf(n), headers: { 'x-forwarded-for': from } });
    expect((await post(0, '192.0.2.1')).status).toBe(status);
    expect((await post(1, '192.0.2.1')).status).toBe(status);
    const refused = await post(2, '192.0.2.1');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(2, '192.0.2.2')).status).toBe(status);
  });
});
