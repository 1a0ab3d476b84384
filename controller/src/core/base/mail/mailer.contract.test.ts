// Both ways out for mail, against a real SMTP server and a real folder.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readMail, startSmtp } from '../../../../../test/smtp.ts';
import { createOutboxMailer } from './mailer.outbox.ts';
import { createSmtpMailer } from './mailer.smtp.ts';

const sender = 'Weft <weft@weft.test>';
const mail = { to: 'zoe@weft.test', subject: 'Grüße', text: `A line\n\n${'long '.repeat(50)}ü\n`, html: '<p>ü</p>' };

describe('over SMTP', () => {
  afterEach(() => vi.useRealTimers());

  test('the server gets sender, recipient, subject and both parts as they were given', async () => {
    const smtp = await startSmtp();
    await createSmtpMailer(smtp.url, sender).send(mail);
    const [received] = smtp.mails;
    expect(received).toMatchObject({ from: 'weft@weft.test', to: ['zoe@weft.test'] });
    const { headers, text, html } = readMail(received!.raw);
    expect(headers.get('from')).toBe(sender);
    expect(headers.get('to')).toBe('zoe@weft.test');
    expect(text.trim()).toBe(mail.text.trim());
    expect(html.trim()).toBe(mail.html);
    await smtp.close();
  });

  test('name and password of the address are used', async () => {
    const login = { user: 'weft', pass: 'p@ss:wörd/' };
    const smtp = await startSmtp({ login });
    await createSmtpMailer(smtp.url, sender).send(mail);
    expect(smtp.mails).toHaveLength(1);
    await smtp.close();
  });

  test('beyond this machine a password is sent encrypted or not at all', async () => {
    const login = { user: 'weft', pass: 'canary' };
    const smtp = await startSmtp({ login });
    // Another spelling of the same address, which is not known to be loopback.
    const mailer = createSmtpMailer(smtp.url.replace('127.0.0.1', '127.1'), sender);
    await expect(mailer.send(mail)).rejects.toThrow(/STARTTLS/i);
    expect(smtp.mails).toEqual([]);
    await smtp.close();
  });

  test('a refused login fails, in send and in check, without telling the password', async () => {
    const smtp = await startSmtp({ login: { user: 'weft', pass: 'right' } });
    const mailer = createSmtpMailer(smtp.url.replace('right', 'wrong-canary'), sender);
    const errors = await Promise.all([mailer.send(mail), mailer.check()].map((done) => done.catch((error) => error)));
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('wrong-canary');
    }
    expect(smtp.mails).toEqual([]);
    await smtp.close();
  });

  test('nobody there: send and check fail', async () => {
    const smtp = await startSmtp();
    await smtp.close();
    const mailer = createSmtpMailer(smtp.url, sender);
    await expect(mailer.send(mail)).rejects.toThrow();
    await expect(mailer.check()).rejects.toThrow();
  });

  test('a server that never says a word is given up within 15 seconds', async () => {
    const arrived = Promise.withResolvers<void>();
    const silent = createServer((socket) => {
      socket.on('error', () => {});
      arrived.resolve();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const outcome = createSmtpMailer(`smtp://127.0.0.1:${port}`, sender)
      .send(mail)
      .then(
        () => 'sent',
        () => 'given up',
      );
    await arrived.promise;
    // Only once the client has seen the connection too does it wait for a greeting.
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(15_000);
    const undecided = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
    expect(await Promise.race([outcome, undecided])).toBe('given up');
    silent.close();
  });
});

describe('into the outbox', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-outbox-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('each mail is one whole .eml file that only its owner can read', async () => {
    const outbox = join(folder, 'outbox');
    const written: string[] = [];
    const mailer = createOutboxMailer(outbox, sender, (file) => written.push(file));
    await mailer.check();
    await Promise.all([mailer.send(mail), mailer.send(mail)]);
    const names = await readdir(outbox);
    expect(names.map((name) => join(outbox, name)).sort()).toEqual(written.sort());
    expect(names).toHaveLength(2);
    expect((await stat(outbox)).mode & 0o777).toBe(0o700);
    for (const file of written) {
      expect(file).toMatch(/\.eml$/);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const { headers, text, html } = readMail(await readFile(file, 'utf8'));
      expect([headers.get('to'), headers.get('from')]).toEqual([mail.to, sender]);
      expect([text.trim(), html.trim()]).toEqual([mail.text.trim(), mail.html]);
    }
  });

  test('where the folder cannot be, send and check fail', async () => {
    const inTheWay = join(folder, 'file');
    await writeFile(inTheWay, '');
    const mailer = createOutboxMailer(inTheWay, sender, () => {});
    await expect(mailer.check()).rejects.toThrow();
    await expect(mailer.send(mail)).rejects.toThrow();
  });
});
