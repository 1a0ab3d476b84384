// Modules of the product compiled before the tests begin. Processes leave that behind when they end by themselves, and
// most that the tests start are killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const weft = resolve(import.meta.dirname, '../controller/src/bin/weft.ts');

/** Does nothing if there is one. Whatever goes wrong here is for the tests to find. */
export async function fillCompileCache(): Promise<void> {
  const cache = process.env.NODE_COMPILE_CACHE;
  if (cache === undefined || existsSync(cache)) return;
  const folder = mkdtempSync(join(tmpdir(), 'weft-compile-'));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE: cache, WEFT_PORT: '0' };
  const child = spawn(process.execPath, [weft, 'serve'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', () => child.kill());
  await once(child, 'close').catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
