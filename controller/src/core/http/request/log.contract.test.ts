// What clients write never gets out of its line of the log, and no secret gets in: the command as a process of its own,
// with everything it wrote to standard error.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCache } from '../../../../../test/compile-cache.ts';
import { askRaw, openRawConnection } from '../../../../../test/raw-connection.ts';
import { withoutSecrets } from './log.ts';

const hostile = 'x\r\n{"level":"error","msg":"forged"}\u001b[2J\u001b]0;title\u0007\u2028\u0085';

let folder: string;
let child: ChildProcess;
let url: string;
let written = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-log-'));
  child = spawn(process.execPath, [join(import.meta.dirname, '../../../../dist/weft.js'), 'serve', '--port', '0'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...buildCache(), WEFT_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    written += text;
  });
  url = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /ready: (http\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', (code) => reject(new Error(`weft ended with ${code}: ${written}`)));
  });
});
afterAll(() => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The line about the request with this id, once it is there. */
async function lineOf(requestId: string): Promise<Record<string, unknown>> {
  const find = () => written.split('\n').find((line) => line.includes(`"request_id":"${requestId}"`));
  await expect.poll(find, { interval: 10 }).toBeDefined();
  return JSON.parse(find()!);
}

it.each<[string, string, RequestInit]>([
  [
    'user-name',
    '/api/v1/token/?login_type=user',
    { body: new URLSearchParams({ username: hostile, password: hostile }) },
  ],
  ['recovery', '/api/v1/users/password-recovery', { body: JSON.stringify({ username: hostile, password: hostile }) }],
  ['path', `/api/v1/users/${encodeURIComponent(hostile)}`, { method: 'PUT' }],
  ['query', `/api/v1/token/?login_type=${encodeURIComponent(hostile)}`, {}],
])('X3: line breaks and escape sequences in the %s stay inside one JSON line', async (name, path, init) => {
  const id = `x3-${name}`;
  const headers = { 'content-type': 'application/json', ...init.headers, 'x-request-id': id };
  if (init.body instanceof URLSearchParams) delete (headers as Record<string, string>)['content-type'];
  await (await fetch(url + path, { method: 'POST', ...init, headers })).text();
  expect(await lineOf(id)).toMatchObject({ msg: 'answered', request_id: id });
  for (const line of written.split('\n').filter((text) => text !== '')) {
    expect(JSON.parse(line).msg).not.toBe('forged');
  }
  expect(written).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/);
});

it('X3: nor does a User-Agent get into the log', async () => {
  const agent = 'User-Agent: "}{"msg":"forged"\tx\x9b2J';
  const request = `POST /api/v1/users/password-recovery HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: x3-agent\r\n${agent}\r\n\r\n`;
  expect((await askRaw(url, Buffer.from(request, 'latin1'))).status).toBe(422);
  await lineOf('x3-agent');
  expect(written).not.toContain('"msg":"forged"');
});

it('a request id that could break a line is not taken over', async () => {
  for (const id of ['a b', 'a"b', '\u001b[2J', 'a'.repeat(129), 'é']) {
    const answer = await askRaw(
      url,
      Buffer.from(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: ${id}\r\n\r\n`),
    );
    expect(answer.status === 400 || answer.headers.get('x-request-id') !== id, id).toBe(true);
  }
});

it('secret values of the query are not logged', async () => {
  const secret = 'sup3r-s3cret-value';
  const path = `/api/v1/users/public?code=${secret}&TOKEN=${secret}&access_token=${secret}&password=${secret}&a=kept`;
  await fetch(url + path, { method: 'POST', headers: { authorization: `Bearer ${secret}`, 'x-request-id': 'query' } });
  expect((await lineOf('query')).url).toBe(
    '/api/v1/users/public?code=***&TOKEN=***&access_token=***&password=***&a=kept',
  );
  expect(written).not.toContain(secret);
});

it.each([
  ['/x?token=abc', '/x?token=***'],
  ['/x?a=1&api_key=a%26b&b=2', '/x?a=1&api_key=***&b=2'],
  ['/x?token=abc&token=def', '/x?token=***&token=***'],
  ['/x?Secret=1#f', '/x?Secret=***#f'],
  ['/x?%74oken=abc', '/x?%74oken=***'],
  ['/write?u=x&p=abc&db=x', '/write?u=x&p=***&db=x'],
  ['/x?to%6Ben=abc&a=1', '/x?to%6Ben=***&a=1'],
  ['/api/v1/send_command?agent_id=a&command=set+psk+abc', '/api/v1/send_command?agent_id=a&command=***'],
  ['/api/v1/metrics/stream;token=abc', '/api/v1/metrics/stream;token=***'],
  ['/x;a=1;token=ab;c?d=1', '/x;a=1;token=***'],
  ['/x?a=1;token=ab;c&d=1', '/x?a=1;token=***&d=1'],
  ['/x%3Ftoken=abc', '/x%3Ftoken=***'],
  ['/x%3fa%3d1%26token%3Dabc', '/x%3fa%3d1%26token%3D***'],
  ['/x?mytoken=abc', '/x?mytoken=abc'],
  ['/token=abc', '/token=abc'],
])('%s is logged as %s', (given, logged) => {
  expect(withoutSecrets(given)).toBe(logged);
});

it('a client that goes away in the middle of its body is no unforeseen error', async () => {
  const connection = await openRawConnection(url);
  connection.send(
    'POST /api/v1/users/password-recovery HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"user',
  );
  // Once the second request is answered, the first one has been read too.
  await (await fetch(`${url}/healthz`)).text();
  connection.socket.resetAndDestroy();
  await (await fetch(`${url}/nowhere`, { headers: { 'x-request-id': 'afterwards' } })).text();
  await lineOf('afterwards');
  expect(written).not.toContain('unforeseen');
});

it('names the origin of a refused preflight once, with the setting that would allow it', async () => {
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'PUT' };
    expect((await fetch(`${url}/api/v1/users/me`, { method: 'OPTIONS', headers })).status).toBe(405);
  };
  const linesAbout = (text: string) => written.split('\n').filter((line) => line.includes(text));
  for (const origin of ['https://a.example', 'https://a.example', 'null', 'https://b.example']) await preflight(origin);
  await expect.poll(() => linesAbout('https://b.example').length, { interval: 10 }).toBe(1);
  expect(linesAbout('WEFT_CORS_ORIGINS').map((line) => JSON.parse(line).origin)).toEqual([
    'https://a.example',
    'https://b.example',
  ]);
});
