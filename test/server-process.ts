// What every real server of the tests needs: a port, and an end.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** Below the ports that the system hands out by itself (from 32,768 on): no connection and no `listen(0)` gets one of these. */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_000;
/** A file for each port that a process of the tests has, with its number in it. */
const takenPorts = '/tmp/weft-test-ports';
const taken = new Set<string>();

/** Free, and until this process ends no other one of the tests gets it. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (take(port) && (await isFree(port))) return port;
  }
  throw new Error(`No free port between ${FIRST_PORT} and ${LAST_PORT}`);
}

function take(port: number): boolean {
  const file = join(takenPorts, String(port));
  mkdirSync(takenPorts, { recursive: true });
  try {
    // What a process left behind that was killed is passed over; there are enough others.
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch {
    return false;
  }
  if (taken.size === 0) process.once('exit', giveBack);
  taken.add(file);
  return true;
}

function giveBack(): void {
  for (const file of taken) rmSync(file, { force: true });
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}

/** Resolves once it has ended, also if it had before. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

/**
 * A shell runs this script, with these arguments, once this process has ended, in whatever way: servers are nobody's children,
 * and a run may be interrupted or killed. Returns what calls it off.
 */
export function afterOwnEnd(script: string, ...args: string[]): () => void {
  // Nothing is ever written: the end of the input is the end of this process.
  const shell = spawn('/bin/sh', ['-c', `while read -r _; do :; done; ${script}`, 'sh', ...args], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    // Neither Ctrl+C nor a signal for all of a run reaches it.
    detached: true,
  });
  shell.unref();
  (shell.stdin as Socket).unref();
  return () => void shell.kill('SIGKILL');
}
