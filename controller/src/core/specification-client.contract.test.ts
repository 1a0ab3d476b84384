// A client that knows the specification and nothing else: it sends what the specification shows, with the fields of its
// tables and no others, and understands only what it says about answers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startWeft, type TestWeft } from '../../../test/weft.ts';

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

test('every operation and example of the specification, as it stands there', async () => {
  const token = admin;
  const user = { username: 'user@example.org', password: 'userpassword' };
  expect(await ok('POST', '/api/v1/users/signup', { json: user })).toEqual({
    username: user.username,
    roles: expect.any(String),
    scopes: [],
  });
  const form = { grant_type: 'password', scope: '', client_id: '', client_secret: '' };
  const userToken = await logIn('user', user.username, user.password, form);
  expect(await ok('GET', '/api/v1/users/me', { token: userToken })).toMatchObject({ username: user.username });
  await ok('POST', '/api/v1/users/password-recovery', { json: { username: user.username } });
  const reset = { token: 'unknown', new_password: 'anotherpassword' };
  expect((await weft.request('POST', '/api/v1/users/reset-password', { json: reset })).status).toBe(400);
  const other = { username: 'other@example.org', password: 'otherpassword', roles: ['user'] };
  await ok('POST', '/api/v1/users/', { token, json: other });
  const made = { ...other, username: 'public@example.org' };
  await ok('POST', '/api/v1/users/public', { token, json: made });
  expect(await ok('GET', '/api/v1/users/', { token })).toHaveLength(4);
  await ok('GET', '/api/v1/users/other@example.org', { token });
  await ok('PUT', '/api/v1/users/other@example.org', { token, json: { password: null, roles: null } });
  await ok('PUT', '/api/v1/users/other@example.org', { token, json: { password: 'changedpassword' } });
  await ok('DELETE', '/api/v1/users/other@example.org', { token });

  for (const [path, ap_id] of [
    ['/api/v1/agents/public', 'ap1'],
    ['/api/v1/agents/', 'AP 2'],
  ] as const) {
    const json = {
      ap_id,
      password: 'agentpassword',
      configuration: { geolocation: { latitude: 51.45, longitude: -2.58 } },
    };
    expect(await ok('POST', path, { token, json })).toEqual({ id: uuid, ap_id, configuration: json.configuration });
  }
  const one = `/api/v1/agents/${encodeURIComponent('AP 2')}`;
  expect(await ok('GET', one, { token })).toMatchObject({ ap_id: 'AP 2' });
  await ok('PUT', one, { token, json: { password: null, configuration: { floor: 1 } } });

  const agent = await logIn('agent', 'AP 2', 'agentpassword');
  await ok('POST', '/api/v1/agent_update/update', { token: agent, json: { rssi: -60, snr: 21.5 } });
  const app = { app_name: 'app2', api_key: 'key2', permissions: {} };
  await ok('POST', '/api/v1/third_party_apps/', { token, json: app });
  const appToken = await logIn('third_party_app', 'app2', 'key2');

  const details = await ok('GET', '/api/v1/metrics/agent_details', { token: userToken });
  expect(details).toHaveLength(2);
  for (const record of details) expect(Object.keys(record).sort()).toEqual(['ap_id', 'configuration', 'id', 'onboard']);
  for (const window of ['', '5', '1h', '1H', '1 h', '60min', '1h30m']) {
    const query = new URLSearchParams({ agent: 'AP 2', ...(window && { window }) });
    expect((await ok('GET', `/api/v1/metrics/agent_data?${query}`, { token: appToken })).key).toBe('agent/AP 2/data');
    expect((await ok('GET', `/api/v1/metrics/agent_metrics?${query}`, { token: userToken })).metrics).toHaveLength(2);
    for (const metrics of ['&metrics=rssi&metrics=snr', '&metrics=rssi,snr']) {
      const multi = await ok('GET', `/api/v1/metrics/agent_multi_metric_data?${query}${metrics}`, { token: userToken });
      expect(multi.agent_id).toBe('AP 2');
      expect(multi.series.map(({ metric }: { metric: string }) => metric)).toEqual(['rssi', 'snr']);
      expect(multi.series[0].points).toEqual([{ ts: expect.any(String), value: -60 }]);
    }
  }

  const times = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
  await ok('POST', `/api/v1/agent_data/request_agent_data?agent_id=${encodeURIComponent('AP 2')}&${times}`, {
    token: userToken,
  });
  for (const command of ['turn_off', 'turn_on', 'reboot', 'reboot', 'set power 5', 'set channel 36', '42', 'a=1;b=2']) {
    await ok('POST', `/api/v1/send_command?${new URLSearchParams({ agent_id: 'AP 2', command })}`, { token: appToken });
  }
  for (const access_point_type of ['5G', 'WiFi', 'LiFi']) {
    const locations = ['51.4545,-2.5879', 'Clifton, Bristol'];
    const json = { emulators: [{ access_point_type, num_access_points: 2, locations, num_devices: 1, duration: 1 }] };
    await ok('POST', '/api/v1/emulator/spinup', { token: appToken, json });
  }

  // A subscriber with a login of its own, and a client that listens by the job number.
  const worker = { app_name: 'worker', api_key: 'worker-key', permissions: { callbacks: true } };
  await ok('POST', '/api/v1/third_party_apps/', { token, json: worker });
  const workerToken = await logIn('third_party_app', 'worker', 'worker-key');
  await ok('POST', '/api/v1/agent_details/request_all_agents_details', { token: appToken });
  // Until its end, data of this job may come.
  const end_time = new Date(Date.now() + 3_600_000).toISOString();
  const open = { agent_id: 'AP 2', start_time: '2026-01-01T00:00:00Z', end_time };
  const job = await ok('POST', `/api/v1/agent_data/request_agent_data?${new URLSearchParams(open)}`, {
    token: appToken,
  });
  const data = [{ any: 'item' }, 7, 'text'];
  await ok('POST', `/api/v1/callback/agent_data?job_number=${job.job_number}`, { token: workerToken, json: data });
  const socket = new WebSocket(`${weft.url.replace('http', 'ws')}${job.websocket}?access_token=${appToken}`);
  const heard: unknown[] = [];
  socket.on('message', (message) => heard.push(...JSON.parse(String(message)).data));
  await expect.poll(() => heard).toEqual(expect.arrayContaining(data));
  socket.close();

  await ok('DELETE', one, { token });
  await ok('DELETE', '/api/v1/third_party_apps/app2', { token });
});
