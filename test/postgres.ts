// A private PostgreSQL for the tests: own folder, own port, loopback only, gone when stopped.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const VERSIONS_FOLDER = '/usr/lib/postgresql';

export interface TestPostgres {
  url: string;
  /** Stops the server for good and removes its folder. */
  stop(): Promise<void>;
  /** Stops the server; `start` brings it back on the same port with the same data. */
  pause(): Promise<void>;
  /** The same without a word to anybody: what is under way is lost, and the next start recovers. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** Where initdb and pg_ctl are, or undefined. */
export function findPostgres(): string | undefined {
  const versions = existsSync(VERSIONS_FOLDER) ? readdirSync(VERSIONS_FOLDER) : [];
  const folders = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS_FOLDER, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** With `isDurable` it flushes what it commits, as in real life. */
export async function startPostgres({ isDurable = false } = {}): Promise<TestPostgres> {
  const binaries = findPostgres();
  if (binaries === undefined) throw new Error(`No PostgreSQL in ${VERSIONS_FOLDER}: install the package "postgresql"`);
  const folder = mkdtempSync(join(tmpdir(), 'weft-postgres-'));
  chmodSync(folder, 0o711);
  // The server refuses to run as root, and runs then as the user that its package made.
  const isRoot = process.getuid?.() === 0;
  const home = join(folder, 'server');
  await run('install', ['-d', '-m', '700', ...(isRoot ? ['-o', 'postgres'] : []), home]);
  const call = (program: string, args: string[]) => {
    const path = join(binaries, program);
    // From a folder that every user may enter.
    return isRoot
      ? run('runuser', ['-u', 'postgres', '--', path, ...args], { cwd: '/' })
      : run(path, args, { cwd: '/' });
  };
  const data = join(home, 'data');
  const log = join(home, 'log');
  const port = await findFreePort();
  // Without fsync, which guards against what no test does (cutting the power) and costs most of the time.
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c fsync=${isDurable ? 'on' : 'off'} -c max_connections=200 -c deadlock_timeout=100ms -k ${home}`;

  const server: TestPostgres = {
    url: `postgres://weft:weft@127.0.0.1:${port}/postgres`,
    start: async () => {
      await call('pg_ctl', ['-D', data, '-w', '-o', settings, '-l', log, 'start']).catch((error: Error) => {
        throw new Error(`${error.message}\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
      });
    },
    pause: async () => {
      await call('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
    },
    crash: async () => {
      await call('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
    },
    stop: async () => {
      // Already stopped, if a test left it so.
      await server.pause().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await call('initdb', ['-D', data, '-A', 'trust', '-U', 'weft', '-E', 'UTF8', '--locale', 'C.UTF-8', '-N']);
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Free a moment ago; nothing on the machine keeps it free. */
async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The probe got no port');
  return address.port;
}
