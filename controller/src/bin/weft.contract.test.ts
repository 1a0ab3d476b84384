// The command as a process of its own: what only signals, exit codes and real streams can show. Starts that must not happen:
// e2e/refused-start.test.ts.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildCache } from '../../../test/compile-cache.ts';
import { runCommand } from './commands.ts';

let folder: string;
const children: ChildProcessWithoutNullStreams[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-process-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function weft(args: string[], env: Record<string, string> = {}, input = '') {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/weft.js'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...buildCache(), WEFT_LOG_LEVEL: 'silent', ...env },
  });
  children.push(child);
  child.stdin.end(input);
  const said = { out: '', err: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text;
  });
  const ready = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.out += text;
      const url = /ready: (http\S+)/.exec(said.out)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, ...said }));
  });
  return { child, ended, ready };
}

/** In this process: to start one is most of what such a command does. */
async function here(args: string[], input = '') {
  let [out, err] = ['', ''];
  const code = await runCommand(args, {
    env: { WEFT_DATA_DIR: join(folder, 'data'), WEFT_LOG_LEVEL: 'silent' },
    stdin: new PassThrough().end(input),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'serve says where it is and what is next, and %s ends it with 0',
  async (signal) => {
    const { child, ended, ready } = weft(['serve', '--port', '0']);
    const url = await ready;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill(signal);
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out).toContain('create the administrator');
    expect(out).toContain(join(folder, 'data'));
  },
);

test('a request under way is answered, though the wish to stop arrive twice, as from a terminal and from npm', async () => {
  const { child, ended, ready } = weft(['serve', '--port', '0']);
  const body = 'grant_type=password';
  const answer = Promise.withResolvers<string>();
  const socket = connect(Number(new URL(await ready).port), '127.0.0.1');
  const head = [
    'POST /api/v1/token HTTP/1.1',
    'Host: localhost',
    'Expect: 100-continue',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // "100 Continue" says that the request has begun.
  await once(socket, 'data');
  socket.once('data', (data) => answer.resolve(data.toString()));
  child.kill('SIGINT');
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  socket.write(body);
  expect(await answer.promise).toMatch(/^HTTP\/1\.1 4/);
  expect((await ended).code).toBe(0);
});

test('serve behind a proxy prints the code that the administrator needs, and does not invite everybody', async () => {
  const { child, ended, ready } = weft(['serve', '--port', '0'], { WEFT_TRUSTED_PROXIES: '127.0.0.1' });
  const url = await ready;
  const page = await (await fetch(url, { headers: { 'x-forwarded-for': '192.0.2.1' } })).text();
  child.kill('SIGTERM');
  const { out } = await ended;
  expect(out).toMatch(/create the administrator with the code below\.\n {2}Code {3}\S+ \(needed/);
  expect([out, page].join()).not.toContain('first visitor');
});

test('an account made at the command line is listed', async () => {
  const add = await weft(['user', 'add', 'Ada@Weft.test', '--role', 'admin', '--password-stdin'], {}, 'a long pass\n')
    .ended;
  const isNew = `There was no database in ${join(folder, 'data')}; it is new.\n`;
  expect(add).toEqual({ code: 0, out: '', err: `Created ada@weft.test (admin).\n${isNew}` });
  const again = await here(['user', 'add', 'ada@weft.test', '--password-stdin'], 'a long pass\n');
  expect(again.code).toBe(1);
  const short = await here(['user', 'add', 'eve@weft.test', '--password-stdin'], 'short\n');
  expect(short).toMatchObject({ code: 1, err: expect.stringMatching(/^weft: password: /) });
  const list = await here(['user', 'list', '--json']);
  expect(JSON.parse(list.out)).toMatchObject([{ username: 'ada@weft.test', roles: 'admin' }]);
  expect(list.out).not.toContain('argon2');
});

test.each([['list'], ['disable', 'ada@weft.test'], ['set-password', 'ada@weft.test', '--password-stdin']])(
  'user %s does not create a data folder where the name was mistyped',
  async (...args) => {
    const { code, err } = await here(['user', ...args, '--data-dir', join(folder, 'typo')], 'a long pass\n');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^weft: there is no database in .*typo: set the data folder/),
    ]);
    expect(existsSync(join(folder, 'typo'))).toBe(false);
  },
);

test('an account is disabled and enabled at the command line, which says so; the last administrator is not', async () => {
  const secret = 'a long pass\n';
  await here(['user', 'add', 'ada@weft.test', '--role', 'admin', '--password-stdin'], secret);
  const last = await here(['user', 'disable', 'ada@weft.test']);
  expect(last).toEqual({
    code: 1,
    out: '',
    err: 'weft: The last administrator cannot be disabled, demoted or deleted\n',
  });
  await here(['user', 'add', 'bob@weft.test', '--role', 'admin', '--password-stdin'], secret);
  const disable = await here(['user', 'disable', 'Ada@weft.test']);
  expect(disable).toEqual({ code: 0, out: '', err: 'Disabled Ada@weft.test; all its tokens are revoked.\n' });
  const moment = '\\d{4}-\\d\\d-\\d\\d [\\d:]+';
  const table = [
    `ada@weft\\.test  admin       ${moment}  disabled by \\S.*, ${moment}\n`,
    `bob@weft\\.test  admin       ${moment}  enabled\n`,
  ];
  expect((await here(['user', 'list'])).out).toMatch(new RegExp(`^${table.join('')}$`));
  const enable = await here(['user', 'enable', 'ada@weft.test']);
  expect(enable).toEqual({ code: 0, out: '', err: 'Enabled ada@weft.test; the user can sign in again.\n' });
  const state = { disabled_at: null, disabled_by: null, waiting_since: null };
  expect(JSON.parse((await here(['user', 'list', '--json'])).out)).toMatchObject([state, state]);
  const nobody = await here(['user', 'enable', 'nobody@weft.test']);
  expect(nobody).toEqual({ code: 1, out: '', err: 'weft: User not found\n' });
});

test('doctor is content with a fresh machine', async () => {
  const { code, out } = await weft(['doctor', '--port', '0']).ended;
  expect(out).not.toContain('✗');
  expect(out).toContain('WEFT_CORS_ORIGINS');
  expect(code).toBe(0);
});
