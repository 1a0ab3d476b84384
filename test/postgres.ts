// A private PostgreSQL for the tests: own folder, own port, loopback only, gone when stopped.
import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { countCost, countStopped } from './costs/file-costs.ts';
import { memoryFolder } from './memory-folder.ts';
import { afterOwnEnd, findFreePort } from './server-process.ts';

const run = promisify(execFile);
const VERSIONS_FOLDER = '/usr/lib/postgresql';
const START_ATTEMPTS = 600;
const variable = 'WEFT_TEST_POSTGRES_MADE';

export interface TestPostgres {
  url: string;
  /** Stops the server for good and removes its folder. */
  stop(): Promise<void>;
  /** Stops the server; `start` brings it back on the same port with the same data. */
  pause(): Promise<void>;
  /** The same without a word to anybody: what is under way is lost, and the next start recovers. */
  crash(): Promise<void>;
  /** SIGKILL for its main process; the others notice and end. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** A standby becomes the primary. */
  promote(): Promise<void>;
  /** Throws its data away and starts as the standby of this one, which from then on waits for it with each commit. */
  standBy(primary: TestPostgres): Promise<void>;
}

/** Where initdb and pg_ctl are, or undefined. */
export function findPostgres(): string | undefined {
  const versions = existsSync(VERSIONS_FOLDER) ? readdirSync(VERSIONS_FOLDER) : [];
  const folders = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(VERSIONS_FOLDER, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** With `isDurable` it flushes what it commits, as in real life; with `isAlone` it never has a standby, nor is it ever killed. */
export async function startPostgres({ isDurable = false, isAlone = false } = {}): Promise<TestPostgres> {
  const binaries = findPostgres();
  if (binaries === undefined) throw new Error(`No PostgreSQL in ${VERSIONS_FOLDER}: install the package "postgresql"`);
  countCost('PostgreSQL');
  const folder = mkdtempSync(join(isDurable ? tmpdir() : memoryFolder(), 'weft-postgres-'));
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
  const callOff = afterOwnEnd(
    'pid=$(head -n 1 "$1"/server/data/postmaster.pid) && kill -QUIT "$pid"; while kill -0 "$pid"; do sleep 0.1; done; rm -rf "$1"',
    folder,
  );
  const log = join(home, 'log');
  const port = await findFreePort();
  // Without fsync, which guards against what no test does (cutting the power) and costs most of the time.
  const lighter =
    '-c wal_level=minimal -c max_wal_senders=0 -c full_page_writes=off -c synchronous_commit=off -c jit=off -c track_counts=off -c update_process_title=off -c max_parallel_workers_per_gather=0 -c bgwriter_lru_maxpages=0 -c checkpoint_timeout=1h';
  const settings = `${isAlone ? `${lighter} ` : ''}-p ${port} -c listen_addresses=127.0.0.1 -c fsync=${isDurable ? 'on' : 'off'} -c max_connections=500 -c autovacuum=off -c max_wal_size=256MB -c deadlock_timeout=100ms -k ${home}`;

  const pid = () => Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);
  const isRunning = () => existsSync(join(data, 'postmaster.pid'));

  const server: TestPostgres = {
    url: `postgres://weft:weft@127.0.0.1:${port}/postgres`,
    start: async () => {
      // A server that was killed leaves processes behind that end by themselves, and until then keep its memory.
      for (let attempt = 1; ; attempt++) {
        try {
          await call('pg_ctl', ['-D', data, '-w', '-o', settings, '-l', log, 'start']);
          return;
        } catch (error) {
          const said = existsSync(log) ? readFileSync(log, 'utf8') : '';
          const isWaiting = said.slice(-1000).includes('shared memory block');
          if (!isWaiting || attempt === START_ATTEMPTS) throw new Error(`${(error as Error).message}\n${said}`);
          await pause(50);
        }
      }
    },
    pause: async () => {
      if (isRunning()) countStopped(pid());
      await call('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
    },
    crash: async () => {
      if (isRunning()) countStopped(pid());
      await call('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop']);
    },
    kill: async () => {
      const killed = pid();
      countStopped(killed);
      process.kill(killed, 'SIGKILL');
      // It is nobody's child here, and its place is given up when the system gets to it.
      while (isThere(killed)) await pause(20);
    },
    promote: async () => {
      await call('pg_ctl', ['-D', data, '-w', 'promote']);
    },
    standBy: async (primary) => {
      await server.pause().catch(() => undefined);
      rmSync(data, { recursive: true, force: true });
      const name = `standby_${port}`;
      const from = `${primary.url}?application_name=${name}`;
      await call('pg_basebackup', ['-D', data, '-d', from, '-R', '-X', 'stream', '-c', 'fast']);
      // Copied from a primary that had a standby.
      const set = (text: string) => appendFileSync(join(data, 'postgresql.auto.conf'), `${text}\n`);
      set(`synchronous_standby_names = ''`);
      await server.start();
      await runOn(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await runOn(primary.url, 'SELECT pg_reload_conf()');
      await untilSynchronous(primary.url);
    },
    stop: async () => {
      // Already stopped, if a test left it so.
      await server.crash().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
      callOff();
    },
  };
  try {
    const made = process.env[variable];
    if (made !== undefined) await run('cp', ['-a', made, data]);
    else await call('initdb', ['-D', data, '-A', 'trust', '-U', 'weft', '-E', 'UTF8', '--locale', 'C.UTF-8', '-N']);
    if (isAlone && made === undefined) await keepCopy(data);
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** What initdb makes, for the other servers of a run: to copy it is a tenth of the work. */
async function keepCopy(data: string): Promise<void> {
  const copy = join(memoryFolder(), 'weft-postgres-made');
  if (memoryFolder() === tmpdir() || existsSync(copy)) return;
  await run('cp', ['-a', data, copy]);
  process.env[variable] = copy;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function runOn(url: string, sql: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return await client.query(sql).finally(() => client.end());
}

/** The URL of several servers that stand in for each other. */
export function urlOfAll(...servers: Pick<TestPostgres, 'url'>[]): string {
  const [first, ...others] = servers.map(({ url }) => new URL(url));
  return first!.href.replace(first!.host, [first!, ...others].map(({ host }) => host).join(','));
}

/** Until each commit waits for the standby. */
async function untilSynchronous(url: string): Promise<void> {
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    const { rows } = await runOn(url, `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);
    if (rows.length > 0) return;
    await pause(50);
  }
  throw new Error('The standby has not caught up');
}
