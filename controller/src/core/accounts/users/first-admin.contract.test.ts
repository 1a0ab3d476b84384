// The first administrator: exactly one, whoever asks and wherever; and nobody signs up before.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { eachDatabase } from '../../../../../test/databases.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { readOrCreateSecret } from '../../base/secret-file.ts';
import { Keyring } from '../../base/secrets.ts';

const publicUsers = '/api/v1/users/public';
const signup = '/api/v1/users/signup';
const admin = { username: adminUsername, password, roles: ['admin'] };
const running: TestWeft[] = [];

async function start(settings: Record<string, string> = {}): Promise<TestWeft> {
  const weft = await startWeft(settings);
  running.push(weft);
  return weft;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((weft) => weft.stop()));
});

function setupCodeOf(weft: TestWeft): string {
  return new Keyring(weft.config.secret ?? readOrCreateSecret(weft.config.dataDir)).setupCode;
}

test('C2 the first administrator needs no token, every later one does', async () => {
  const weft = await start();
  const post = (json: unknown, token?: string) => weft.request('POST', publicUsers, { json, token });
  const standard = await post({ ...admin, roles: ['user'] });
  expect([standard.status, standard.body.detail[0].loc]).toEqual([422, ['body', 'roles']]);
  const first = await post(admin);
  expect([first.status, first.body]).toEqual([200, { username: adminUsername, roles: 'admin', scopes: [] }]);
  const second = await post({ ...admin, username: 'second@weft.test' });
  expect([second.status, second.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(second.body.detail).toContain('An administrator exists already');
  expect((await post({})).status).toBe(401);

  const token = await weft.login('user', adminUsername);
  const member = { username: 'member@weft.test', password, roles: ['user'] };
  expect((await post(member, token)).body).toEqual({ username: member.username, roles: 'user', scopes: [] });
  expect((await post(member, token)).status).toBe(409);
  expect((await post({}, token)).status).toBe(422);
  const memberToken = await weft.login('user', member.username);
  expect((await post({ ...member, username: 'third@weft.test' }, memberToken)).status).toBe(403);
  const { body: everybody } = await weft.request('GET', '/api/v1/users/', { token });
  expect(everybody.map(({ username }: { username: string }) => username)).toEqual([adminUsername, member.username]);
});

test('C2 agents do not register themselves on an empty system', async () => {
  const weft = await start();
  const json = { ap_id: 'ap-1', password, configuration: {} };
  expect((await weft.request('POST', '/api/v1/agents/public', { json })).status).toBe(401);
});

test('a bad token does not open the door that none would', async () => {
  const weft = await start();
  expect((await weft.request('POST', publicUsers, { token: 'x.y.z', json: admin })).status).toBe(401);
});

eachDatabase((kind) => {
  test('C2 of 50 that ask at the same time, exactly one becomes the first administrator', async () => {
    const namespace = await kind.createNamespace();
    const shared = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') };
    const nodes = kind.dialect === 'postgres' ? [await start(shared), await start(shared)] : [await start()];
    const requests = Array.from({ length: 50 }, (_, n) => ({ ...admin, username: `admin${n}@weft.test` }));
    const answers = await Promise.all(
      requests.map((json, n) => nodes[n % nodes.length]!.request('POST', publicUsers, { json })),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
    for (const node of nodes) {
      const token = await node.login('user', winners[0]!.body.username);
      expect((await node.request('GET', '/api/v1/users/', { token })).body).toEqual([winners[0]!.body]);
    }
    await Promise.all(running.splice(0).map((weft) => weft.stop()));
    await namespace.remove();
  });
});

describe('the set-up code', () => {
  test.each([
    ['a public address is set', { WEFT_PUBLIC_URL: 'https://weft.example.org' }, {}],
    ['proxies are trusted', { WEFT_TRUSTED_PROXIES: '10.0.0.0/8' }, {}],
    ['it listens beyond loopback', { WEFT_HOST: '0.0.0.0', WEFT_INSECURE_HTTP: 'allow' }, {}],
    ['the request was forwarded', {}, { 'x-forwarded-for': '127.0.0.1' }],
    ['the request was forwarded, in the standard words', {}, { forwarded: 'for=127.0.0.1' }],
  ])('is asked for when %s', async (_when, settings: Record<string, string>, headers: Record<string, string>) => {
    const weft = await start(settings);
    const code = setupCodeOf(weft);
    const post = (query: string) => weft.request('POST', publicUsers + query, { json: admin, headers });
    for (const query of ['', '?code=', '?code=AAAA-BBBB-CCCC', `?code=${code}X`]) {
      const { status, body } = await post(query);
      expect([status, body.code], query).toEqual([403, 'setup_code_required']);
    }
    expect((await post(`?code=${code.toLowerCase()}`)).status).toBe(200);
  });

  test('cannot be guessed: after ten wrong ones even the right one has to wait', async () => {
    const weft = await start({ WEFT_PUBLIC_URL: 'https://weft.example.org' });
    for (let n = 0; n < 10; n += 1) await weft.request('POST', `${publicUsers}?code=GUESS${n}`, { json: admin });
    const { status, headers } = await weft.request('POST', `${publicUsers}?code=${setupCodeOf(weft)}`, { json: admin });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('signing up', () => {
  const json = { username: 'new@weft.test', password };

  test('waits for the first administrator', async () => {
    const weft = await start();
    const early = await weft.request('POST', signup, { json });
    expect([early.status, early.body.code]).toEqual([403, 'no_administrator']);
    await weft.request('POST', publicUsers, { json: admin });
    const { status, body } = await weft.request('POST', signup, { json });
    expect([status, body]).toEqual([200, { username: json.username, roles: 'user', scopes: [] }]);
  });

  test('D10 can be closed', async () => {
    const weft = await start({ WEFT_SIGNUP: 'closed' });
    const token = await weft.admin();
    for (const given of [undefined, token]) {
      const { status, body } = await weft.request('POST', signup, { json, token: given });
      expect([status, body.code]).toEqual([403, 'signup_closed']);
    }
    expect((await weft.request('POST', '/api/v1/users/', { json: { ...json, roles: ['user'] }, token })).status).toBe(
      200,
    );
  });
});

test('the administrator of the settings is created at the first start and left alone at the next', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-first-admin-'));
  const settings = { WEFT_DATA_DIR: folder, WEFT_ADMIN_USERNAME: adminUsername, WEFT_ADMIN_PASSWORD: password };
  const first = await startWeft(settings);
  expect((await first.request('POST', publicUsers, { json: admin })).status).toBe(401);
  const token = await first.login('user', adminUsername);
  await first.stop();
  const second = await startWeft({ ...settings, WEFT_ADMIN_PASSWORD: 'another password' });
  expect((await second.request('GET', '/api/v1/users/me', { token })).body.username).toBe(adminUsername);
  await second.login('user', adminUsername);
  await second.stop();
  await rm(folder, { recursive: true });
});
