// The server in the process of the tests, for tests of what a browser shows: a process of its own would spend a second on
// nothing but its start. How Weft starts, stops and survives is tested with weft-process.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, onTestFinished } from 'vitest';
import { runCommand } from '../controller/src/bin/commands.ts';
import { memoryFolder } from '../test/memory-folder.ts';
import { findFreePort } from '../test/server-process.ts';
import { startWeft } from '../test/weft.ts';
import { Weft } from './weft-process.ts';

/** Of servers that have stopped. At the same address the browser has the scripts of the dashboard already. */
const ports: string[] = [];

async function start(env: Record<string, string>): Promise<{ weft: Weft; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(memoryFolder(), 'weft-here-'));
  const port = ports.pop() ?? String(await findFreePort());
  const settings = { WEFT_PORT: port, WEFT_DATA_DIR: join(folder, 'data'), ...env };
  const { url, stop } = await startWeft(settings);
  return {
    weft: Object.assign(new Weft(), { url, folder }),
    async stop() {
      await stop();
      ports.push(port);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It ends with the test. */
export async function serve({ env = {} }: { env?: Record<string, string> } = {}): Promise<Weft> {
  const { weft, stop } = await start(env);
  onTestFinished(stop);
  return weft;
}

/**
 * One server for those tests of a file that leave each other alone: `make` gets it when the first of them asks, and all of
 * them get what it made.
 */
export function sharedServer<Made>(make: (weft: Weft) => Promise<Made>): () => Promise<Made> {
  let started: ReturnType<typeof start> | undefined;
  let made: Promise<Made> | undefined;
  afterAll(async () => (await started)?.stop());
  return () => {
    started ??= start({});
    made ??= started.then(({ weft }) => make(weft));
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
