// Modules of the product compiled before the tests begin. Processes leave that behind when they end by themselves, and
// most that the tests start are killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const sources = join(root, 'controller', 'src', 'bin', 'weft.ts');
const build = join(root, 'controller', 'dist', 'weft.js');
/** In it, a folder for the build that is there now. */
const ofBuilds = join(root, 'node_modules', '.cache', 'weft-build');

/**
 * For processes of the build, which would compile it at each start. Operators have none: what it saves in time costs them
 * memory for as long as Weft runs.
 */
export function buildCache(): { NODE_COMPILE_CACHE: string } {
  return { NODE_COMPILE_CACHE: join(ofBuilds, nameOfBuild()) };
}

/** As the folder of the build is named, which `weft.js` names. */
export function nameOfBuild(): string {
  return /\.\/(.+)\/weft\.js/.exec(readFileSync(build, 'utf8'))?.[1] ?? 'build';
}

const variable = 'WEFT_TEST_THREADS';

/** Where threads are built of the sources that are there now, if that is known. */
export function builtThreads(): string | undefined {
  return process.env[variable];
}

/** For the processes that start from now on: what is built is of the sources that are there. */
export function tellBuilt(): void {
  process.env[variable] = join(root, 'controller', 'dist', nameOfBuild());
}

/** Does nothing if there is one. Whatever goes wrong here is for the tests to find. */
export async function fillCompileCaches(): Promise<void> {
  const cache = process.env.NODE_COMPILE_CACHE;
  mkdirSync(ofBuilds, { recursive: true });
  const name = nameOfBuild();
  for (const other of readdirSync(ofBuilds)) if (other !== name) rmSync(join(ofBuilds, other), { recursive: true });
  await Promise.all([cache !== undefined && fill(sources, { NODE_COMPILE_CACHE: cache }), fill(build, buildCache())]);
}

async function fill(weft: string, env: { NODE_COMPILE_CACHE: string }): Promise<void> {
  if (existsSync(env.NODE_COMPILE_CACHE)) return;
  const folder = mkdtempSync(join(tmpdir(), 'weft-compile-'));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [weft, 'serve'], {
    cwd: folder,
    env: { PATH, HOME, ...env, WEFT_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => child.kill());
  await once(child, 'close').catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
