// The user operations over HTTP: answers, refusals, names, roles, passwords, and when a token ends.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachDatabaseOfServers } from '../../../../../test/databases.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { openAccounts } from '../../../offline.ts';
import { openSqlite } from '../../base/storage/sql-database.sqlite.ts';
import { UserStore } from './user-store.ts';

const users = '/api/v1/users/';
const success = { status: 'success', detail: expect.any(String) };
let weft: TestWeft;
let admin: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
});
afterAll(() => weft.stop());

function create(username: string, roles = ['user'], secret = password) {
  return weft.request('POST', users, { token: admin, json: { username, password: secret, roles } });
}

async function createAndLogIn(username: string): Promise<string> {
  await create(username);
  return weft.login('user', username);
}

function signUp(json: Record<string, unknown>) {
  return weft.request('POST', `${users}signup`, { json });
}

function me(token: string) {
  return weft.request('GET', `${users}me`, { token });
}

test('those who have grants are listed with them, and only those', async () => {
  await createAndLogIn('granted@weft.test');
  await createAndLogIn('without@weft.test');
  const grants = [{ role: 'operator', selector: 'site:uk/**' }];
  await weft.request('PUT', `${users}granted@weft.test/grants`, { token: admin, json: grants });
  const { status, body } = await weft.request('GET', '/api/v1/grants', { token: admin });
  expect(status).toBe(200);
  const named = body.filter(({ username }: { username: string }) => /^(granted|without)@/.test(username));
  expect(named).toEqual([{ username: 'granted@weft.test', grants }]);
});

eachDatabaseOfServers((kind) => {
  test('an account is created, seen, changed and removed', async () => {
    const namespace = await kind.createNamespace();
    const onPostgres = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') };
    const fresh = await startWeft(kind.dialect === 'postgres' ? onPostgres : {});
    const token = await fresh.admin();
    const path = `${users}ann+1@weft.test`;
    const ann = { username: 'ann+1@weft.test', roles: 'user', scopes: [] };
    const ask = async (method: string, url: string, json?: unknown) => {
      const { status, body } = await fresh.request(method, url, { token, json });
      return [status, body];
    };
    const input = { username: 'Ann+1@Weft.test', password, roles: ['user'] };
    expect(await ask('POST', users, input)).toEqual([200, ann]);
    expect(await ask('POST', users, input)).toEqual([409, { detail: expect.any(String), code: 'user_exists' }]);
    expect(await ask('GET', users)).toEqual([200, [{ username: adminUsername, roles: 'admin', scopes: [] }, ann]]);
    expect(await ask('GET', path)).toEqual([200, ann]);
    expect(await ask('PUT', path, { roles: ['user', 'admin'] })).toEqual([200, { ...ann, roles: 'user,admin' }]);
    expect(await ask('PUT', path, { roles: null, password: null })).toEqual([200, { ...ann, roles: 'user,admin' }]);
    expect(await ask('DELETE', path)).toEqual([200, success]);
    const unknown = [404, { detail: 'User not found', code: 'user_not_found' }];
    expect(await ask('GET', path)).toEqual(unknown);
    expect(await ask('PUT', path, { roles: ['user'] })).toEqual(unknown);
    expect(await ask('DELETE', path)).toEqual(unknown);
    await fresh.stop();
    await namespace.remove();
  });
});

describe('names', () => {
  test('C7 one account whatever the case, the spaces, the form of the letters or a name in front', async () => {
    expect((await create('  Zoé.Q@Weft.TEST ')).body.username).toBe('zoé.q@weft.test');
    for (const same of ['zoé.q@weft.test', 'ZOÉ.Q@weft.test', 'zoe\u0301.q@weft.test', 'Zoé <zoé.q@weft.test>']) {
      expect((await create(same)).status, same).toBe(409);
      expect((await signUp({ username: same, password })).status, same).toBe(409);
    }
    for (const same of ['ZOÉ.Q@WEFT.TEST', 'zoe\u0301.q@weft.test', ' zoé.q@weft.test '])
      await expect(weft.login('user', same), same).resolves.toBeTruthy();
    const path = `${users}${encodeURIComponent('ZOE\u0301.Q@Weft.test')}`;
    expect((await weft.request('GET', path, { token: admin })).body.username).toBe('zoé.q@weft.test');
  });

  test.each(['me', 'me/', '%6De'])('C8 %s is the caller, also for an administrator', async (name) => {
    const { status, body } = await weft.request('GET', users + name, { token: admin });
    expect([status, body]).toEqual([200, { username: adminUsername, roles: 'admin', scopes: [] }]);
  });

  test.each(['me%00', 'ME', 'me%20x', 'nobody@weft.test', '%E0%A4%A'])('C8 %s is nobody', async (name) => {
    const { status } = await weft.request('GET', users + name, { token: admin });
    expect([400, 404]).toContain(status);
  });

  test('C16 a line break in a name is refused everywhere', async () => {
    const username = 'a@b.co\r\nBcc: z@z.co';
    expect((await create(username)).status).toBe(422);
    expect((await signUp({ username, password })).status).toBe(422);
    expect((await weft.request('POST', `${users}password-recovery`, { json: { username } })).status).toBe(422);
  });
});

describe('roles', () => {
  test.each(['nonadmin', 'Admin', ' admin', 'аdmin', 'admin,user', ''])(
    'C5 the role "%s" does not exist',
    async (role) => {
      const { status, body } = await create('role@weft.test', [role]);
      expect(status).toBe(422);
      expect(body.detail).toEqual([expect.objectContaining({ loc: ['body', 'roles', 0], type: 'literal_error' })]);
    },
  );

  test('a user without any role is refused', async () => {
    expect((await create('role@weft.test', [])).body.detail).toEqual([
      expect.objectContaining({ loc: ['body', 'roles'], type: 'too_short' }),
    ]);
  });

  test('C1 signing up gives the standard role, whatever else the body says', async () => {
    const extras = { roles: ['admin'], is_admin: true, id: 'x', scopes: ['all'], password_hash: 'x', ver: 'x' };
    const { status, body } = await signUp({ username: 'mallory@weft.test', password, ...extras });
    expect([status, body]).toEqual([200, { username: 'mallory@weft.test', roles: 'user', scopes: [] }]);
    const token = await weft.login('user', 'mallory@weft.test');
    expect((await weft.request('GET', users, { token })).status).toBe(403);
  });

  test('C3 C4 a user may change its own password, but no roles and nobody else', async () => {
    const token = await createAndLogIn('carl@weft.test');
    await create('dora@weft.test');
    const put = (name: string, json: unknown) => weft.request('PUT', `${users}${name}@weft.test`, { token, json });
    expect((await put('carl', { roles: ['admin'] })).status).toBe(403);
    expect((await put('carl', { roles: ['admin'], password: 'another password' })).body.code).toBe(
      'roles_not_permitted',
    );
    expect((await put('dora', { password: 'another password' })).status).toBe(403);
    expect((await weft.request('GET', `${users}dora@weft.test`, { token })).status).toBe(403);
    expect((await weft.request('DELETE', `${users}dora@weft.test`, { token })).status).toBe(403);
    expect((await weft.request('GET', users, { token })).status).toBe(403);
    expect((await me(token)).body).toEqual({ username: 'carl@weft.test', roles: 'user', scopes: [] });
    await weft.login('user', 'carl@weft.test');
    await weft.login('user', 'dora@weft.test');
    expect((await put('CARL', { password: 'another password' })).status).toBe(200);
    await weft.login('user', 'carl@weft.test', 'another password');
  });

  test('C6 the last administrator stays an administrator', async () => {
    const path = `${users}${adminUsername}`;
    const lastOne = { detail: expect.any(String), code: 'last_administrator' };
    for (const [method, json] of [['DELETE'], ['PUT', { roles: ['user'] }]] as const) {
      const { status, body } = await weft.request(method, path, { token: admin, json });
      expect([status, body]).toEqual([409, lastOne]);
    }
    expect((await me(admin)).body.roles).toBe('admin');
  });

  test('C6 of two administrators who delete or demote each other at once, one remains', async () => {
    const fresh = await startWeft();
    let [username, token] = [adminUsername, await fresh.admin()];
    for (let round = 0; round < 4; round += 1) {
      const other = `other${round}@weft.test`;
      await fresh.request('POST', users, { token, json: { username: other, password, roles: ['admin'] } });
      const otherToken = await fresh.login('user', other);
      const how = round % 2 ? { method: 'PUT', json: { roles: ['user'] } } : { method: 'DELETE', json: undefined };
      const answers = await Promise.all([
        fresh.request(how.method, users + other, { token, json: how.json }),
        fresh.request(how.method, users + username, { token: otherToken, json: how.json }),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      if (answers[1].status === 200) [username, token] = [other, otherToken];
      const { body } = await fresh.request('GET', users, { token });
      expect(body.filter(({ roles }: { roles: string }) => roles === 'admin')).toEqual([
        { username, roles: 'admin', scopes: [] },
      ]);
    }
    await fresh.stop();
  });
});

describe('passwords', () => {
  test.each([
    ['7 characters', 'a'.repeat(7), 422],
    ['8 characters', 'b'.repeat(8), 200],
    ['8 emoji', '🦊'.repeat(8), 200],
    ['7 emoji, which are 14 UTF-16 units', '🦊'.repeat(7), 422],
    ['128 characters', 'c'.repeat(128), 200],
    ['129 characters', 'd'.repeat(129), 422],
    ['a NUL inside', 'abcdefgh\0ijk', 422],
    ['nearly a megabyte', 'e'.repeat(1_000_000), 422],
    ['more than a body may have', 'f'.repeat(1_100_000), 413],
  ])('C18 %s', async (label, secret, status) => {
    const username = `length${label.length}${secret.length}@weft.test`;
    expect((await signUp({ username, password: secret })).status).toBe(status);
    if (status === 200) await weft.login('user', username, secret);
  });

  test('C18 all of a long password counts', async () => {
    await create('long@weft.test', ['user'], `${'x'.repeat(72)}one`);
    await expect(weft.login('user', 'long@weft.test', `${'x'.repeat(72)}two`)).rejects.toThrow('Incorrect');
    await weft.login('user', 'long@weft.test', `${'x'.repeat(72)}one`);
  });
});

describe('a token ends', () => {
  const elsewhere: [string, (username: string) => Promise<void>][] = [
    [
      'gets a new password on the command line',
      async (username) => {
        const accounts = await openAccounts(weft.config);
        await accounts.users.setPassword(username, 'another password');
        await accounts.close();
      },
    ],
    [
      'is deleted by another process',
      async (username) => {
        const database = openSqlite(`${weft.config.dataDir}/weft.db`);
        await new UserStore(database).remove(username);
        await database.close();
      },
    ],
  ];
  test.each(elsewhere)('within a second when its owner %s', async (how, change) => {
    const username = `elsewhere${how.length}@weft.test`;
    const token = await createAndLogIn(username);
    expect((await me(token)).status).toBe(200);
    await change(username);
    await expect.poll(async () => (await me(token)).status, { interval: 20 }).toBe(401);
  });

  const here: [string, string, unknown][] = [
    ['password changes', 'PUT', { password: 'another password' }],
    ['roles change', 'PUT', { roles: ['user', 'admin'] }],
    ['account is deleted', 'DELETE', undefined],
  ];
  test.each(here)('at once when the %s', async (_how, method, json) => {
    const username = `at-once-${method}${JSON.stringify(json)?.length}@weft.test`;
    const token = await createAndLogIn(username);
    expect((await me(token)).status).toBe(200);
    expect((await weft.request(method, users + username, { token: admin, json })).status).toBe(200);
    expect((await me(token)).body).toEqual({ detail: expect.any(String), code: 'invalid_token' });
    if (method !== 'DELETE') return;
    await create(username);
    expect((await me(token)).status).toBe(401);
  });
});

test('all problems of a body are told at once, and none repeats what was sent', async () => {
  const json = { username: 'no address', password: 'canary!' };
  const { status, body } = await weft.request('POST', users, { token: admin, json });
  expect(status).toBe(422);
  expect(body.detail.map(({ loc, type }: { loc: unknown; type: string }) => [loc, type])).toEqual([
    [['body', 'username'], 'value_error'],
    [['body', 'password'], 'string_too_short'],
    [['body', 'roles'], 'missing'],
  ]);
  expect(JSON.stringify(body)).not.toContain('canary!');
});
