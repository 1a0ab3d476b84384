// What a password must be: people beyond this machine choose one that is not easy to guess; for the others its length counts.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMail } from '../../../../../test/smtp.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { loadConfig } from '../../base/config.ts';

const name = 'ada.lovelace@weft.test';
const weak = { common: 'Password', repeated: '        ', name: 'Ada.Lovelace', address: name };

/** As if others could reach it: a trusted proxy is enough. */
const beyond = { WEFT_TRUSTED_PROXIES: '127.0.0.1', WEFT_ADMIN_USERNAME: adminUsername, WEFT_ADMIN_PASSWORD: password };

describe('beyond loopback', () => {
  let weft: TestWeft;
  let admin: string;
  beforeAll(async () => {
    weft = await startWeft(beyond);
    admin = await weft.login('user', adminUsername);
  });
  afterAll(() => weft.stop());
  const ask = async (method: string, path: string, json: unknown, token: string | undefined = admin) => {
    const { status, body } = await weft.request(method, path, { token, json });
    return [status, body.detail?.[0]?.loc, body.detail?.[0]?.type];
  };

  it.each(Object.entries(weak))('a user cannot have one that is weak: %s', async (_why, bad) => {
    const refused = [422, ['body', 'password'], 'value_error'];
    expect(await ask('POST', '/api/v1/users/', { username: name, password: bad, roles: ['user'] })).toEqual(refused);
    expect(await ask('POST', '/api/v1/users/signup', { username: name, password: bad })).toEqual(refused);
    expect((await weft.request('GET', `/api/v1/users/${name}`, { token: admin })).status).toBe(404);
  });

  it('nor change to one, in any way', async () => {
    const token = await weft.user(name);
    await weft.request('POST', '/api/v1/users/password-recovery', { json: { username: name } });
    const outbox = join(weft.config.dataDir, 'outbox');
    // What is still written has another name.
    const files = async () => (await readdir(outbox).catch((): string[] => [])).filter((name) => name.endsWith('.eml'));
    await expect.poll(files).toHaveLength(1);
    const [file] = await files();
    const mail = readMail(await readFile(join(outbox, file!), 'utf8'));
    const resetToken = /token=([\w-]+)/.exec(mail.text)![1]!;
    for (const bad of Object.values(weak)) {
      expect(await ask('PUT', '/api/v1/users/me', { password: bad }, token)).toEqual([
        422,
        ['body', 'password'],
        'value_error',
      ]);
      const refused = [422, ['body', 'new_password'], 'value_error'];
      const change = { current_password: password, new_password: bad };
      expect(await ask('POST', '/api/v1/users/me/password', change, token)).toEqual(refused);
      expect(await ask('POST', '/api/v1/users/reset-password', { token: resetToken, new_password: bad })).toEqual(
        refused,
      );
    }
    const good = { token: resetToken, new_password: 'a better password' };
    expect((await ask('POST', '/api/v1/users/reset-password', good))[0]).toBe(200);
  });

  it('agents and apps need the length only', async () => {
    const agent = (secret: string) => ({ ap_id: `ap-${secret.length}`, password: secret, configuration: {} });
    expect((await ask('POST', '/api/v1/agents/', agent('password')))[0]).toBe(200);
    expect((await ask('POST', '/api/v1/agents/', agent('seven77')))[0]).toBe(422);
    const app = (api_key: string) => ({ app_name: `app-${api_key.length}`, api_key, permissions: {} });
    expect((await ask('POST', '/api/v1/third_party_apps/', app('password')))[0]).toBe(200);
    expect((await ask('POST', '/api/v1/third_party_apps/', app('1')))[0]).toBe(200);
    const refused = [422, ['body', 'api_key'], 'string_too_short'];
    expect(await ask('POST', '/api/v1/third_party_apps/', app(''))).toEqual(refused);
  });

  it('the first administrator cannot be created with one by the settings', async () => {
    await expect(startWeft({ ...beyond, WEFT_ADMIN_PASSWORD: 'baseball' })).rejects.toThrow('most common passwords');
  });
});

describe('on loopback', () => {
  it('the length counts, and what is stored keeps working beyond', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'weft-passwords-'));
    const weft = await startWeft({ WEFT_DATA_DIR: dataDir });
    const token = await weft.admin();
    const json = { username: name, password: 'password', roles: ['user'] };
    const create = async (user: object) => (await weft.request('POST', '/api/v1/users/', { token, json: user })).status;
    expect(await create(json)).toBe(200);
    expect(await create({ ...json, username: 'bob@weft.test', password: 'seven77' })).toBe(422);
    await weft.stop();
    const again = await startWeft({ ...beyond, WEFT_DATA_DIR: dataDir });
    await again.login('user', name, 'password');
    await again.stop();
    await rm(dataDir, { recursive: true });
  });
});

describe('WEFT_AGENT_PASSWORD_MIN_LENGTH', () => {
  it('lowers the length for agents alone, and warns at start', async () => {
    const weft = await startWeft({ WEFT_AGENT_PASSWORD_MIN_LENGTH: '1' });
    try {
      expect(weft.config.warnings).toEqual([expect.stringContaining('WEFT_AGENT_PASSWORD_MIN_LENGTH is 1')]);
      const token = await weft.admin();
      const agent = { ap_id: 'ap-1', password: 'x', configuration: {} };
      expect((await weft.request('POST', '/api/v1/agents/', { token, json: agent })).status).toBe(200);
      expect((await weft.request('PUT', '/api/v1/agents/ap-1', { token, json: { password: '' } })).status).toBe(422);
      await weft.login('agent', 'ap-1', 'x');
      const user = { username: name, password: 'x', roles: ['user'] };
      expect((await weft.request('POST', '/api/v1/users/', { token, json: user })).status).toBe(422);
      const { components } = (await weft.request('GET', '/openapi.json')).body;
      expect(components.schemas.AgentCreate.properties.password.minLength).toBe(1);
    } finally {
      await weft.stop();
    }
  });

  it.each(['0', '2000'])('cannot be %s', (value) => {
    expect(() => loadConfig({ env: { WEFT_AGENT_PASSWORD_MIN_LENGTH: value }, file: {}, flags: {} })).toThrow(
      'whole number',
    );
  });

  it('above the maximum is a contradiction, and by default it is that of users', () => {
    const env = { WEFT_AGENT_PASSWORD_MIN_LENGTH: '200' };
    expect(() => loadConfig({ env, file: {}, flags: {} })).toThrow('must not be above WEFT_PASSWORD_MAX_LENGTH');
    expect(loadConfig({ env: {}, file: {}, flags: {} }).warnings).toEqual([]);
  });
});
