// A private ClickHouse for the tests: own folder, own port, loopback only, gone when stopped. The package in test/clickhouse/
// holds it as a library; a process of its own serves it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess, findFreePort } from './server-process.ts';

const home = join(import.meta.dirname, 'clickhouse');
const library = join(home, 'node_modules', '@chdb', `lib-linux-${process.arch}-gnu`, 'libchdb.so');
const startAttempts = 600;

export interface TestClickHouse {
  /** clickhouse://host:port, without a database. */
  url: string;
  port: number;
  pid(): number;
  /** Ends the server for good and removes its folder. */
  stop(): Promise<void>;
  /** Ends the server at once, whatever it does; `start` brings it back on the same port with the same data. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export function findClickHouse(): string | undefined {
  return existsSync(library) ? library : undefined;
}

export async function startClickHouse(): Promise<TestClickHouse> {
  if (findClickHouse() === undefined) throw new Error(`No ClickHouse in ${home}: run npm install there`);
  const folder = mkdtempSync(join(tmpdir(), 'weft-clickhouse-'));
  const port = await findFreePort();
  const log = join(folder, 'log');
  let child: ChildProcess | undefined;

  const server: TestClickHouse = {
    url: `clickhouse://127.0.0.1:${port}`,
    port,
    pid: () => child!.pid!,
    start: async () => {
      const command = 'exec "$0" "$1" "$2" "$3" >>"$4" 2>&1';
      const args = [process.execPath, join(home, 'serve.mjs'), join(folder, 'data'), String(port), log];
      child = spawn('/bin/sh', ['-c', command, ...args], { stdio: 'ignore' });
      await untilAnswering(port, child, log);
    },
    kill: async () => {
      if (child) await endProcess(child, 'SIGKILL');
    },
    stop: async () => {
      await server.kill();
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

/** A statement with its answer as text, past Weft. */
export async function clickHouseAnswers(url: string, statement: string): Promise<string> {
  const answer = await fetch(`${url.replace(/^clickhouse/, 'http')}/?wait_end_of_query=1`, {
    method: 'POST',
    body: statement,
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return text;
}

async function untilAnswering(port: number, child: ChildProcess, log: string): Promise<void> {
  for (let attempt = 1; attempt <= startAttempts; attempt++) {
    const answer = await fetch(`http://127.0.0.1:${port}/ping`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (child.exitCode !== null || child.signalCode !== null) break;
    await pause(50);
  }
  throw new Error(`ClickHouse did not start:\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
}
