// Nobody reads standard error: a pipe whose reader sleeps, the socket that a supervisor gives, a terminal. Weft goes on, answers at
// once, tells what it dropped when it is read again, and can be stopped.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildCache } from '../../../../../test/compile-cache.ts';

let folder: string;
let child: ChildProcess | undefined;
const descriptors: number[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-stalled-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  rmSync(folder, { recursive: true, force: true });
});

/** Both ends of a pipe, of which the first is read by nobody but the test. */
function openPipe(): { reader: number; writer: number } {
  const path = join(folder, 'stderr');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  descriptors.push(reader, writer);
  return { reader, writer };
}

async function start(stderr: number | 'pipe', env: Record<string, string> = {}): Promise<string> {
  child = spawn(process.execPath, [join(import.meta.dirname, '../../../../dist/weft.js'), 'serve', '--port', '0'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...buildCache(), ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  let said = '';
  for await (const text of child.stdout!.setEncoding('utf8')) {
    said += text;
    const url = /ready: (http\S+)/.exec(said)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`weft did not start: ${said}`);
}

/** On a terminal of its own, of which nothing is read after the address. */
async function startOnTerminal(env: Record<string, string> = {}): Promise<{ url: string; read: () => string }> {
  const command = `exec ${process.execPath} ${join(import.meta.dirname, '../../../../dist/weft.js')} serve --port 0`;
  child = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...buildCache(), SHELL: '/bin/sh', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  let found: string | undefined;
  const stdout = child.stdout!.setEncoding('utf8');
  while (found === undefined) {
    await once(stdout, 'readable', { signal: AbortSignal.timeout(60_000) });
    said += stdout.read() ?? '';
    found = /ready: (http\S+)/.exec(said)?.[1];
  }
  return {
    url: found,
    read: () => {
      said += stdout.read() ?? '';
      return said;
    },
  };
}

/** Refused requests, each of which is a line of the log; a hundred at a time on one connection. */
async function flood(url: string, count: number): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const request = `GET /api/v1/users/${'x'.repeat(480)} HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: ${'x'.repeat(128)}\r\n\r\n`;
  const socket = connect({ host: hostname, port: Number(port) });
  for (let left = count; left > 0; left -= 100) {
    socket.write(request.repeat(Math.min(left, 100)));
    let text = '';
    while (text.split('HTTP/1.1 401 ').length <= Math.min(left, 100)) {
      const [bytes] = await once(socket, 'data', { signal: AbortSignal.timeout(180_000) });
      text += bytes;
    }
  }
  socket.destroy();
}

/** A write that waits for a reader would wait for ever, and this with it. */
async function expectHealthy(url: string): Promise<void> {
  for (let count = 0; count < 5; count++) {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(60_000) });
    expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
  }
}

function readAll(descriptor: number): string {
  const chunk = Buffer.alloc(65_536);
  let text = '';
  try {
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      text += chunk.toString('utf8', 0, count);
    }
  } catch {
    // EAGAIN: nothing more at the moment.
  }
  return text;
}

// At this level every line is written, so that the flood fills every buffer.
const everyLine = { WEFT_LOG_LEVEL: 'debug' };
const enough = 1900;

async function expectDropped(url: string): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(Number(/^weft_log_lines_dropped (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
}

async function expectStop(): Promise<void> {
  const ended = once(child!, 'exit');
  child!.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

it('standard error is a socket that nobody reads: requests are answered, /healthz among them, and SIGTERM stops Weft', async () => {
  const url = await start('pipe', everyLine);
  await flood(url, enough);
  await expectHealthy(url);
  await expectDropped(url);
  await expectStop();
});

it('it is a pipe that nobody reads: so, too; who comes back reads how many lines were dropped, and nothing else is missing', async () => {
  const { reader, writer } = openPipe();
  const url = await start(writer, everyLine);
  await flood(url, enough);
  await expectHealthy(url);
  await expectDropped(url);
  let text = '';
  const isReported = () => {
    text += readAll(reader);
    return text.includes('"dropped":');
  };
  await expect.poll(isReported, { interval: 5 }).toBe(true);
  const lines = text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    // The start may have warned of something, in plain words.
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const { dropped } = lines.find((line) => line.dropped !== undefined);
  const written = lines.filter(({ status }) => status === 401).length;
  expect(written + dropped).toBeGreaterThanOrEqual(enough);
  expect(dropped).toBeGreaterThan(0);
  // The pipe, of 64 KiB, is full again.
  await flood(url, 400);
  await expectStop();
});

it('700 refused requests make few lines, and one that says how many more there were', async () => {
  const { reader, writer } = openPipe();
  const url = await start(writer);
  await flood(url, 700);
  const ended = once(child!, 'exit');
  child!.kill('SIGTERM');
  await ended;
  const text = readAll(reader);
  expect(text.length).toBeLessThan(60_000);
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ status }) => status === 401);
  const repeated = lines.reduce((sum, line) => sum + (line.repeated ?? 0), 0);
  const written = lines.filter((line) => line.repeated === undefined).length;
  expect(repeated + written).toBe(700);
  expect(lines.at(-1).msg).toMatch(/^answered \.\.\. and [\d,]+ more like this$/);
});

it('a terminal shows readable lines, and one that is stopped (Ctrl+S) stops nothing else', async () => {
  const { url, read } = await startOnTerminal(everyLine);
  await (await fetch(`${url}/api/v1/users/`)).text();
  await expect
    .poll(read, { interval: 5 })
    .toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}answered 401 GET \/api\/v1\/users\/ /m);
  await flood(url, enough);
  await expectHealthy(url);
});
