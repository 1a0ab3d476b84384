// The operations on third-party apps over HTTP, and how far an app's permissions let it see.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { eachDatabaseOfServers } from '../../../../../test/databases.ts';
import { anyCharacter } from '../../../../../test/pure/any-text.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const apps = '/api/v1/third_party_apps/';
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const notFound = { detail: 'Third-party app not found', code: 'app_not_found' };
let weft: TestWeft;
let admin: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  for (const ap_id of ['north-1', 'north-22', 'south-1'])
    await weft.request('POST', '/api/v1/agents/', { token: admin, json: { ap_id, password, configuration: {} } });
});
afterEach(() => vi.useRealTimers());
afterAll(() => weft.stop());

let count = 0;
async function appWith(permissions: unknown) {
  const app_name = `app-${++count}`;
  const json = { app_name, api_key: 'short of it', permissions };
  const { status } = await weft.request('POST', apps, { token: admin, json });
  expect(status).toBe(200);
  return { app_name, token: await weft.login('third_party_app', app_name, 'short of it') };
}

async function seenBy(token: string) {
  const ids = ['north-1', 'north-22', 'south-1', 'unknown'];
  const answers = await Promise.all(ids.map((ap_id) => weft.request('GET', `/api/v1/agents/${ap_id}`, { token })));
  return answers.map(({ status }) => status);
}

eachDatabaseOfServers((kind) => {
  test('an app is created, seen, listed, changed and removed', async () => {
    const namespace = await kind.createNamespace();
    const onPostgres = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') };
    const fresh = await startWeft(kind.dialect === 'postgres' ? onPostgres : {});
    const token = await fresh.admin();
    const ask = async (method: string, url: string, json?: unknown) => {
      const { status, body } = await fresh.request(method, url, { token, json });
      return [status, body];
    };
    const permissions = { agents: ['north-*'], expires_at: '2999-01-01 00:00', note: { 'any key': [1, null] } };
    const input = { app_name: 'app@x', api_key: 'a much longer kéy 🔑', permissions };
    const app = { id: uuid, ...input };
    const path = `${apps}app@x`;
    expect(await ask('POST', apps, input)).toEqual([200, app]);
    expect(await ask('POST', apps, input)).toEqual([409, { detail: expect.any(String), code: 'app_exists' }]);
    expect(await ask('GET', path)).toEqual([200, app]);
    expect(await ask('GET', apps)).toEqual([200, [{ id: uuid, app_name: 'app@x', permissions }]]);
    expect(await ask('PUT', path, { permissions: {} })).toEqual([200, { ...app, permissions: {} }]);
    expect(await ask('PUT', path, { api_key: 'another good key' })).toEqual([
      200,
      { ...app, api_key: 'another good key', permissions: {} },
    ]);
    expect(await ask('PUT', path, { api_key: null, permissions: null })).toEqual([
      200,
      { ...app, api_key: 'another good key', permissions: {} },
    ]);
    await fresh.login('third_party_app', 'app@x', 'another good key');
    expect(await ask('DELETE', path)).toEqual([200, { status: 'success', detail: expect.any(String) }]);
    for (const [method, json] of [['GET'], ['PUT', {}], ['DELETE']] as const)
      expect(await ask(method, path, json)).toEqual([404, notFound]);
    await fresh.stop();
    await namespace.remove();
  });
});

test('an app sees itself with its key, and no other app', async () => {
  const { app_name, token } = await appWith({ read: false });
  const { body } = await weft.request('GET', apps + app_name, { token });
  expect(body).toEqual({ id: uuid, app_name, api_key: 'short of it', permissions: { read: false } });
  const others: [string, string, unknown?][] = [
    ['GET', `${apps}app-other`],
    ['GET', apps],
    ['PUT', apps + app_name, {}],
    ['DELETE', apps + app_name],
    ['POST', apps, {}],
  ];
  for (const [method, path, json] of others)
    expect((await weft.request(method, path, { token, json })).status).toBe(403);
  expect((await weft.request('GET', apps + app_name)).status).toBe(401);
  const user = await weft.user('user@weft.test');
  expect((await weft.request('GET', apps + app_name, { token: user })).status).toBe(403);
});

test('a new key ends the tokens of the old one, new permissions hold for the token there is', async () => {
  const { app_name, token } = await appWith({});
  const put = (json: unknown) => weft.request('PUT', apps + app_name, { token: admin, json });
  expect(await seenBy(token)).toEqual([200, 200, 200, 404]);
  await put({ permissions: { agents: ['south-?'] } });
  expect(await seenBy(token)).toEqual([404, 404, 200, 404]);
  await put({ api_key: 'another one' });
  expect(await seenBy(token)).toEqual([401, 401, 401, 401]);
  await expect(weft.login('third_party_app', app_name, 'short of it')).rejects.toThrow('Incorrect');
});

describe('an agent is seen', () => {
  const none = [403, 403, 403, 403];
  const all = [200, 200, 200, 404];
  test.each([
    [{}, all],
    [{ read: true }, all],
    [{ agents: ['*'] }, all],
    [{ agents: ['north-*'] }, [200, 200, 404, 404]],
    [{ agents: ['north-?', 'south-1'] }, [200, 404, 200, 404]],
    [{ agents: ['NORTH-*', 'north-.*', 'n'] }, [404, 404, 404, 404]],
    [{ agents: [] }, [404, 404, 404, 404]],
    [{ read: false }, none],
    [{ commands: false, emulator: false, priority: 0 }, all],
    [{ expires_at: '2999-01-01T00:00:00Z' }, all],
    [{ expires_at: '2020-01-01T00:00:00Z' }, none],
    [{ expires_at: '2020-01-01' }, none],
    [{ expires_at: '2020-01-01_00:00:00+01:00' }, none],
    [{ expires_at: '1577836800' }, none],
    [{ expires_at: '32503680000' }, none],
    [{ expires_at: '19000000000' }, all],
  ])('with %j as %j', async (permissions, expected) => {
    const { token } = await appWith(permissions);
    expect(await seenBy(token)).toEqual(expected);
  });

  test('until the permissions end', async () => {
    const { token } = await appWith({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    expect(await seenBy(token)).toEqual(all);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    const { status, body } = await weft.request('GET', '/api/v1/agents/north-1', { token });
    expect([status, body.code]).toEqual([403, 'permissions_expired']);
  });
});

describe('permissions', () => {
  test.each([
    { agents: 'north-*' },
    { agents: [1] },
    { agents: [''] },
    { agents: null },
    { read: 'yes' },
    { write: 'no' },
    { write: 0 },
    { write: null },
    { Write: false },
    { commands: 'sleep' },
    { commands: { sleep: true } },
    { commands: { set_tx_power: { dbm: { max: '20' } } } },
    { commands: { set_tx_power: { dbm: { maximum: 20 } } } },
    { commands: { set_tx_power: { dbm: { min: 20, max: 5 } } } },
    { emulator: {} },
    { emulator: { max_access_points: -1 } },
    { emulator: { max_access_points: 1, more: 1 } },
    { priority: 101 },
    { priority: '50' },
    { expires_at: 'tomorrow' },
    { expires_at: true },
    { agent: ['x'] },
    { command: false },
    { emulators: false },
    { expires: '2020-01-01' },
    { Read: false },
  ])('%j are refused, when created and when changed', async (permissions) => {
    const json = { app_name: 'refused', api_key: 'canary key', permissions };
    const created = await weft.request('POST', apps, { token: admin, json });
    expect(created.status).toBe(422);
    expect(created.body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(0, 3))).toEqual([
      ['body', 'permissions', ...Object.keys(permissions)],
    ]);
    expect(JSON.stringify(created.body)).not.toContain('canary');
    const changed = await weft.request('PUT', `${apps}refused`, { token: admin, json });
    expect(changed.body).toEqual(created.body);
  });

  test.each([
    { read: true, write: false },
    { write: false, commands: true, emulator: true },
    { write: false, commands: ['sleep'], emulator: { max_access_points: 5 } },
  ])('%j let an app read, and neither command nor emulate', async (permissions) => {
    const { token } = await appWith(permissions);
    const status = async (method: string, path: string, json?: unknown) =>
      (await weft.request(method, path, { token, json })).status;
    expect(await status('GET', '/api/v1/metrics/agent_details')).toBe(200);
    expect(await status('POST', '/api/v1/send_command?agent_id=north-1&command=sleep')).toBe(403);
    expect(await status('POST', '/api/v1/commands/batch', { agents: ['north-1'], command: 'sleep' })).toBe(403);
    expect(await status('POST', '/api/v1/emulator/spinup', {})).toBe(403);
  });

  test('write: true restricts nothing', async () => {
    const { token } = await appWith({ write: true });
    const query = 'agent_id=north-1&command=sleep&dry_run=true';
    expect((await weft.request('POST', `/api/v1/send_command?${query}`, { token })).status).toBe(200);
  });

  test.each([
    { commands: ['sleep', 'wake'] },
    { commands: { set_tx_power: { dbm: { min: 5, max: 20 } } } },
    { emulator: { max_access_points: 0 } },
    { priority: 100, colour: 'red', agents: [] },
    { read: true, write: false },
    { write: true, commands: false },
  ])('%j are kept as they are', async (permissions) => {
    const { app_name } = await appWith(permissions);
    expect((await weft.request('GET', apps + app_name, { token: admin })).body.permissions).toEqual(permissions);
  });

  test('all problems are told at once', async () => {
    const json = { app_name: ' bad name', permissions: { read: 1, agent: [] } };
    const { body } = await weft.request('POST', apps, { token: admin, json });
    expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(1).join('.'))).toEqual([
      'app_name',
      'api_key',
      'permissions.read',
      'permissions.agent',
    ]);
  });
});

describe('names', () => {
  const create = (app_name: unknown) =>
    weft.request('POST', apps, { token: admin, json: { app_name, api_key: 'a longer key', permissions: {} } });

  /** It can be created, used to log in, read by itself, changed and removed under its name in the path. */
  async function lives(app_name: string): Promise<void> {
    const path = apps + encodeURIComponent(app_name);
    const created = await create(app_name);
    expect([app_name, created.status, created.body.app_name]).toEqual([app_name, 200, app_name]);
    const token = await weft.login('third_party_app', app_name, 'a longer key');
    expect((await weft.request('GET', path, { token })).body).toMatchObject({ app_name });
    expect((await weft.request('PUT', path, { token: admin, json: { permissions: { a: 1 } } })).status).toBe(200);
    expect((await weft.request('DELETE', path, { token: admin })).status).toBe(200);
    expect((await weft.request('GET', path, { token: admin })).status).toBe(404);
  }

  test.each([
    ...[
      'My App',
      'a',
      '...',
      '..a',
      'a/b',
      '\\',
      '%2e%2e%2f',
      '?x=1#y',
      'a*',
      '-a',
      '_',
      'Überwachung ü',
      '節電',
      '😀',
    ],
    ...['it\'s "quoted" & <b>', ';', 'x'.repeat(128), '😀'.repeat(128), 'public', 'me'],
  ])('%s is one', lives, 20_000);

  test.each([
    ...['', ' ', ' a', 'a ', '.', '..', 'x'.repeat(129), 'a\nb', 'a\tb', 'a\0', '\x7f', 'a\u00a0b', 'a\u200bb'],
    ...['a\u202eb', '\ufeffa', 'a\u2028b', '\ue000', 'e\u0301', '\u212b', 7, null, ['a']],
  ])('%j is none', async (name) => {
    const { status, body } = await create(name);
    expect([status, body.detail]).toMatchObject([422, [{ loc: ['body', 'app_name'] }]]);
  });

  test('are compared as they are given', async () => {
    for (const name of ['Case', 'case', 'Case ü']) expect((await create(name)).status).toBe(200);
    expect((await create('Case')).status).toBe(409);
    await expect(weft.login('third_party_app', 'CASE', 'k')).rejects.toThrow('Incorrect');
    await expect(weft.login('third_party_app', 'Case u\u0308', 'k')).rejects.toThrow('Incorrect');
  });

  test('any printable text lives, and whatever is taken is printable and in form C', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 })), async (name) => {
        const isName =
          /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name) &&
          name === name.normalize('NFC') &&
          name.trim() === name &&
          !['.', '..'].includes(name);
        if (isName) await lives(name);
        else expect((await create(name)).status).toBe(422);
      }),
      { numRuns: rounds(40) },
    );
  });
});
