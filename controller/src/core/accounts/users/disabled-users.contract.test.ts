// Accounts that are disabled, over HTTP: who may do it to whom, what it ends and what it leaves alone, and what those see
// who try to get in.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseKind, eachDatabaseOfServers } from '../../../../../test/databases.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { readMail, startSmtp } from '../../../../../test/smtp.ts';
import { bearer, connect } from '../../../../../test/socket-client.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { openAccounts } from '../../../offline.ts';

const users = '/api/v1/users/';
const disabled = '/api/v1/disabled_users';
const success = { status: 'success', detail: expect.any(String) };
const accountDisabled = {
  detail: 'This account is disabled; an administrator can enable it',
  code: 'account_disabled',
};

let weft: TestWeft;
let admin: string;
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
});
afterAll(() => weft.stop());

function change(method: 'PUT' | 'DELETE', username: string, token = admin, server = weft) {
  return server.request(method, `${disabled}/${encodeURIComponent(username)}`, { token });
}

function logIn(username: string, secret = password, server = weft) {
  return server.request('POST', '/api/v1/token?login_type=user', { form: { username, password: secret } });
}

const statusOfMe = async (token: string, server = weft) =>
  (await server.request('GET', `${users}me`, { token })).status;

async function onDatabase(kind: DatabaseKind, use: (server: TestWeft) => Promise<void>): Promise<void> {
  const namespace = await kind.createNamespace();
  const onPostgres = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') };
  const server = await startWeft(kind.dialect === 'postgres' ? onPostgres : {});
  try {
    await use(server);
  } finally {
    await server.stop();
    await namespace.remove();
  }
}

eachDatabaseOfServers((kind) => {
  test('a user is disabled, listed and enabled, each as often as one likes', () =>
    onDatabase(kind, async (server) => {
      const token = await server.admin();
      const before = await server.user('ann+1@weft.test');
      const ask = async (method: string, path = '') => {
        const { status, body } = await server.request(method, disabled + path, { token });
        return [status, body];
      };
      const ann = {
        username: 'ann+1@weft.test',
        disabled_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        disabled_by: adminUsername,
      };
      expect(await ask('GET')).toEqual([200, []]);
      expect(await statusOfMe(before, server)).toBe(200);
      const first = await ask('PUT', '/Ann+1@Weft.test');
      expect(first).toEqual([200, ann]);
      expect(await statusOfMe(before, server)).toBe(401);
      expect(await ask('PUT', '/ann+1%40weft.test')).toEqual(first);
      expect(await ask('GET', '/')).toEqual([200, [first[1]]]);
      const { body: all } = await server.request('GET', users, { token });
      expect(all).toContainEqual({ username: 'ann+1@weft.test', roles: 'user', scopes: [] });
      expect(await ask('DELETE', '/ANN+1@weft.test')).toEqual([200, success]);
      expect(await ask('DELETE', '/ann+1@weft.test')).toEqual([200, success]);
      expect(await ask('GET')).toEqual([200, []]);
      expect(await statusOfMe(before, server)).toBe(401);
      expect(await statusOfMe(await server.login('user', 'ann+1@weft.test'), server)).toBe(200);
      const unknown = [404, { detail: 'User not found', code: 'user_not_found' }];
      expect(await ask('PUT', '/nobody@weft.test')).toEqual(unknown);
      expect(await ask('DELETE', '/nobody@weft.test')).toEqual(unknown);
    }));

  test('of two administrators who disable each other at once, one remains, who can enable the other', () =>
    onDatabase(kind, async (server) => {
      let [username, token] = [adminUsername, await server.admin()];
      for (let round = 0; round < 4; round += 1) {
        const other = `other${round}@weft.test`;
        await server.request('POST', users, { token, json: { username: other, password, roles: ['admin'] } });
        const otherToken = await server.login('user', other);
        const answers = await Promise.all([
          change('PUT', other, token, server),
          change('PUT', username, otherToken, server),
        ]);
        const [won, lost] = answers[0].status === 200 ? answers : [answers[1], answers[0]];
        expect(won.status).toBe(200);
        // Refused by the guard, or already without a token.
        expect([401, 409]).toContain(lost.status);
        if (answers[1].status === 200) [username, token] = [other, otherToken];
        const { body } = await server.request('GET', disabled, { token });
        expect(body).toEqual([won.body]);
        expect((await change('DELETE', won.body.username, token, server)).status).toBe(200);
        expect((await server.request('DELETE', users + won.body.username, { token })).status).toBe(200);
      }
    }));

  test('tokens end within a second when it is done on the command line', () =>
    onDatabase(kind, async (server) => {
      const token = await server.user('bob@weft.test', ['admin']);
      expect(await statusOfMe(token, server)).toBe(200);
      const accounts = await openAccounts(server.config, 'operator');
      await accounts.users.disable('Bob@weft.test');
      await untilSo(async () => expect(await statusOfMe(token, server)).toBe(401));
      expect((await logIn('bob@weft.test', password, server)).body).toEqual(accountDisabled);
      const { body } = await server.request('GET', disabled, { token: await server.admin() });
      expect(body).toMatchObject([{ username: 'bob@weft.test', disabled_by: 'operator' }]);
      await accounts.users.enable('bob@weft.test');
      await accounts.close();
      expect((await logIn('bob@weft.test', password, server)).status).toBe(200);
    }));
});

describe('a user who is disabled', () => {
  test('learns so with the right password, and with a wrong one what anybody learns', async () => {
    for (const name of ['off', 'on']) await weft.user(`${name}@weft.test`);
    await change('PUT', 'off@weft.test');
    const right = await logIn(' OFF@weft.test');
    expect([right.status, right.body]).toEqual([401, accountDisabled]);
    expect(right.headers.get('www-authenticate')).toBe('Bearer');
    const wrong = await logIn('off@weft.test', 'not the password');
    for (const name of ['on', 'nobody']) {
      const { status, body, headers } = await logIn(`${name}@weft.test`, 'not the password');
      expect([wrong.status, wrong.body]).toEqual([status, body]);
      expect([...wrong.headers.keys()]).toEqual([...headers.keys()]);
    }
    expect(wrong.body.code).toBe('invalid_credentials');
    const signUp = (username: string) => weft.request('POST', `${users}signup`, { json: { username, password } });
    const [taken, takenToo] = [await signUp('on@weft.test'), await signUp('off@weft.test')];
    expect([takenToo.status, takenToo.body]).toEqual([409, taken.body]);
  });

  test('costs as much to ask about as anybody: its failures count towards the same limits', async () => {
    const strict = await startWeft({ WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '2' });
    try {
      await strict.user('off@weft.test');
      await change('PUT', 'off@weft.test', await strict.admin(), strict);
      const statuses = [];
      for (const secret of [password, 'wrong password', password]) {
        statuses.push((await logIn('off@weft.test', secret, strict)).status);
      }
      expect(statuses).toEqual([401, 401, 429]);
    } finally {
      await strict.stop();
    }
  });

  test('loses its WebSockets and streams, and what it asked for ends at once', async () => {
    const token = await weft.user('owner@weft.test');
    await weft.agent('ap-1');
    const times = `start_time=2026-01-01T00:00:00Z&end_time=${new Date(Date.now() + 600_000).toISOString()}`;
    const path = `/api/v1/agent_data/request_agent_data?agent_id=ap-1&${times}`;
    const { job_number } = (await weft.request('POST', path, { token })).body;
    const socket = await connect(weft.url, `/api/v1/ws/${job_number}`, bearer(token));
    const stream = await fetch(`${weft.url}/api/v1/metrics/stream`, { headers: { authorization: `Bearer ${token}` } });
    const streamEnd = stream.text();
    expect((await change('PUT', 'owner@weft.test')).status).toBe(200);
    expect((await socket.closed).code).toBe(1000);
    expect(socket.messages.at(-1)).toMatchObject({ type: 'status', final: true, data: [{ state: 'cancelled' }] });
    await streamEnd;
    const job = await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: admin });
    expect(job.body).toMatchObject({ state: 'cancelled', detail: 'The account of its owner was disabled' });
    await change('DELETE', 'owner@weft.test');
    const again = await weft.login('user', 'owner@weft.test');
    const own = await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: again });
    expect(own).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  });

  test('stays so whatever else an administrator changes', async () => {
    await weft.user('stays@weft.test');
    await change('PUT', 'stays@weft.test');
    const json = { password: 'another password', roles: ['user', 'admin'] };
    expect((await weft.request('PUT', `${users}stays@weft.test`, { token: admin, json })).status).toBe(200);
    expect((await logIn('stays@weft.test', 'another password')).body).toEqual(accountDisabled);
    expect((await weft.request('DELETE', `${users}stays@weft.test`, { token: admin })).status).toBe(200);
    await weft.user('stays@weft.test');
  });

  test('gets no mail to recover a password, and no use out of one from before', async () => {
    const smtp = await startSmtp();
    const mailing = await startWeft({ WEFT_SMTP_URL: smtp.url, WEFT_MAIL_FROM: 'Weft <noreply@weft.test>' });
    try {
      const token = await mailing.admin();
      for (const name of ['off', 'next']) await mailing.user(`${name}@weft.test`);
      const recover = (username: string) =>
        mailing.request('POST', `${users}password-recovery`, { json: { username: `${username}@weft.test` } });
      const mailsTo = (username: string) => smtp.mails.filter(({ to }) => to.includes(`${username}@weft.test`));
      const known = await recover('off');
      await untilSo(async () => expect(mailsTo('off')).toHaveLength(1));
      const mailed = /#token=([\w-]+)/.exec(readMail(mailsTo('off')[0]!.raw).text)![1];
      await change('PUT', 'off@weft.test', token, mailing);
      const answer = await recover('off');
      expect([answer.status, answer.body]).toEqual([known.status, known.body]);
      // Wishes are worked on in turn: once the next has its mail, this one was passed over.
      await recover('next');
      await untilSo(async () => expect(mailsTo('next')).toHaveLength(1));
      expect(mailsTo('off')).toHaveLength(1);
      const reset = () =>
        mailing.request('POST', `${users}reset-password`, { json: { token: mailed, new_password: 'a new password' } });
      const unusable = { detail: expect.any(String), code: 'invalid_reset_token' };
      expect((await reset()).body).toEqual(unusable);
      await change('DELETE', 'off@weft.test', token, mailing);
      expect((await reset()).body).toEqual(unusable);
      await mailing.login('user', 'off@weft.test');
    } finally {
      await mailing.stop();
      await smtp.close();
    }
  });
});

describe('nobody locks everybody out', () => {
  const lastOne = [409, { detail: expect.any(String), code: 'last_administrator' }];

  test('not even themselves: an account is disabled by somebody else', async () => {
    const other = await weft.user('second@weft.test', ['admin']);
    const { status, body } = await change('PUT', 'Second@weft.test', other);
    expect([status, body]).toEqual([
      409,
      { detail: expect.stringContaining('could not enable it again'), code: 'own_account' },
    ]);
    expect(await statusOfMe(other)).toBe(200);
    await weft.request('DELETE', `${users}second@weft.test`, { token: admin });
  });

  test('the last administrator who is not disabled can neither be demoted nor deleted nor disabled', async () => {
    await weft.user('spare@weft.test', ['admin']);
    await change('PUT', 'spare@weft.test');
    for (const [method, json] of [['DELETE'], ['PUT', { roles: ['user'] }]] as const) {
      const { status, body } = await weft.request(method, users + adminUsername, { token: admin, json });
      expect([status, body]).toEqual(lastOne);
    }
    const accounts = await openAccounts(weft.config);
    await expect(accounts.users.disable(adminUsername)).rejects.toMatchObject({ code: 'last_administrator' });
    await accounts.close();
    expect(await statusOfMe(admin)).toBe(200);
    expect((await weft.request('DELETE', `${users}spare@weft.test`, { token: admin })).status).toBe(200);
  });
});
