// The server in the process of the tests, for tests of what a browser shows: a process of its own would spend a second on
// nothing but its start. How Weft starts, stops and survives is tested with weft-process.ts.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, onTestFinished } from 'vitest';
import { runCommand } from '../controller/src/bin/commands.ts';
import type { Logger } from '../controller/src/core/http/request/log.ts';
import { memoryFolder } from '../test/memory-folder.ts';
import { findFreePort } from '../test/server-process.ts';
import { startWeft } from '../test/weft.ts';
import { Weft } from './weft-process.ts';

/** Of servers that have stopped. At the same address the browser has the scripts of the dashboard already. */
const ports: string[] = [];

/** It can be stopped before the end of its test, and what it says is kept. */
export class WeftHere extends Weft {
  /** A line of JSON for each warning and error. */
  err = '';
  /** Which it would print at start, if it were reached from elsewhere. */
  setupCode = '';
  stop = async (): Promise<void> => {};
}

function logOf(weft: WeftHere): Logger {
  const words = (_key: string, value: unknown) => (value instanceof Error ? value.message : value);
  const note = (level: string) => (fields: object | string, msg?: string) => {
    const line = typeof fields === 'string' ? { level, msg: fields } : { level, ...fields, msg };
    weft.err += `${JSON.stringify(line, words)}\n`;
  };
  const ignore = () => {};
  const noted = { warn: note('warn'), error: note('error'), fatal: note('fatal') };
  const isLevelEnabled = (level: string) => level in noted;
  return { trace: ignore, debug: ignore, info: ignore, ...noted, isLevelEnabled } as unknown as Logger;
}

async function start(env: Record<string, string>): Promise<WeftHere> {
  const folder = mkdtempSync(join(memoryFolder(), 'weft-here-'));
  const port = ports.pop() ?? String(await findFreePort());
  const dataDir = env.WEFT_DATA_DIR ?? join(folder, 'data');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const weft = new WeftHere();
  const running = await startWeft({ WEFT_PORT: port, WEFT_DATA_DIR: dataDir, ...env }, { log: logOf(weft) });
  const { url, stop, platform } = running;
  let stopped: Promise<void> | undefined;
  const stopOnce = async () => {
    await stop();
    if (env.WEFT_PORT === undefined) ports.push(port);
  };
  return Object.assign(weft, {
    url,
    folder,
    setupCode: platform.keyring.setupCode,
    stop: () => {
      stopped ??= stopOnce();
      return stopped;
    },
  });
}

async function end(weft: WeftHere): Promise<void> {
  await weft.stop();
  rmSync(weft.folder, { recursive: true, force: true });
}

/** It ends with the test, if it was not stopped before. */
export async function serve({ env = {} }: { env?: Record<string, string> } = {}): Promise<WeftHere> {
  const weft = await start(env);
  onTestFinished(() => end(weft));
  return weft;
}

/**
 * One server for those tests of a file that leave each other alone: `make` gets it when the first of them asks, and all of
 * them get what it made.
 */
export function sharedServer<Made>(
  make: (weft: WeftHere) => Promise<Made>,
  env: Record<string, string> = {},
): () => Promise<Made> {
  let started: ReturnType<typeof start> | undefined;
  let made: Promise<Made> | undefined;
  afterAll(async () => {
    if (started !== undefined) await end(await started);
  });
  return () => {
    started ??= start(env);
    made ??= started.then(make);
    return made;
  };
}

/** `weft` with these arguments, to its end, where a process would only be its start. Paths in them are absolute. */
export async function runHere(args: string[], env: Record<string, string>, input = '') {
  let [out, err] = ['', ''];
  const code = await runCommand(args, {
    env,
    stdin: new PassThrough().end(input),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}
