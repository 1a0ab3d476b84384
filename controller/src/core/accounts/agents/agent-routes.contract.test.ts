// The agent operations over HTTP: answers, refusals, what an agent may do to itself, and what it can never be.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachDatabaseOfServers } from '../../../../../test/databases.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { openSqlite } from '../../base/storage/sql-database.sqlite.ts';
import { AgentStore } from './agent-store.ts';

const agents = '/api/v1/agents/';
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const notFound = { detail: 'Agent not found', code: 'agent_not_found' };
let weft: TestWeft;
let admin: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
});
afterAll(() => weft.stop());

function create(ap_id: unknown, configuration: unknown = {}, secret: unknown = password) {
  return weft.request('POST', agents, { token: admin, json: { ap_id, password: secret, configuration } });
}

eachDatabaseOfServers((kind) => {
  test('an agent is created, seen, changed and removed', async () => {
    const namespace = await kind.createNamespace();
    const onPostgres = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') };
    const fresh = await startWeft(kind.dialect === 'postgres' ? onPostgres : {});
    const token = await fresh.admin();
    const ask = async (method: string, url: string, json?: unknown) => {
      const { status, body } = await fresh.request(method, url, { token, json });
      return [status, body];
    };
    const configuration = { geolocation: { latitude: 51.45, longitude: -2.58 }, tags: ['a', { b: null }], n: 0.1 };
    const path = `${agents}AP_1:x@y+z-0.9`;
    const agent = { id: uuid, ap_id: 'AP_1:x@y+z-0.9', configuration };
    const input = { ap_id: agent.ap_id, password, configuration };
    expect(await ask('POST', agents, input)).toEqual([200, agent]);
    expect(await ask('POST', agents, input)).toEqual([409, { detail: expect.any(String), code: 'agent_exists' }]);
    expect(await ask('POST', `${agents}public`, { ...input, ap_id: 'ap-2' })).toEqual([
      200,
      { ...agent, ap_id: 'ap-2' },
    ]);
    expect(await ask('GET', path)).toEqual([200, agent]);
    expect(await ask('PUT', path, { configuration: { site: 'x' } })).toEqual([
      200,
      { ...agent, configuration: { site: 'x' } },
    ]);
    expect(await ask('PUT', path, { password: null, configuration: null })).toEqual([
      200,
      { ...agent, configuration: { site: 'x' } },
    ]);
    expect(await ask('DELETE', path)).toEqual([200, { status: 'success', detail: expect.any(String) }]);
    for (const [method, json] of [['GET'], ['PUT', {}], ['PUT', { password }], ['DELETE']] as const)
      expect(await ask(method, path, json)).toEqual([404, notFound]);
    expect(await ask('GET', `${agents}ap_1:x@y+z-0.9`)).toEqual([404, notFound]);
    await fresh.stop();
    await namespace.remove();
  });
});

describe('what is refused', () => {
  test.each(['', ' ap', '-ap', 'a/b', 'a\n', 'a'.repeat(129), 7, null])('ap_id %j', async (ap_id) => {
    const { status, body } = await create(ap_id);
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([['body', 'ap_id']]);
  });

  test.each([
    ['a list', []],
    ['a text', '{}'],
    ['more than 64 KiB', { text: 'x'.repeat(64 * 1024) }],
  ])('a configuration that is %s', async (_what, configuration) => {
    const { status, body } = await create('ap-refused', configuration);
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['body', 'configuration']);
  });

  test('K2 a body with a good password and something missing, without repeating the password', async () => {
    const json = { ap_id: 'ap-refused', password: 'canary password' };
    for (const path of [agents, `${agents}public`]) {
      const { status, body } = await weft.request('POST', path, { token: admin, json });
      expect([status, body.detail]).toEqual([
        422,
        [{ loc: ['body', 'configuration'], msg: 'Field required', type: 'missing' }],
      ]);
    }
  });

  test('callers without the right to it', async () => {
    const json = { ap_id: 'ap-refused', password, configuration: {} };
    expect((await weft.request('POST', agents, { json })).status).toBe(401);
    const user = await weft.user('user@weft.test');
    expect((await weft.request('POST', agents, { token: user, json })).status).toBe(403);
    expect((await weft.request('POST', `${agents}public`, { token: user, json })).status).toBe(403);
    expect((await weft.request('GET', `${agents}ap-refused`, { token: user })).status).toBe(404);
  });
});

test('keys of a configuration that mean something to JavaScript are data like any other', async () => {
  const text = '{"ap_id":"ap-proto","password":"long enough","configuration":{"__proto__":{"x":1},"constructor":2}}';
  const headers = { 'content-type': 'application/json' };
  expect((await weft.request('POST', agents, { token: admin, body: text, headers })).status).toBe(200);
  const { body } = await weft.request('GET', `${agents}ap-proto`, { token: admin });
  expect(JSON.stringify(body.configuration)).toBe('{"__proto__":{"x":1},"constructor":2}');
});

test('configuration.emulated is written by nobody, whoever tries', async () => {
  const created = await create('ap-emulated', { emulated: true, site: 'x' });
  expect(created.body.configuration).toEqual({ site: 'x' });
  const json = { configuration: { emulated: 'me', site: 'y' } };
  for (const token of [admin, await weft.login('agent', 'ap-emulated')]) {
    const { body } = await weft.request('PUT', `${agents}ap-emulated`, { token, json });
    expect(body.configuration).toEqual({ site: 'y' });
  }
});

test('an agent is on board from its first successful login on', async () => {
  await create('ap-onboard');
  const database = openSqlite(`${weft.config.dataDir}/weft.db`);
  const onboard = async () => (await new AgentStore(database).get('ap-onboard'))?.onboard;
  expect(await onboard()).toBe(false);
  await expect(weft.login('agent', 'ap-onboard', 'wrong password')).rejects.toThrow('Incorrect');
  expect(await onboard()).toBe(false);
  await weft.login('agent', 'ap-onboard');
  expect(await onboard()).toBe(true);
  await database.close();
});

test('an agent sees and changes itself and nobody else; a new password ends its token', async () => {
  await Promise.all([create('ap-self'), create('ap-other')]);
  const token = await weft.login('agent', 'ap-self');
  const ask = (method: string, ap_id: string, json?: unknown) => weft.request(method, agents + ap_id, { token, json });
  expect((await ask('GET', 'ap-self')).body).toEqual({ id: uuid, ap_id: 'ap-self', configuration: {} });
  expect((await ask('PUT', 'ap-self', { configuration: { site: 'x' } })).body.configuration).toEqual({ site: 'x' });
  for (const [method, ap_id] of [
    ['GET', 'ap-other'],
    ['PUT', 'ap-other'],
    ['DELETE', 'ap-self'],
  ] as const)
    expect((await ask(method, ap_id, method === 'PUT' ? {} : undefined)).status).toBe(403);
  expect((await ask('PUT', 'ap-self', { password: 'another password' })).status).toBe(200);
  expect((await ask('GET', 'ap-self')).status).toBe(401);
  const renewed = await weft.login('agent', 'ap-self', 'another password');
  await weft.request('DELETE', `${agents}ap-self`, { token: admin });
  expect((await weft.request('GET', `${agents}ap-self`, { token: renewed })).status).toBe(401);
  await create('ap-self', {}, 'another password');
  expect((await weft.request('GET', `${agents}ap-self`, { token: renewed })).status).toBe(401);
});

test('an agent or app named like an administrator never acts as that administrator', async () => {
  const adminsOnly: [string, string, unknown?][] = [
    ['GET', '/api/v1/users/'],
    ['GET', '/api/v1/users/me'],
    ['GET', '/api/v1/users/NAME'],
    ['PUT', '/api/v1/users/NAME', { roles: ['admin'] }],
    ['DELETE', '/api/v1/users/NAME'],
    ['POST', '/api/v1/users/public', { username: 'x@weft.test', password, roles: ['admin'] }],
    ['POST', agents, { ap_id: 'x', password, configuration: {} }],
    ['GET', '/api/v1/third_party_apps/'],
    ['PUT', '/api/v1/third_party_apps/NAME', { permissions: {} }],
    ['POST', '/api/v1/enrolment_tokens', { ap_id_pattern: '*' }],
  ];
  const word = fc.stringMatching(/^[a-z0-9][a-z0-9_+-]{0,15}$/);
  const names = fc.tuple(word, word).map(([local, domain]) => `${local}@d${domain.replaceAll(/[^a-z0-9]/g, '')}.test`);
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      const post = (path: string, json: unknown) => weft.request('POST', path, { token: admin, json });
      expect((await post('/api/v1/users/', { username: name, password, roles: ['admin'] })).status).toBe(200);
      expect((await create(name)).status).toBe(200);
      const app = { app_name: name, api_key: password, permissions: {} };
      expect((await post('/api/v1/third_party_apps/', app)).status).toBe(200);
      const administrator = await weft.login('user', name);
      const impostors = [await weft.login('agent', name), await weft.login('third_party_app', name)];
      const me = () => weft.request('GET', '/api/v1/users/me', { token: administrator });
      for (const [method, path, json] of adminsOnly) {
        for (const token of impostors) {
          const { status } = await weft.request(method, path.replace('NAME', name), { token, json });
          expect([method, path, status]).toEqual([method, path, 403]);
        }
        expect((await me()).status).toBe(200);
      }
      await weft.request('DELETE', agents + name, { token: admin });
      await weft.request('DELETE', `/api/v1/third_party_apps/${name}`, { token: admin });
      expect((await me()).body).toEqual({ username: name, roles: 'admin', scopes: [] });
      await weft.request('DELETE', `/api/v1/users/${name}`, { token: admin });
    }),
    { numRuns: rounds(8) },
  );
});

test('D7 there are never more users, agents and apps than the settings allow', async () => {
  const small = await startWeft({ WEFT_MAX_USERS: '2', WEFT_MAX_AGENTS: '1', WEFT_MAX_APPS: '1' });
  const token = await small.admin();
  const kinds: [string, string, (n: number) => object][] = [
    ['/api/v1/users/', 'too_many_users', (n) => ({ username: `u${n}@weft.test`, password, roles: ['user'] })],
    ['/api/v1/users/signup', 'too_many_users', (n) => ({ username: `s${n}@weft.test`, password })],
    [agents, 'too_many_agents', (n) => ({ ap_id: `ap-${n}`, password, configuration: {} })],
    [
      '/api/v1/third_party_apps/',
      'too_many_apps',
      (n) => ({ app_name: `a${n}`, api_key: 'a longer key', permissions: {} }),
    ],
  ];
  for (const [path, code, bodyOf] of kinds) {
    if (!path.endsWith('signup'))
      expect((await small.request('POST', path, { token, json: bodyOf(0) })).status).toBe(200);
    const { status, body, headers } = await small.request('POST', path, { token, json: bodyOf(1) });
    expect([status, body.code]).toEqual([429, code]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  await small.request('DELETE', `${agents}ap-0`, { token });
  const json = { ap_id: 'ap-1', password, configuration: {} };
  expect((await small.request('POST', agents, { token, json })).status).toBe(200);
  await small.stop();
});

test('what is remembered of an agent is forgotten with its next change', async () => {
  await create('ap-fleeting', { commands: ['nod'] });
  const chart = () =>
    weft.request('GET', '/api/v1/metrics/agent_multi_metric_data?agent=ap-fleeting&metrics=x', { token: admin });
  const command = (name: string) =>
    weft.request('POST', `/api/v1/send_command?agent_id=ap-fleeting&command=${name}&dry_run=true`, { token: admin });
  for (let n = 0; n < 2; n++) {
    expect((await chart()).status).toBe(200);
    expect([(await command('nod')).status, (await command('bow')).status]).toEqual([200, 422]);
  }
  const json = { configuration: { commands: ['bow'] } };
  await weft.request('PUT', `${agents}ap-fleeting`, { token: admin, json });
  expect([(await command('nod')).status, (await command('bow')).status]).toEqual([422, 200]);
  await weft.request('DELETE', `${agents}ap-fleeting`, { token: admin });
  expect([(await chart()).status, (await command('bow')).status]).toEqual([404, 404]);
});
