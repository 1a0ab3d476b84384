// Who gets to see an api key (Z6), and what somebody finds who gets hold of the database: no secret that opens anything.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseNamespace, eachDatabase } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { adminUsername, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { generateSecret } from '../../base/secrets.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';

const app = '/api/v1/third_party_apps/app-1';
const apiKeys = ['canary-api-key-1', 'canary-api-key-2'];
const passwords = ['canary-password-1', 'canary-password-2'];

eachDatabase((kind) => {
  let namespace: DatabaseNamespace;
  let dataDir: string;
  let weft: TestWeft;
  let tokens: Record<'admin' | 'app' | 'otherApp' | 'user' | 'agent', string>;

  beforeAll(async () => {
    namespace = await kind.createNamespace();
    dataDir = kind.dialect === 'sqlite' ? dirname(namespace.address) : await mkdtemp(join(tmpdir(), 'weft-test-'));
    const server = kind.dialect === 'postgres' && {
      WEFT_DATABASE_URL: namespace.address,
      WEFT_SECRET: generateSecret(),
    };
    weft = await startWeft({ WEFT_DATA_DIR: dataDir, ...server });
    const [first = '', second = ''] = passwords;
    await post('/api/v1/users/public', undefined, { username: adminUsername, password: first, roles: ['admin'] });
    const admin = await weft.login('user', adminUsername, first);
    await post('/api/v1/users/', admin, { username: 'ada@weft.test', password: second, roles: ['user'] });
    await post('/api/v1/agents/', admin, { ap_id: 'ap-1', password: second, configuration: {} });
    for (const [index, api_key] of apiKeys.entries()) {
      await post('/api/v1/third_party_apps/', admin, { app_name: `app-${index + 1}`, api_key, permissions: {} });
    }
    tokens = {
      admin,
      app: await weft.login('third_party_app', 'app-1', apiKeys[0]),
      otherApp: await weft.login('third_party_app', 'app-2', apiKeys[1]),
      user: await weft.login('user', 'ada@weft.test', second),
      agent: await weft.login('agent', 'ap-1', second),
    };
  });
  afterAll(async () => {
    await weft.stop();
    await namespace.remove();
    await rm(dataDir, { recursive: true, force: true });
  });

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async function post(path: string, token: string | undefined, json: unknown): Promise<any> {
    const answer = await weft.request('POST', path, { token, json });
    expect(answer.status, path).toBe(200);
    return answer.body;
  }

  it.each(['admin', 'app'] as const)('the api key is shown to the %s that may see it', async (who) => {
    const answer = await weft.request('GET', app, { token: tokens[who] });
    expect(answer.body).toMatchObject({ app_name: 'app-1', api_key: apiKeys[0] });
  });

  it.each(['otherApp', 'user', 'agent'] as const)('the api key is not shown to the %s', async (who) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await weft.request(method, app, { token: tokens[who] });
      expect(answer.status).toBe(403);
      expect(JSON.stringify(answer.body)).not.toContain('canary');
    }
  });

  it('the api key is not in the list, nor in a refusal of a request that holds it (K2)', async () => {
    const list = await weft.request('GET', '/api/v1/third_party_apps/', { token: tokens.admin });
    expect(list.body.map((each: object) => Object.keys(each).sort())).toEqual(
      apiKeys.map(() => ['app_name', 'id', 'permissions']),
    );
    for (const json of [{ app_name: 'x', api_key: apiKeys[0] }, { api_key: [apiKeys[0]] }]) {
      const answer = await weft.request('POST', '/api/v1/third_party_apps/', { token: tokens.admin, json });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).not.toContain('canary');
    }
  });

  it('a dump of the database holds no key, password or token, and no two equal ciphertexts', async () => {
    const enrolment = await post('/api/v1/enrolment_tokens', tokens.admin, { ap_id_pattern: 'ap-*' });
    await post('/api/v1/users/password-recovery', undefined, { username: 'ada@weft.test' });
    const reset = await untilSo(() => mailedResetToken(join(dataDir, 'outbox')));
    await post('/api/v1/third_party_apps/', tokens.admin, { app_name: 'app-3', api_key: apiKeys[0], permissions: {} });

    const rows = await everyRow(namespace.open());
    const text = JSON.stringify(rows);
    for (const word of ['app-1', 'ap-1', 'ada@weft.test']) expect(text).toContain(word);
    const secrets = [...apiKeys, ...passwords, ...Object.values(tokens), enrolment.token, reset];
    const encoded = [...apiKeys, ...passwords].flatMap((secret) =>
      (['base64', 'base64url', 'hex'] as const).map((form) => Buffer.from(secret).toString(form).replace(/=+$/, '')),
    );
    for (const secret of [...secrets, ...encoded]) expect(text).not.toContain(secret);
    const ciphertexts = rows.third_party_apps!.map((row) => row.api_key_encrypted);
    expect(new Set(ciphertexts).size).toBe(3);
    for (const ciphertext of ciphertexts) expect(ciphertext).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]{20,}$/);
    if (kind.dialect === 'sqlite') await expectFilesWithout(dirname(namespace.address), secrets);
  });
});

async function everyRow(database: SqlDatabase): Promise<Record<string, Record<string, unknown>[]>> {
  const tables = await database.query<{ name: string }>(
    database.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
  );
  const entries = tables.map(async ({ name }) => [name, await database.query(`SELECT * FROM ${name}`)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Throws until the mail is there. */
async function mailedResetToken(outbox: string): Promise<string> {
  const [mail] = (await readdir(outbox)).filter((name) => name.endsWith('.eml'));
  const text = (await readFile(join(outbox, mail!), 'utf8')).replaceAll('=\n', '').replaceAll('=3D', '=');
  return /#token=([\w-]+)/.exec(text)![1]!;
}

/** Of the database and its journals, page by page as they are on the disk. */
async function expectFilesWithout(folder: string, secrets: string[]): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('weft.db'));
  const bytes = Buffer.concat(await Promise.all(files.map((name) => readFile(join(folder, name)))));
  expect(bytes.includes('app-1')).toBe(true);
  for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);
}
