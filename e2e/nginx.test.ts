// Behind the real nginx, with exactly the text of docs/operations.md: only names, ports and paths are replaced. Sockets,
// streams, long polls and the dashboard work as they do without it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { endProcess, findFreePort } from '../test/server-process.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../test/weft.ts';
import { hasBrowser, visit } from './browser.ts';
import { eventually, root } from './weft-process.ts';

const program = '/usr/sbin/nginx';
const hasNginx = existsSync(program);
if (!hasNginx)
  process.stderr.write('\n*** nginx is missing: ITS TESTS DO NOT RUN. Install the package nginx-light.\n\n');

let folder: string;
let weft: TestWeft;
let nginx: ChildProcess;
let url: string;
let admin: string;
let agent: string;
const connections = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** The text of the document in a file of its own; what surrounds it is in every nginx.conf. */
function writeSettings(port: number): string {
  const text = /```nginx\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/operations.md'), 'utf8'))?.[1] ?? '';
  const replaced = text
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('weft.example.org', '127.0.0.1')
    .replace('/etc/weft/tls/chain.pem', join(folder, 'chain.pem'))
    .replace('/etc/weft/tls/key.pem', join(folder, 'key.pem'))
    .replace('http://127.0.0.1:8000', weft.url);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  const path = join(folder, 'nginx.conf');
  writeFileSync(
    path,
    `daemon off;\nuser root;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'error.log')} warn;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${replaced}\n}\n`,
  );
  return path;
}

beforeAll(async () => {
  if (!hasNginx) return;
  folder = mkdtempSync(join(tmpdir(), 'weft-nginx-'));
  mkdirSync(join(folder, 'data'));
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=127.0.0.1'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'chain.pem')];
  execFileSync('openssl', ['req', '-x509', ...made, ...files], { stdio: 'ignore' });
  const port = await findFreePort();
  url = `https://127.0.0.1:${port}`;
  weft = await startWeft({
    WEFT_DATA_DIR: join(folder, 'data'),
    WEFT_PUBLIC_URL: url,
    WEFT_TRUSTED_PROXIES: '127.0.0.1',
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
  });
  admin = await weft.login('user', adminUsername);
  agent = await weft.agent('ap-1');
  nginx = spawn(program, ['-p', folder, '-c', writeSettings(port), '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  });
  const isThere = () =>
    ask('GET', '/healthz')
      .then(({ status }) => status)
      .catch(() => 0);
  await eventually(isThere, (status) => status === 200);
});
afterAll(async () => {
  connections.destroy();
  if (nginx) await endProcess(nginx, 'SIGTERM');
  await weft?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

function ask(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      request(url + path, { method, headers, agent: connections }, async (response) => {
        const text = (await response.toArray()).join('');
        resolve({ status: response.statusCode, headers: response.headers, text });
      })
        .on('error', reject)
        .end(body);
    },
  );
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.skipIf(!hasNginx)('behind nginx as documented', () => {
  test('sockets: an agent holds its channel and gets a command on it', async () => {
    const socket = new WebSocket(`${url.replace('https', 'wss')}/api/v1/agents/ap-1/channel`, {
      headers: bearer(agent),
      rejectUnauthorized: false,
    });
    const messages: string[] = [];
    socket.on('message', (bytes) => messages.push(String(bytes)));
    await once(socket, 'open');
    const sent = await ask('POST', '/api/v1/send_command?agent_id=ap-1&command=sleep', bearer(admin));
    expect(sent.status).toBe(200);
    await expect.poll(() => messages.join(), { interval: 10 }).toContain('sleep');
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  });

  test('streams: an event comes at once, not when the stream ends', async () => {
    const events = Promise.withResolvers<string>();
    const stream = request(
      `${url}/api/v1/metrics/stream`,
      { headers: bearer(admin), agent: connections },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('error', () => {});
        response.on('data', (chunk) => {
          text += chunk;
          if (text.includes('"rssi":-61')) events.resolve(text);
        });
      },
    );
    stream.on('error', () => {});
    stream.end();
    const report = () =>
      ask(
        'POST',
        '/api/v1/agent_update/update',
        { ...bearer(agent), 'content-type': 'application/json' },
        '{"rssi":-61}',
      );
    await once(stream, 'response');
    expect((await report()).status).toBe(200);
    expect(await events.promise).toContain('event: sample');
    stream.destroy();
  });

  test('long polls: the answer comes with the command', async () => {
    const waiting = ask('GET', '/api/v1/agents/ap-2/commands?wait=60', bearer(await weft.agent('ap-2')));
    const sent = await ask('POST', '/api/v1/send_command?agent_id=ap-2&command=wake', bearer(admin));
    expect(sent.status).toBe(200);
    expect((await waiting).text).toContain('wake');
  });

  test('bodies as long as Weft takes them pass, and longer ones get the answer of Weft', async () => {
    const type = { ...bearer(agent), 'content-type': 'application/json' };
    const padded = (length: number) => `{"rssi":-60${' '.repeat(length - 12)}}`;
    expect((await ask('POST', '/api/v1/agent_update/update', type, padded(1024 * 1024))).status).toBe(200);
    // Weft answers before it has read all, and nginx may notice the closed connection first (502): a matter of timing.
    const tooLong = () => ask('POST', '/api/v1/agent_update/update', type, padded(1024 * 1024 + 1));
    const long = await eventually(tooLong, ({ status }) => status === 413);
    expect(JSON.parse(long.text).code).toBe('body_too_large');
  });

  test('answers pass as they are: compressed, unchanged, without a body', async () => {
    const zipped = await ask('GET', '/openapi.json', { 'accept-encoding': 'br' });
    expect([zipped.status, zipped.headers['content-encoding']]).toEqual([200, 'br']);
    const again = await ask('GET', '/openapi.json', { 'if-none-match': String(zipped.headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await ask('HEAD', '/api/v1/users/me', bearer(admin))).status).toBe(200);
  });

  test.skipIf(!hasBrowser)('the dashboard: signing in, and a page with live values', async () => {
    const { page } = await visit(url, { ignoreHTTPSErrors: true });
    await page.getByLabel('E-mail address').fill(adminUsername);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview', exact: true }).waitFor();
    await page.goto(`${url}/agents/ap-1`);
    await page.getByRole('heading', { level: 1, name: 'ap-1', exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor();
  });
});
