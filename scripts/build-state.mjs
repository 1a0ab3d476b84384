// Whether what Weft serves (dashboard, command line, SDK) was built from the sources that are here now.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
export const built = join(root, 'dashboard', 'dist');
/** In the build: the hash of its sources. */
export const stampName = '.sources';

/**
 * `outdated`: built from other sources than those here. Without the sources the build is what it is.
 * @returns {'current' | 'outdated' | 'missing'}
 */
export function buildState() {
  const stamp = join(built, stampName);
  if (!existsSync(stamp)) return 'missing';
  if (!existsSync(join(root, 'dashboard', 'src'))) return 'current';
  return readFileSync(stamp, 'utf8') === sourcesStamp() ? 'current' : 'outdated';
}

/** One hash over all inputs of a build. */
export function sourcesStamp() {
  const hash = createHash('sha256');
  const parts = ['dashboard/src', 'dashboard/public', 'cli/src', 'cli/install', 'sdk/src', 'contract/src'];
  const sources = parts.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const others = [
    ...['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'].map((name) => `dashboard/${name}`),
    ...['cli/package.json', 'cli/vite.config.ts', 'sdk/package.json', 'docs/sdk.md', 'package-lock.json'],
  ].map((name) => join(root, name));
  for (const path of [...sources, ...others].sort()) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
