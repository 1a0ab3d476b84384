// A private InfluxDB for the tests: own folder, own ports, loopback only, gone when stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess, findFreePort } from './server-process.ts';

const PROGRAM = '/usr/bin/influxd';
const START_ATTEMPTS = 200;

export interface TestInflux {
  /** Without a slash at the end. */
  url: string;
  pid(): number;
  /** Everything that it has on disk. */
  folder: string;
  /** Stops the server for good and removes its folder. */
  stop(): Promise<void>;
  /** Ends the server at once; `start` brings it back on the same port with the same data. */
  pause(): Promise<void>;
  start(): Promise<void>;
}

/** Where influxd is, or undefined. */
export function findInflux(): string | undefined {
  return existsSync(PROGRAM) ? PROGRAM : undefined;
}

/**
 * With `withLogin` it answers only to users, of whom there are none at first: anyone may create the first. With `isCompact` it
 * packs what is not written any more at once, in place of hours later.
 */
export async function startInflux({ withLogin = false, isCompact = false } = {}): Promise<TestInflux> {
  if (findInflux() === undefined) throw new Error(`No InfluxDB at ${PROGRAM}: install the package "influxdb"`);
  const folder = mkdtempSync(join(tmpdir(), 'weft-influx-'));
  const [port, rpcPort] = [await findFreePort(), await findFreePort()];
  const log = join(folder, 'log');
  const settings = join(folder, 'influxdb.conf');
  writeFileSync(settings, settingsText(folder, port, rpcPort, { withLogin, isCompact }));
  let child: ChildProcess | undefined;

  const server: TestInflux = {
    url: `http://127.0.0.1:${port}`,
    pid: () => child!.pid!,
    folder,
    start: async () => {
      child = spawn('/bin/sh', ['-c', 'exec "$0" -config "$1" >>"$2" 2>&1', PROGRAM, settings, log], {
        stdio: 'ignore',
      });
      await untilAnswering(server.url, child, log);
    },
    pause: async () => {
      if (child) await endProcess(child, 'SIGKILL');
    },
    stop: async () => {
      await server.pause();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

function settingsText(
  folder: string,
  port: number,
  rpcPort: number,
  { withLogin, isCompact }: { withLogin: boolean; isCompact: boolean },
): string {
  const soon = 'cache-snapshot-write-cold-duration = "1s"\ncompact-full-write-cold-duration = "1s"\n';
  return `reporting-disabled = true
bind-address = "127.0.0.1:${rpcPort}"
[meta]
dir = "${folder}/meta"
[data]
dir = "${folder}/data"
wal-dir = "${folder}/wal"
query-log-enabled = false
${isCompact ? soon : ''}[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
auth-enabled = ${withLogin}
log-enabled = false
`;
}

async function untilAnswering(url: string, child: ChildProcess, log: string): Promise<void> {
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    const answer = await fetch(`${url}/ping`).catch(() => undefined);
    if (answer?.status === 204) return;
    if (child.exitCode !== null) break;
    await pause(50);
  }
  throw new Error(`InfluxDB did not start:\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
}
