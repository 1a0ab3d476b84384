// A client that knows the specification and nothing else: it sends what the specification shows, with the fields of its
// tables and no others, and understands only what it says about answers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWeft, type TestWeft } from '../../test/weft.ts';

let weft: TestWeft;
let admin: string;
const adminUser = { username: 'admin@example.org', password: 'adminpassword', roles: ['admin'] };

beforeAll(async () => {
  weft = await startWeft();
  await ok('POST', '/api/v1/users/public', { json: adminUser });
  admin = await logIn('user', adminUser.username, adminUser.password);
});
afterAll(() => weft.stop());

/** The body of an answer with status 200. */
async function ok(method: string, path: string, input: Parameters<TestWeft['request']>[2] = {}) {
  const { status, text, body } = await weft.request(method, path, input);
  expect(status, `${method} ${path}: ${text}`).toBe(200);
  return body;
}

async function logIn(login_type: string, username: string, password: string, more = {}): Promise<string> {
  const form = { username, password, ...more };
  const token = await ok('POST', `/api/v1/token/?login_type=${login_type}`, { form });
  expect(token).toEqual({
    access_token: expect.any(String),
    token_type: expect.any(String),
    expires_in: expect.any(Number),
  });
  return token.access_token;
}

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

test('an app with the key `key1` logs in, gets `new_key`, logs in again and is deleted', async () => {
  const path = '/api/v1/third_party_apps/';
  const app = { app_name: 'app1', api_key: 'key1', permissions: { read: true } };
  const created = await ok('POST', path, { token: admin, json: app });
  expect(created).toMatchObject({ id: uuid, ...app });
  expect(created.warning).toContain('guessed');
  expect(await ok('GET', `${path}app1`, { token: admin })).toEqual({ id: created.id, ...app });
  const first = await logIn('third_party_app', 'app1', 'key1');
  await ok('GET', '/api/v1/metrics/agent_details', { token: first });

  const updated = await ok('PUT', `${path}app1`, { token: admin, json: { api_key: 'new_key' } });
  expect(updated).toMatchObject({ id: created.id, ...app, api_key: 'new_key', warning: expect.any(String) });
  const old = await weft.request('POST', '/api/v1/token/?login_type=third_party_app', {
    form: { username: 'app1', password: 'key1' },
  });
  expect(old.status).toBe(401);
  await ok('GET', `${path}app1`, { token: await logIn('third_party_app', 'app1', 'new_key') });

  await ok('DELETE', `${path}app1`, { token: admin });
  expect((await weft.request('GET', `${path}app1`, { token: admin })).status).toBe(404);
});

test('the minimum length of keys is a setting, which is in the interface document', async () => {
  const strict = await startWeft({ WEFT_APP_KEY_MIN_LENGTH: '20' });
  const token = await strict.admin();
  const json = { app_name: 'a', api_key: 'k'.repeat(19), permissions: {} };
  const post = (body: object) => strict.request('POST', '/api/v1/third_party_apps/', { token, json: body });
  expect((await post(json)).body.detail).toMatchObject([{ loc: ['body', 'api_key'], ctx: { min_length: 20 } }]);
  expect((await post({ ...json, api_key: 'k'.repeat(513) })).status).toBe(422);
  const { status, body } = await post({ ...json, api_key: 'k'.repeat(20) });
  expect([status, body.warning]).toEqual([200, undefined]);
  const schemas = (await strict.request('GET', '/openapi.json')).body.components.schemas;
  expect(schemas.ThirdPartyAppCreate.properties.api_key).toMatchObject({ minLength: 20, maxLength: 512 });
  await strict.stop();
});
