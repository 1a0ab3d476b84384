// A forgotten password: from the wish to the mail, from the mail to a new password, whatever is down in between.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readMail, startSmtp, type TestSmtp } from '../../../../../test/smtp.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { hashGeneratedSecret } from '../../base/secrets.ts';
import { openSqlite } from '../../base/storage/sql-database.sqlite.ts';
import { resetMail } from './password-recovery-service.ts';

const withAdmin = { WEFT_ADMIN_USERNAME: adminUsername, WEFT_ADMIN_PASSWORD: password };
const unusable = { detail: expect.any(String), code: 'invalid_reset_token' };

function recover(weft: TestWeft, username: string, headers: Record<string, string> = {}) {
  return weft.request('POST', '/api/v1/users/password-recovery', { json: { username }, headers });
}

function reset(weft: TestWeft, token: string, new_password = 'a new password') {
  return weft.request('POST', '/api/v1/users/reset-password', { json: { token, new_password } });
}

function tokenIn(text: string): string {
  return /#token=([\w-]+)/.exec(text)?.[1] ?? 'no token in the mail';
}

async function query(weft: TestWeft, sql: string) {
  const database = openSqlite(join(weft.config.dataDir, 'weft.db'));
  try {
    return await database.query(sql);
  } finally {
    await database.close();
  }
}

const countOf = (weft: TestWeft, table: string) =>
  query(weft, `SELECT 1 AS one FROM ${table}`).then((rows) => rows.length);

describe('with a mail server', () => {
  let smtp: TestSmtp;
  let weft: TestWeft;
  let admin: string;
  beforeAll(async () => {
    smtp = await startSmtp();
    weft = await startWeft({
      ...withAdmin,
      WEFT_SMTP_URL: smtp.url,
      WEFT_MAIL_FROM: 'Weft <noreply@weft.test>',
      WEFT_PUBLIC_URL: 'https://weft.example.org',
    });
    admin = await weft.login('user', adminUsername);
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    await weft.stop();
    await smtp.close();
  });

  async function createUser(username: string): Promise<void> {
    const json = { username, password, roles: ['user'] };
    expect((await weft.request('POST', '/api/v1/users/', { token: admin, json })).status).toBe(200);
  }
  const mailsTo = (username: string) => smtp.mails.filter(({ to }) => to.includes(username));
  async function tokenFor(username: string, count = 1): Promise<string> {
    await recover(weft, username);
    await expect.poll(() => mailsTo(username).length).toBe(count);
    return tokenIn(readMail(mailsTo(username)[count - 1]!.raw).text);
  }

  test('the mailed token sets a new password once, and ends the old sessions', async () => {
    await createUser('ann@weft.test');
    const session = await weft.login('user', 'ann@weft.test');
    const token = await tokenFor('ann@weft.test');
    const { status, body } = await reset(weft, token);
    expect([status, body]).toEqual([200, { status: 'success', detail: expect.any(String) }]);
    expect((await weft.request('GET', '/api/v1/users/me', { token: session })).status).toBe(401);
    await expect(weft.login('user', 'ann@weft.test')).rejects.toThrow('Incorrect');
    await weft.login('user', 'ann@weft.test', 'a new password');
    const again = await reset(weft, token, 'yet another one');
    expect([again.status, again.body]).toEqual([400, unusable]);
  });

  test('a known and an unknown name get the same answer, and only the known one a mail', async () => {
    await createUser('known@weft.test');
    const unknown = await recover(weft, 'unknown@weft.test');
    const known = await recover(weft, 'Known@weft.test');
    expect(known.status).toBe(200);
    expect(known.body).toEqual({ status: 'success', detail: expect.any(String) });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    await expect.poll(() => countOf(weft, 'recovery_requests')).toBe(0);
    expect(mailsTo('known@weft.test')).toHaveLength(1);
    expect(mailsTo('unknown@weft.test')).toHaveLength(0);
  });

  test('C14 of parallel uses of one token, one succeeds', async () => {
    await createUser('race@weft.test');
    const token = await tokenFor('race@weft.test');
    const secrets = [1, 2, 3, 4, 5].map((n) => `new password ${n}`);
    const answers = await Promise.all(secrets.map((secret) => reset(weft, token, secret)));
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers.map(({ status }) => status)).toEqual(secrets.map((_, n) => (n === winner ? 200 : 400)));
    await weft.login('user', 'race@weft.test', secrets[winner]!);
  });

  test('C14 unknown, replaced and expired tokens are refused in the same words', async () => {
    await createUser('late@weft.test');
    const older = await tokenFor('late@weft.test');
    const newer = await tokenFor('late@weft.test', 2);
    expect(newer).not.toBe(older);
    expect(Buffer.from(newer, 'base64url').length).toBeGreaterThanOrEqual(16);
    const answers = [await reset(weft, 'unknown'), await reset(weft, older)];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * 60_000 });
    answers.push(await reset(weft, newer));
    for (const { status, body } of answers) expect([status, body]).toEqual([400, answers[0]!.body]);
    vi.setSystemTime(Date.now() - 2 * 60_000);
    expect((await reset(weft, newer)).status).toBe(200);
  });

  test('C14 the database knows only the hash of a token', async () => {
    await createUser('hash@weft.test');
    const token = await tokenFor('hash@weft.test');
    const rows = JSON.stringify(await query(weft, 'SELECT * FROM reset_tokens'));
    expect(rows).not.toContain(token);
    expect(rows).toContain(hashGeneratedSecret(token));
  });

  test('C15 a hundred wishes for one account are answered alike and make three mails an hour', async () => {
    await createUser('victim@weft.test');
    const answers = [];
    for (let n = 0; n < 100; n += 1) answers.push(await recover(weft, 'victim@weft.test'));
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    await expect.poll(() => countOf(weft, 'recovery_requests')).toBe(0);
    expect(mailsTo('victim@weft.test')).toHaveLength(3);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61 * 60_000 });
    await tokenFor('victim@weft.test', 4);
  });

  test('a stream of wishes does not hold up the mail of the first', async () => {
    await createUser('patient@weft.test');
    await recover(weft, 'patient@weft.test');
    const deadline = Date.now() + 45_000;
    while (mailsTo('patient@weft.test').length === 0 && Date.now() < deadline) await recover(weft, 'noise@weft.test');
    expect(mailsTo('patient@weft.test')).toHaveLength(1);
  });

  test('C16 links lead to the public address, whatever the request says', async () => {
    await createUser('link@weft.test');
    const forged = { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' };
    await recover(weft, 'link@weft.test', forged);
    await expect.poll(() => mailsTo('link@weft.test').length).toBe(1);
    const mail = mailsTo('link@weft.test')[0]!;
    const { text, html, headers } = readMail(mail.raw);
    expect(mail).toMatchObject({ from: 'noreply@weft.test', to: ['link@weft.test'] });
    expect(headers.get('subject')).toBe('Reset your Weft password');
    const hosts = [...`${text}${html}`.matchAll(/https?:\/\/([\w.-]*\w)/g)].map(([, host]) => host);
    expect(hosts.length).toBeGreaterThan(4);
    expect(new Set(hosts)).toEqual(new Set(['weft.example.org']));
    expect(text).toMatch(/https:\/\/weft\.example\.org\/reset-password#token=[\w-]{43}\n/);
    expect(mail.raw).not.toContain('evil.test');
  });

  test('X7 what a name holds is escaped in the HTML part and plain in the text part', async () => {
    const username = "a&b'c@weft.test";
    await createUser(username);
    await tokenFor(username);
    const { text, html } = readMail(mailsTo(username)[0]!.raw);
    expect(text).toContain(username);
    expect(html).not.toContain(username);
    expect(html).toContain('a&#38;b&#39;c@weft.test');
    expect(resetMail('<img src=x>"', 't', 'https://x').html).not.toMatch(/<img|"&/);
  });

  test('D7 expired tokens are really deleted', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 3_600_000 });
    await recover(weft, 'nobody@weft.test');
    await expect.poll(() => countOf(weft, 'recovery_requests')).toBe(0);
    const tokens = weft.platform.retention.kinds.find(({ name }) => name === 'reset tokens')!;
    await tokens.remove(Date.now());
    expect(await countOf(weft, 'reset_tokens')).toBe(0);
  });

  test.each([
    ['password-recovery', {}, [['body', 'username']]],
    ['password-recovery', { username: 'no address' }, [['body', 'username']]],
    [
      'reset-password',
      {},
      [
        ['body', 'token'],
        ['body', 'new_password'],
      ],
    ],
    ['reset-password', { token: 'canary-token', new_password: 'canary' }, [['body', 'new_password']]],
  ])('%s with %o is refused', async (path, json, locs) => {
    const { status, body } = await weft.request('POST', `/api/v1/users/${path}`, { json });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual(locs);
    expect(JSON.stringify(body)).not.toContain('canary');
  });
});

describe('with trouble', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-recovery-'));
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('a wish outlives a restart; without a mail server the mail is a file in the outbox', async () => {
    const settings = { ...withAdmin, WEFT_DATA_DIR: join(folder, 'restart') };
    const { url, close } = await startSmtp();
    await close();
    // Its mail server is down, so that the wish is still there when it stops, however long that takes.
    const first = await startWeft({ ...settings, WEFT_SMTP_URL: url });
    await recover(first, adminUsername);
    await expect.poll(() => query(first, 'SELECT attempts FROM recovery_requests')).toEqual([{ attempts: 1 }]);
    await first.stop();
    const outbox = join(settings.WEFT_DATA_DIR, 'outbox');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 60_000 });
    const second = await startWeft(settings);
    const files = () => readdir(outbox).catch(() => []);
    await expect.poll(files).toEqual([expect.stringMatching(/^[^.].*\.eml$/)]);
    const { headers, text } = readMail(await readFile(join(outbox, (await files())[0]!), 'utf8'));
    expect(headers.get('to')).toBe(adminUsername);
    expect(text).toContain(`${second.url}/reset-password#token=`);
    expect((await reset(second, tokenIn(text))).status).toBe(200);
    await second.login('user', adminUsername, 'a new password');
    await second.stop();
  });

  test('while the mail server is down a wish waits, and its mail goes out later', async () => {
    const { url, close } = await startSmtp();
    await close();
    const weft = await startWeft({ ...withAdmin, WEFT_SMTP_URL: url });
    await recover(weft, adminUsername);
    const attempts = () => query(weft, 'SELECT attempts FROM recovery_requests');
    await expect.poll(attempts).toEqual([{ attempts: 1 }]);
    await expect.poll(() => countOf(weft, 'reset_tokens')).toBe(0);
    const smtp = await startSmtp({ port: Number(new URL(url).port) });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 60_000 });
    await recover(weft, 'nobody@weft.test');
    await expect.poll(() => smtp.mails.length).toBe(1);
    expect((await reset(weft, tokenIn(readMail(smtp.mails[0]!.raw).text))).status).toBe(200);
    await expect.poll(() => countOf(weft, 'recovery_requests')).toBe(0);
    await weft.stop();
    await smtp.close();
  });
});
