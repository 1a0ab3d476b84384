// What is refused, or changes nothing, leaves no entry in the audit log.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const users = '/api/v1/users/';
const agents = '/api/v1/agents/';
const apps = '/api/v1/third_party_apps/';
const tokens = '/api/v1/enrolment_tokens';
const disabled = '/api/v1/disabled_users';

let weft: TestWeft;
let admin: string;
let agent: string;
let user: string;
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  agent = await weft.agent('ap-1', { a: { x: 1 }, b: 2 });
  user = await weft.user('ada@weft.test');
  await weft.user('off@weft.test');
  await weft.request('PUT', `${disabled}/off@weft.test`, { token: admin });
  await weft.app('app-1', { read: true });
});
afterAll(() => weft.stop());

async function newestSeq(): Promise<number> {
  const { body } = await weft.request('GET', '/api/v1/audit?limit=1', { token: admin });
  return body.entries[0].seq;
}

const newAgent = (ap_id: string) => ({ ap_id, password, configuration: {} });

it.each<[string, string, string, object | undefined, number]>([
  ['a username that is taken', 'POST', users, { username: adminUsername, password, roles: ['user'] }, 409],
  ['a username that is none', 'POST', users, { username: 'x', password, roles: ['user'] }, 422],
  ['the last administrator', 'DELETE', users + adminUsername, undefined, 409],
  ['a user that is not there', 'PUT', `${users}nobody@weft.test`, { roles: ['admin'] }, 404],
  ['the roles that it has', 'PUT', users + adminUsername, { roles: ['admin'] }, 200],
  ['nothing to change', 'PUT', users + adminUsername, {}, 200],
  ['disabling the last administrator, who is oneself', 'PUT', `${disabled}/${adminUsername}`, undefined, 409],
  ['disabling nobody', 'PUT', `${disabled}/nobody@weft.test`, undefined, 404],
  ['enabling nobody', 'DELETE', `${disabled}/nobody@weft.test`, undefined, 404],
  ['enabling who is enabled', 'DELETE', `${disabled}/ada@weft.test`, undefined, 200],
  ['disabling who is disabled', 'PUT', `${disabled}/off@weft.test`, undefined, 200],
  ['an unknown reset token', 'POST', `${users}reset-password`, { token: 'x', new_password: password }, 400],
  ['the wish for a reset token', 'POST', `${users}password-recovery`, { username: 'nobody@weft.test' }, 200],
  ['a name that is taken', 'POST', agents, newAgent('ap-1'), 409],
  ['the configuration that it has', 'PUT', `${agents}ap-1`, { configuration: { b: 2, a: { x: 1 } } }, 200],
  ['an agent that is not there', 'DELETE', `${agents}nobody`, undefined, 404],
  ['a token that is not there', 'DELETE', `${tokens}/${randomUUID()}`, undefined, 404],
  ['an app name that is taken', 'POST', apps, { app_name: 'app-1', api_key: 'a longer key', permissions: {} }, 409],
  ['the permissions that it has', 'PUT', `${apps}app-1`, { permissions: { read: true } }, 200],
  ['permissions that cannot be', 'PUT', `${apps}app-1`, { permissions: { read: 'x' } }, 422],
  ['an app that is not there', 'DELETE', `${apps}nobody`, undefined, 404],
])('%s', async (_, method, path, json, status) => {
  const before = await newestSeq();
  const answer = await weft.request(method, path, { token: admin, ...(json && { json }) });
  expect(answer.status).toBe(status);
  expect(await newestSeq()).toBe(before);
});

it('somebody without the right', async () => {
  const before = await newestSeq();
  const wish = { token: user, json: { roles: ['admin'] } };
  expect((await weft.request('PUT', `${users}ada@weft.test`, wish)).status).toBe(403);
  expect((await weft.request('DELETE', `${agents}ap-1`, { token: user })).status).toBe(403);
  expect(await newestSeq()).toBe(before);
});

it('an enrolment token with a name that is taken, or that it is not for', async () => {
  const { body } = await weft.request('POST', tokens, { token: admin, json: { ap_id_pattern: 'ap-*' } });
  const before = await newestSeq();
  const enrol = async (ap_id: string) =>
    (await weft.request('POST', `${agents}public`, { token: body.token, json: newAgent(ap_id) })).status;
  expect([await enrol('ap-1'), await enrol('roof-1')]).toEqual([409, 403]);
  expect(await newestSeq()).toBe(before);
});

it('telemetry, and a configuration that the agent has already', async () => {
  const before = await newestSeq();
  const post = async (json: object) =>
    (await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json })).status;
  expect(await post({ rssi: -60 })).toBe(200);
  expect(await post({ configuration: { b: 2 } })).toBe(200);
  expect(await post({ configuration: { b: 'x'.repeat(70_000) } })).toBe(422);
  expect(await newestSeq()).toBe(before);
});
