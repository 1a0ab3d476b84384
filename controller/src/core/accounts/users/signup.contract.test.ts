// Sign-up where strangers can reach Weft: an account works once an administrator has approved it.
import { afterEach, describe, expect, it } from 'vitest';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { openAccounts } from '../../../offline.ts';
import { loadConfig } from '../../base/config.ts';

const ada = 'ada@weft.test';
const running: TestWeft[] = [];
afterEach(async () => {
  for (const weft of running.splice(0)) await weft.stop();
});

async function start(settings: Record<string, string>): Promise<{ weft: TestWeft; admin: string }> {
  const weft = await startWeft(settings);
  running.push(weft);
  return { weft, admin: await weft.admin() };
}

const signUp = (weft: TestWeft, username = ada) =>
  weft.request('POST', '/api/v1/users/signup', { json: { username, password } });
const logIn = (weft: TestWeft, secret = password, username = ada) =>
  weft.request('POST', '/api/v1/token/?login_type=user', { form: { username, password: secret } });

describe('the default of WEFT_SIGNUP', () => {
  it.each([
    [{}, 'open'],
    [{ WEFT_HOST: 'localhost' }, 'open'],
    [{ WEFT_HOST: '::1' }, 'open'],
    [{ WEFT_PUBLIC_URL: 'http://127.0.0.1:8000' }, 'open'],
    [{ WEFT_PUBLIC_URL: 'http://[::1]:8000' }, 'open'],
    [{ WEFT_HOST: '0.0.0.0' }, 'approve'],
    [{ WEFT_HOST: '10.0.0.7' }, 'approve'],
    [{ WEFT_PUBLIC_URL: 'https://weft.example.org' }, 'approve'],
    [{ WEFT_TRUSTED_PROXIES: '127.0.0.1' }, 'approve'],
    [{ WEFT_HOST: '0.0.0.0', WEFT_SIGNUP: 'open' }, 'open'],
    [{ WEFT_SIGNUP: 'approve' }, 'approve'],
    [{ WEFT_HOST: '0.0.0.0', WEFT_SIGNUP: 'closed' }, 'closed'],
  ])('with %j is %s', (given, signup) => {
    const env = { WEFT_INSECURE_HTTP: 'allow', ...given };
    expect(loadConfig({ env, file: {}, flags: {} }).signup).toBe(signup);
  });
});

it('with WEFT_SIGNUP=open a name of another script that looks like one that exists is taken, and others are not', async () => {
  const { weft } = await start({ WEFT_SIGNUP: 'open' });
  await weft.user('boris@weft.test');
  const statuses = [];
  // With a Cyrillic о, in full width; with a zero, as whoever has only plain letters may be called; and one of its own.
  for (const name of ['b\u043eris@weft.test', '\uff42oris@weft.test', 'b0ris@weft.test', 'борис@weft.test'])
    statuses.push((await signUp(weft, name)).status);
  expect(statuses).toEqual([409, 409, 200, 200]);
  expect((await signUp(weft, 'борис@weft.test')).body.code).toBe('user_exists');
});

describe('with WEFT_SIGNUP=approve', () => {
  it('says the same of a name that exists, changes nothing of it, and flags names that look alike', async () => {
    const { weft, admin } = await start({ WEFT_SIGNUP: 'approve' });
    await weft.user('boris@weft.test');
    const signUp = (username: string) =>
      weft.request('POST', '/api/v1/users/signup', { json: { username, password: 'another password' } });
    const [known, fresh] = [await signUp('Boris@weft.test'), await signUp('nobody@weft.test')];
    expect([known.status, known.body]).toEqual([200, { username: 'boris@weft.test', roles: 'user', scopes: [] }]);
    expect([fresh.status, fresh.body]).toEqual([200, { username: 'nobody@weft.test', roles: 'user', scopes: [] }]);
    expect((await signUp('nobody@weft.test')).status).toBe(200);
    await weft.login('user', 'boris@weft.test');
    // With a Cyrillic о, in full width, with a zero.
    for (const name of ['b\u043eris@weft.test', '\uff42oris@weft.test', 'b0ris@weft.test']) await signUp(name);
    const { body } = await weft.request('GET', '/api/v1/waiting_users', { token: admin });
    expect(body.map(({ looks_like }: { looks_like?: string }) => looks_like !== undefined)).toEqual([
      ...[false, true, true, true],
    ]);
  });

  it('a new account is told to wait by its right password only, until an administrator approves it', async () => {
    const { weft, admin } = await start({ WEFT_SIGNUP: 'approve' });
    expect((await weft.request('GET', '/setup.json')).body.signup).toBe('approve');
    expect((await signUp(weft)).body).toEqual({ username: ada, roles: 'user', scopes: [] });
    const waits = await logIn(weft);
    expect([waits.status, waits.body.code]).toEqual([401, 'account_waiting']);
    expect((await logIn(weft, 'a wrong password')).body.code).toBe('invalid_credentials');
    const list = await weft.request('GET', '/api/v1/waiting_users', { token: admin });
    expect(list.body).toEqual([{ username: ada, waiting_since: expect.stringMatching(/Z$/) }]);
    const approve = () => weft.request('POST', `/api/v1/waiting_users/${ada}/approve`, { token: admin });
    expect((await approve()).body).toEqual({ username: ada, roles: 'user', scopes: [] });
    expect((await approve()).status).toBe(200);
    expect((await logIn(weft)).status).toBe(200);
    expect((await weft.request('GET', '/api/v1/waiting_users', { token: admin })).body).toEqual([]);
  });

  it('an administrator refuses those who wait, and deletes nobody else that way', async () => {
    const { weft, admin } = await start({ WEFT_SIGNUP: 'approve' });
    await signUp(weft);
    const refuse = (name: string) => weft.request('DELETE', `/api/v1/waiting_users/${name}`, { token: admin });
    expect((await refuse(ada)).status).toBe(200);
    expect((await logIn(weft)).body.code).toBe('invalid_credentials');
    expect((await refuse(ada)).body.code).toBe('user_not_found');
    await weft.user('bob@weft.test');
    expect((await refuse('bob@weft.test')).body.code).toBe('user_not_waiting');
    expect((await logIn(weft, password, 'bob@weft.test')).status).toBe(200);
  });

  it('accounts that administrators create do not wait, and the command line approves those that do', async () => {
    const { weft } = await start({ WEFT_SIGNUP: 'approve' });
    await weft.user('bob@weft.test');
    await signUp(weft);
    const accounts = await openAccounts(weft.config, 'operator');
    expect((await accounts.users.list()).map(({ waiting_since }) => waiting_since !== null)).toEqual([
      true,
      false,
      false,
    ]);
    await accounts.users.approve(ada);
    await accounts.close();
    expect((await logIn(weft)).status).toBe(200);
  });

  it('at most as many wait as the setting says', async () => {
    const { weft, admin } = await start({ WEFT_SIGNUP: 'approve', WEFT_MAX_WAITING_USERS: '2' });
    expect((await signUp(weft, 'a@weft.test')).status).toBe(200);
    expect((await signUp(weft, 'b@weft.test')).status).toBe(200);
    const refused = await signUp(weft, 'c@weft.test');
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_waiting_users']);
    await weft.request('POST', '/api/v1/waiting_users/a@weft.test/approve', { token: admin });
    expect((await signUp(weft, 'c@weft.test')).status).toBe(200);
  });
});

it('on loopback a new account works at once', async () => {
  const { weft } = await start({});
  await signUp(weft);
  expect((await logIn(weft)).status).toBe(200);
});
