// How long a token lives: as long as its owner's record stays what it was, and never as anybody else's.
import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eachDatabase } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { openAccounts } from '../../../offline.ts';
import { readOrCreateSecret } from '../../base/secret-file.ts';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { openSqlite } from '../../base/storage/sql-database.sqlite.ts';

const kinds = ['user', 'agent', 'third_party_app'] as const;
type Kind = (typeof kinds)[number];

const folders: Record<Kind, string> = {
  user: '/api/v1/users/',
  agent: '/api/v1/agents/',
  third_party_app: '/api/v1/third_party_apps/',
};
const newPassword = 'another good password';

let weft: TestWeft;
let admin: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
});
afterAll(() => weft.stop());

async function ask(method: string, path: string, token?: string, json?: unknown): Promise<number> {
  return (await weft.request(method, path, { token, ...(json !== undefined && { json }) })).status;
}

async function asAdmin(method: string, path: string, json?: unknown): Promise<void> {
  expect(await ask(method, path, admin, json), `${method} ${path}`).toBe(200);
}

function pathOf(kind: Kind, name: string): string {
  return folders[kind] + encodeURIComponent(name);
}

async function create(kind: Kind, name: string, roles = ['user']): Promise<string> {
  const record = {
    user: { username: name, password, roles },
    agent: { ap_id: name, password, configuration: {} },
    third_party_app: { app_name: name, api_key: password, permissions: {} },
  };
  await asAdmin('POST', folders[kind], record[kind]);
  return weft.login(kind, name);
}

/** Whether the token still stands for the caller of that name: its own record is what each of them may read. */
function statusOf(kind: Kind, name: string, token: string): Promise<number> {
  return ask('GET', pathOf(kind, name), token);
}

async function mailedResetToken(): Promise<string> {
  const outbox = join(weft.config.dataDir, 'outbox');
  const [mail = ''] = await untilSo(async () => {
    const files = (await readdir(outbox)).filter((name) => name.endsWith('.eml'));
    expect(files).toHaveLength(1);
    return files;
  });
  const text = (await readFile(join(outbox, mail), 'utf8')).replaceAll('=\n', '').replaceAll('=3D', '=');
  return /#token=([\w-]+)/.exec(text)![1]!;
}

describe('a token of one kind never passes as another (T7)', () => {
  it('whatever name the three of them share', async () => {
    const keyring = new Keyring(readOrCreateSecret(weft.config.dataDir));
    const names = fc.stringMatching(/^[a-z0-9][a-z0-9_+-]{0,20}@[a-z]{3,9}\.test$/);
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const tokens = {
          user: await create('user', name, ['admin']),
          agent: await create('agent', name),
          third_party_app: await create('third_party_app', name),
        };
        expect(await ask('GET', '/api/v1/users/me', tokens.user)).toBe(200);
        for (const kind of ['agent', 'third_party_app'] as const) {
          const token = tokens[kind];
          expect(await statusOf(kind, name, token)).toBe(200);
          expect(await ask('GET', '/api/v1/users/me', token)).toBe(403);
          expect(await ask('GET', '/api/v1/users/', token)).toBe(403);
          expect(await ask('GET', pathOf('user', name), token)).toBe(403);
          expect(await ask('PUT', pathOf('user', name), token, { password: newPassword })).toBe(403);
          expect(await ask('DELETE', pathOf('user', name), token)).toBe(403);
        }
        expect(await ask('PUT', pathOf('agent', name), tokens.third_party_app, { configuration: {} })).toBe(403);
        expect(await ask('GET', pathOf('third_party_app', name), tokens.agent)).toBe(403);
        for (const kind of kinds) {
          for (const other of kinds.filter((each) => each !== kind)) {
            expect(await ask('GET', pathOf(other, name), withScope(tokens[kind], other, keyring))).toBe(401);
          }
        }
        await asAdmin('DELETE', pathOf('agent', name));
        expect(await statusOf('agent', name, tokens.agent)).toBe(401);
        expect(await statusOf('user', name, tokens.user)).toBe(200);
        expect(await statusOf('third_party_app', name, tokens.third_party_app)).toBe(200);
        await asAdmin('DELETE', pathOf('user', name));
        await asAdmin('DELETE', pathOf('third_party_app', name));
      }),
      { numRuns: rounds(6) },
    );
  });

  it('nor does a password open the account of another kind with the same name', async () => {
    await create('user', 'twin@weft.test');
    await asAdmin('POST', folders.agent, { ap_id: 'twin@weft.test', password: newPassword, configuration: {} });
    await expect(weft.login('agent', 'twin@weft.test')).rejects.toThrow('Incorrect');
    await expect(weft.login('user', 'twin@weft.test', newPassword)).rejects.toThrow('Incorrect');
    await expect(weft.login('third_party_app', 'twin@weft.test')).rejects.toThrow('Incorrect');
  });

  function withScope(token: string, scope: Kind, keyring: Keyring): string {
    const [header, payload = ''] = token.split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), scope };
    const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    return `${signed}.${createHmac('sha256', keyring.tokenKeys[0]!).update(signed).digest('base64url')}`;
  }
});

describe('a token ends at the next request', () => {
  it.each(kinds)('when its %s is deleted, and does not come back when the name does (T9, T12)', async (kind) => {
    const name = `deleted-${kind}@weft.test`;
    const token = await create(kind, name);
    expect(await statusOf(kind, name, token)).toBe(200);
    await asAdmin('DELETE', pathOf(kind, name));
    expect(await statusOf(kind, name, token)).toBe(401);
    const newToken = await create(kind, name);
    expect(await statusOf(kind, name, token)).toBe(401);
    expect(await statusOf(kind, name, newToken)).toBe(200);
  });

  it.each(kinds)('when the password or key of its %s is changed, also to the same (T11)', async (kind) => {
    const name = `changed-${kind}@weft.test`;
    const secret = kind === 'third_party_app' ? 'api_key' : 'password';
    let token = await create(kind, name);
    for (const round of ['to another', 'to the same']) {
      expect(await statusOf(kind, name, token), round).toBe(200);
      await asAdmin('PUT', pathOf(kind, name), { [secret]: newPassword });
      expect(await statusOf(kind, name, token), round).toBe(401);
      token = await weft.login(kind, name, newPassword);
    }
  });

  it('when its owner changes the password itself (T11)', async () => {
    const token = await create('user', 'self@weft.test');
    expect(await ask('PUT', pathOf('user', 'self@weft.test'), token, { password: newPassword })).toBe(200);
    expect(await statusOf('user', 'self@weft.test', token)).toBe(401);
    const agent = await create('agent', 'self');
    expect(await ask('PUT', pathOf('agent', 'self'), agent, { password: newPassword })).toBe(200);
    expect(await statusOf('agent', 'self', agent)).toBe(401);
  });

  it('when the password is reset by mail; neither kind of token passes as the other (T8, T11)', async () => {
    const token = await create('user', 'forgetful@weft.test');
    const reset = '/api/v1/users/reset-password';
    expect(await ask('POST', reset, undefined, { token, new_password: newPassword })).toBe(400);
    expect(await statusOf('user', 'forgetful@weft.test', token)).toBe(200);
    expect(await ask('POST', '/api/v1/users/password-recovery', undefined, { username: 'forgetful@weft.test' })).toBe(
      200,
    );
    const mailed = await mailedResetToken();
    expect(await statusOf('user', 'forgetful@weft.test', mailed)).toBe(401);
    expect(await ask('POST', reset, undefined, { token: mailed, new_password: newPassword })).toBe(200);
    expect(await statusOf('user', 'forgetful@weft.test', token)).toBe(401);
    await weft.login('user', 'forgetful@weft.test', newPassword);
  });

  it('when an administrator is demoted, who is then refused as a user (T10)', async () => {
    const token = await create('user', 'demoted@weft.test', ['admin']);
    expect(await ask('GET', '/api/v1/users/', token)).toBe(200);
    await asAdmin('PUT', pathOf('user', 'demoted@weft.test'), { roles: ['user'] });
    expect(await ask('GET', '/api/v1/users/', token)).toBe(401);
    expect(await ask('GET', '/api/v1/users/', await weft.login('user', 'demoted@weft.test'))).toBe(403);
  });

  it('even when its last character was changed so that it reads the same (T14)', async () => {
    const token = await create('user', 'same@weft.test');
    // Two bits of the last character belong to no byte.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)!) ^ 1];
    expect(twin).not.toBe(token);
    for (const each of [token, twin]) expect(await statusOf('user', 'same@weft.test', each)).toBe(200);
    await asAdmin('DELETE', pathOf('user', 'same@weft.test'));
    for (const each of [token, twin]) expect(await statusOf('user', 'same@weft.test', each)).toBe(401);
  });
});

it('a token outlives changes that do not touch its rights', async () => {
  const user = await create('user', 'kept@weft.test');
  await asAdmin('PUT', pathOf('user', 'kept@weft.test'), { roles: ['user'], password: null });
  expect(await statusOf('user', 'kept@weft.test', user)).toBe(200);
  const agent = await create('agent', 'kept');
  expect(await ask('PUT', pathOf('agent', 'kept'), agent, { configuration: { site: 'roof' } })).toBe(200);
  await weft.login('agent', 'kept');
  expect(await statusOf('agent', 'kept', agent)).toBe(200);
});

eachDatabase((kind) => {
  it('a token ends within a second when another process changes the password (T9)', async () => {
    const namespace = await kind.createNamespace();
    const dataDir =
      kind.dialect === 'sqlite' ? dirname(namespace.address) : await mkdtemp(join(tmpdir(), 'weft-test-'));
    const node = await startWeft({
      WEFT_DATA_DIR: dataDir,
      ...(kind.dialect === 'postgres' && { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: generateSecret() }),
    });
    try {
      const token = await node.user('ada@weft.test');
      const me = async () => (await node.request('GET', '/api/v1/users/me', { token })).status;
      expect(await me()).toBe(200);
      const elsewhere = await openAccounts(node.config);
      await elsewhere.users.setPassword('ada@weft.test', newPassword);
      await elsewhere.close();
      await untilSo(async () => expect(await me()).toBe(401));
    } finally {
      await node.stop();
      await namespace.remove();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('rotation of the secret (T16)', () => {
  it('keeps old tokens while the old secret is named and ends them after; api keys survive, encrypted anew', async () => {
    const [older, newer] = [generateSecret(), generateSecret()];
    const dataDir = await mkdtemp(join(tmpdir(), 'weft-test-'));
    const run = async <T>(secrets: Record<string, string>, use: (node: TestWeft) => Promise<T>): Promise<T> => {
      const node = await startWeft({ WEFT_DATA_DIR: dataDir, ...secrets });
      return use(node).finally(() => node.stop());
    };
    const storedKey = async () => {
      const database = openSqlite(join(dataDir, 'weft.db'));
      const [row] = await database.query<{ api_key_encrypted: string }>(
        'SELECT api_key_encrypted FROM third_party_apps',
      );
      await database.close();
      return row!.api_key_encrypted;
    };
    const appOf = (node: TestWeft, token: string) => node.request('GET', '/api/v1/third_party_apps/app', { token });

    try {
      const [oldAdmin, oldApp] = await run({ WEFT_SECRET: older }, async (node) => [
        await node.admin(),
        await node.app('app'),
      ]);
      const before = await storedKey();
      const newApp = await run({ WEFT_SECRET: newer, WEFT_SECRET_PREVIOUS: older }, async (node) => {
        expect((await node.request('GET', '/api/v1/users/me', { token: oldAdmin! })).status).toBe(200);
        expect((await appOf(node, oldApp!)).body.api_key).toBe(password);
        return node.login('third_party_app', 'app');
      });
      const after = await storedKey();
      expect(new Keyring(newer).isOutdated(before)).toBe(true);
      expect(new Keyring(newer).isOutdated(after)).toBe(false);
      await run({ WEFT_SECRET: newer }, async (node) => {
        for (const token of [oldAdmin!, oldApp!]) expect((await appOf(node, token)).status).toBe(401);
        expect((await appOf(node, newApp)).body.api_key).toBe(password);
        await node.login('third_party_app', 'app');
      });
      expect(await storedKey()).toBe(after);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
