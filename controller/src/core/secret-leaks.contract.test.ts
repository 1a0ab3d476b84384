// Secrets stay where they belong: a server in a process of its own is given recognizable ones in every way there is,
// and then its output, its refusals, its metrics and everything it stored are searched for them.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { buildCache } from '../../../test/compile-cache.ts';
import { type DatabaseKind, eachDatabase } from '../../../test/databases.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { readMail, startSmtp } from '../../../test/smtp.ts';
import { adminUsername, WeftClient } from '../../../test/weft.ts';
import { openSqlite } from './base/storage/sql-database.sqlite.ts';
import type { SqlDatabase } from './base/storage/sql-database.ts';

/** Hands out secrets and remembers them. */
class Canaries {
  readonly all: string[] = [];

  make(name: string): string {
    return this.keep(`canary-${name}-${randomBytes(12).toString('hex')}`);
  }

  keep(secret: string): string {
    expect(secret.length).toBeGreaterThan(20);
    this.all.push(secret);
    return secret;
  }

  /** Tokens count by their last part: the others are public, and the same for every token. */
  keepToken(token: string): string {
    this.keep(token.split('.').at(-1)!);
    return token;
  }

  foundIn(text: string): string[] {
    return this.all.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)));
  }
}

interface Scene {
  weft: WeftClient;
  adminPassword: string;
  stop: () => Promise<void>;
  canaries: Canaries;
  dataDir: string;
  database: SqlDatabase;
  /** What the process has written so far. */
  output: () => string;
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function setScene(kind: DatabaseKind, more: Record<string, string> = {}): Promise<Scene> {
  const canaries = new Canaries();
  const namespace = await kind.createNamespace();
  const dataDir = await mkdtemp(join(tmpdir(), 'weft-leaks-'));
  cleanups.push(
    () => namespace.remove(),
    () => rm(dataDir, { recursive: true }),
  );
  const env: Record<string, string> = {
    WEFT_PORT: '0',
    WEFT_DATA_DIR: dataDir,
    WEFT_LOG_LEVEL: 'trace',
    WEFT_SECRET: canaries.keep(randomBytes(32).toString('hex')),
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: canaries.make('admin-password'),
    ...more,
  };
  if (kind.dialect === 'postgres') {
    const address = new URL(namespace.address);
    address.password = canaries.make('database-password');
    env.WEFT_DATABASE_URL = address.href;
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/weft.js'), 'serve'], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, ...buildCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  cleanups.push(stop);
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        const ready = /ready: (http\S+)/.exec(output)?.[1];
        if (ready !== undefined) resolve(ready);
      });
    }
    child.on('close', () => reject(new Error(`weft did not start: ${output}`)));
  });
  const database = kind.dialect === 'postgres' ? namespace.open() : openSqlite(join(dataDir, 'weft.db'));
  if (kind.dialect === 'sqlite') cleanups.push(() => database.close());
  return {
    weft: new WeftClient(url),
    adminPassword: env.WEFT_ADMIN_PASSWORD!,
    stop,
    canaries,
    dataDir,
    database,
    output: () => output,
  };
}

/** Everything the server keeps, mail that waits to be fetched from the outbox aside. */
async function stored({ database, dataDir }: Scene): Promise<string> {
  const names =
    database.dialect === 'postgres'
      ? await database.query<{ name: string }>(
          'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
        )
      : await database.query<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  const tables = await Promise.all(names.map(({ name }) => database.query(`SELECT * FROM ${name}`)));
  const files = (await readdir(dataDir, { withFileTypes: true })).filter((entry) => entry.isFile());
  const bytes = await Promise.all(files.map(({ name }) => readFile(join(dataDir, name), 'latin1')));
  return JSON.stringify(tables) + bytes.join('\n');
}

eachDatabase((kind) => {
  test('K1 K2 K3 no secret is found in logs, refusals, metrics or the store; an unexpected error is answered with a request id and nothing else', async () => {
    const login = { user: 'weft', pass: 'not this one' };
    const smtp = await startSmtp({ login });
    cleanups.push(() => smtp.close());
    const mailPassword = `canary-mail-password-${randomBytes(12).toString('hex')}`;
    const smtpUrl = smtp.url.replace(encodeURIComponent(login.pass), mailPassword);
    const scene = await setScene(kind, { WEFT_SMTP_URL: smtpUrl });
    const { weft, canaries, output } = scene;
    canaries.keep(mailPassword);
    const refusals: string[] = [];
    const ask = async (...args: Parameters<WeftClient['request']>) => {
      const answer = await weft.request(...args);
      if (answer.status >= 400) refusals.push(JSON.stringify([answer.body, ...answer.headers]));
      return answer;
    };
    const secret = (name: string) => canaries.make(name);

    // Logins, right and wrong, and secrets where they do not belong.
    const { adminPassword } = scene;
    const token = canaries.keepToken(await weft.login('user', adminUsername, adminPassword));
    const login1 = '/api/v1/token/?login_type=user';
    await ask('POST', login1, { form: { username: adminUsername, password: secret('wrong-password') } });
    await ask('POST', `${login1}&password=${secret('query-password')}`, { form: { username: adminUsername } });
    await ask('POST', '/api/v1/token/?login_type=x', { form: { username: 'u', password: secret('other-type') } });
    await ask('POST', login1, { json: { username: 'u', password: secret('json-login') } });
    await ask('GET', '/api/v1/users/', { token: secret('bearer') });
    await ask('GET', '/api/v1/users/', { headers: { authorization: `Basic ${secret('basic')}` } });
    await ask('GET', '/api/v1/users/', { headers: { cookie: `session=${secret('cookie')}` } });
    for (const name of ['token', 'access_token', 'code', 'api_key'])
      await ask('POST', `/api/v1/users/public?${name}=${secret('query')}`, { json: {} });

    // Every body that holds a secret: good, incomplete, a duplicate, broken, of the wrong type, too large.
    const ann = { username: 'ann@weft.test', password: secret('user'), roles: ['user'] };
    const bodies: [string, Record<string, unknown>, string][] = [
      ['/api/v1/users/', ann, 'roles'],
      ['/api/v1/users/public', { ...ann, username: 'bob@weft.test', password: secret('public') }, 'roles'],
      ['/api/v1/users/signup', { username: 'cyd@weft.test', password: secret('signup') }, 'username'],
      ['/api/v1/agents/', { ap_id: 'ap', password: secret('agent'), configuration: {} }, 'ap_id'],
      ['/api/v1/third_party_apps/', { app_name: 'app', api_key: secret('api-key'), permissions: {} }, 'app_name'],
      ['/api/v1/users/reset-password', { token: secret('reset'), new_password: secret('new') }, 'token'],
    ];
    for (const [path, json, field] of bodies) {
      const text = JSON.stringify(json);
      const headers = { 'content-type': 'application/json' };
      const statuses = [
        await ask('POST', path, { token, json }),
        await ask('POST', path, { token, json }),
        await ask('POST', path, { token, json: { ...json, [field]: undefined } }),
        await ask('POST', path, { token, json: { ...json, [field]: { nested: secret('nested') } } }),
        await ask('POST', path, { token, headers, body: text.slice(0, -1) }),
        await ask('POST', path, { token, headers: { 'content-type': 'text/plain' }, body: text }),
        await ask('POST', path, { token, headers, body: text + ' '.repeat(1_100_000) }),
      ].map(({ status }) => status);
      const [first, second] = path.endsWith('reset-password') ? [400, 400] : [200, 409];
      expect(statuses, path).toEqual([first, second, 422, 422, 422, 415, 413]);
    }
    await ask('PUT', '/api/v1/users/ann@weft.test', { token, json: { password: secret('changed') } });
    await ask('PUT', '/api/v1/agents/ap', { token, json: { password: secret('changed'), configuration: [] } });
    await ask('PUT', '/api/v1/third_party_apps/app', { token, json: { api_key: secret('changed') } });
    await brokenRequest(weft.url, `GET / HTTP/1.1\r\nAuthorization Bearer ${secret('broken')}\r\n\r\n`);

    // Commands that carry secrets: taken, refused, to nobody.
    const send = (agent_id: string, command: object | string) => {
      const text = typeof command === 'string' ? command : JSON.stringify(command);
      return ask('POST', `/api/v1/send_command?${new URLSearchParams({ agent_id, command: text })}`, { token });
    };
    const statuses = [
      await send('ap', { name: 'set_wifi', psk: secret('psk') }),
      await send('ap', `set password ${secret('text')}`),
      await send('ap', `{"name":"set_wifi","psk":"${secret('broken')}"`),
      await send('nobody', { name: 'set_wifi', psk: secret('nobody') }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 404]);

    // Secrets of settings: taken, refused, on their way to an access point, and said again there in every way.
    const answers = await useConfigSecret(ask, token, secret);
    expect(canaries.foundIn(answers.join('\n'))).toEqual([]);

    // Tokens that the server makes itself.
    const enrolment = await ask('POST', '/api/v1/enrolment_tokens', { token, json: { ap_id_pattern: 'ap-*' } });
    const enrolmentToken = canaries.keep(enrolment.body.token);
    await ask('POST', '/api/v1/agents/public', { token: enrolmentToken, json: { ap_id: 'x' } });
    const recover = () => ask('POST', '/api/v1/users/password-recovery', { json: { username: 'ann@weft.test' } });
    await recover();
    await expect.poll(output).toContain('could not be sent');
    login.pass = mailPassword;
    await recover();
    await expect.poll(() => smtp.mails.length).toBe(1);
    const resetToken = canaries.keep(/#token=([\w-]+)/.exec(readMail(smtp.mails[0]!.raw).text)![1]!);
    const reset = { token: resetToken, new_password: secret('after-reset') };
    for (const status of [200, 400])
      expect((await ask('POST', '/api/v1/users/reset-password', { json: reset })).status).toBe(status);

    const metrics = await ask('GET', '/metrics');
    expect(metrics.body).toContain('weft_http_requests_total');
    expect(canaries.foundIn(metrics.body)).toEqual([]);
    expect(await stored(scene)).toContain('ann@weft.test');
    expect(canaries.foundIn(await stored(scene))).toEqual([]);

    // Something breaks in the middle of requests that hold secrets.
    await scene.database.query('DROP TABLE third_party_apps');
    // The log has the rest.
    const { status, body, headers } = await ask('GET', '/api/v1/third_party_apps/app', { token });
    const request_id = headers.get('x-request-id');
    expect(status).toBe(500);
    expect(body).toEqual({ detail: 'Internal Server Error', code: 'internal_error', request_id });
    const logged = () =>
      output()
        .split('\n')
        .filter((line) => line.includes('unexpected error') && line.includes(request_id!))
        .map((line) => JSON.parse(line));
    await expect.poll(logged).toEqual([
      expect.objectContaining({
        level: 'error',
        operation: 'get_third_party_app',
        err: expect.objectContaining({ message: expect.stringContaining('third_party_apps') }),
      }),
    ]);
    expect((await ask('GET', '/api/v1/users/me', { token })).status).toBe(200);
    const app = { app_name: 'lost', api_key: secret('lost'), permissions: {} };
    expect((await ask('POST', '/api/v1/third_party_apps/', { token, json: app })).status).toBe(500);
    const form = { username: 'lost', password: secret('lost') };
    expect((await ask('POST', '/api/v1/token/?login_type=third_party_app', { form })).status).toBe(500);
    await expect.poll(output).toMatch(/unexpected error[\s\S]*unexpected error/);
    await scene.stop();
    expect(output()).toContain('code=***');
    expect(refusals.length).toBeGreaterThan(40);
    expect(canaries.foundIn(refusals.join('\n'))).toEqual([]);
    expect(canaries.foundIn(output())).toEqual([]);
    expect(canaries.all.length).toBeGreaterThan(30);
  });
});

type Ask = (...args: Parameters<WeftClient['request']>) => ReturnType<WeftClient['request']>;

/** Resolves all that anybody but the access point itself is answered. */
async function useConfigSecret(ask: Ask, token: string, secret: (name: string) => string): Promise<string[]> {
  const answers: string[] = [];
  const own: Ask = async (method, path, input) => {
    const answer = await ask(method, `/api/v1${path}`, { token, ...input });
    answers.push(answer.text);
    return answer;
  };
  const psk = secret('config-psk');
  const agent = { ap_id: 'ap-psk', password: secret('agent-psk'), configuration: { settings: { psk: {} } } };
  await own('POST', '/agents/', { json: agent });
  const form = { username: agent.ap_id, password: agent.password };
  const apToken = (await ask('POST', '/api/v1/token/?login_type=agent', { form })).body.access_token;
  await own('PUT', '/config/secrets', { json: { name: 'not a name', value: secret('bad-name') } });
  await own('PUT', '/config/secrets', { json: { name: 'psk', value: { text: secret('nested') } } });
  await own('PUT', '/config/secrets', { json: { name: 'psk', value: psk.repeat(200) } });
  expect((await own('PUT', '/config/secrets', { json: { name: 'psk', value: psk } })).status).toBe(200);
  const layer = { name: 'psk', selector: 'name:ap-psk', weight: 1, settings: { psk: { secret: 'psk' } } };
  const { body: set } = await own('POST', '/config/change_sets', { json: { title: 'psk', layers: [layer] } });
  await own('POST', `/config/change_sets/${set.id}/preview`);
  const { body: rollout } = await own('POST', `/config/change_sets/${set.id}/rollout`, { json: {} });
  const of = { token: apToken };
  const received = await untilSo(async () => {
    const { body } = await ask('GET', '/api/v1/agents/ap-psk/config/next?wait=5', of);
    expect(body.next).toMatchObject({ type: 'config' });
    return body.next;
  });
  expect(received.settings).toEqual({ psk: { secret: 'psk', version: 1, value: psk } });
  const { id, hash } = received;
  const says = [{ psk: received.settings.psk }, { psk }, { psk: '', other: [`wpa_passphrase=${psk}`] }];
  for (const settings of says) {
    const reverted = { id, reason: `psk ${psk} is too short` };
    await ask('POST', '/api/v1/agents/ap-psk/config/running', { ...of, json: { hash, settings } });
    await own('GET', '/agents/ap-psk/config?view=running');
    await ask('POST', '/api/v1/agents/ap-psk/config/running', { ...of, json: { hash: null, settings, reverted } });
  }
  const refused = { hash, state: 'refused', reason: `cannot use "${psk}"`, settings: { psk } };
  await own('POST', '/agents/ap-psk/config/apply');
  await untilSo(async () => {
    const { body } = await ask('GET', '/api/v1/agents/ap-psk/config/next?wait=5', of);
    expect(body.next).toMatchObject({ type: 'config' });
    await ask('POST', `/api/v1/agents/ap-psk/config/${body.next.id}/result`, { ...of, json: refused });
  });
  const { body: diff } = await own('GET', '/agents/ap-psk/config?view=diff');
  expect(diff).toMatchObject({ state: 'refused', detail: 'cannot use "***"' });
  const lists = ['secrets', 'layers', 'change_sets', 'variables'].map((list) => `/config/${list}`);
  const views = ['desired', 'running', 'why'].map((view) => `/agents/ap-psk/config?view=${view}`);
  const others = ['/rollouts', `/rollouts/${rollout.id}/agents`, '/audit', '/events?limit=500', '/agents/ap-psk'];
  for (const path of [...lists, ...views, ...others]) expect((await own('GET', path)).status, path).toBe(200);
  return answers;
}

async function brokenRequest(url: string, text: string): Promise<void> {
  const { port, hostname } = new URL(url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.on('close', () => resolve()).on('error', reject);
    socket.resume();
  });
}
