// What is built, and whether it was built from the sources that are here now.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
/** In a build: the hash of its sources. */
const stampName = '.sources';

/**
 * @typedef {object} Build
 * @property {string} folder
 * @property {string[]} sources Folders, without their tests.
 * @property {string[]} files
 */

/** What Weft serves: the dashboard, the command line and the SDK. @type {Build} */
export const dashboardBuild = {
  folder: join(root, 'dashboard', 'dist'),
  sources: ['dashboard/src', 'dashboard/public', 'cli/src', 'cli/install', 'sdk/src', 'contract/src'],
  files: [
    ...['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'].map((name) => `dashboard/${name}`),
    ...['cli/package.json', 'cli/vite.config.ts', 'sdk/package.json', 'docs/sdk.md', 'package-lock.json'],
  ],
};

/** Weft itself, in few files: it starts in half of the time and needs less memory. @type {Build} */
export const controllerBuild = {
  folder: join(root, 'controller', 'dist'),
  sources: ['broker', 'cli', 'contract', 'controller', 'emulator', 'sdk', 'timeseries'].map((name) => `${name}/src`),
  files: ['controller/vite.config.ts', 'scripts/build-state.mjs', 'package-lock.json'],
};

/** @param {Build} build */
export function stampFile({ folder }) {
  return join(folder, stampName);
}

/**
 * `outdated`: built from other sources than those here. Without the sources the build is what it is.
 * @param {Build} build
 * @returns {'current' | 'outdated' | 'missing'}
 */
export function buildState(build) {
  const stamp = stampFile(build);
  if (!existsSync(stamp)) return 'missing';
  if (!hasSources(build)) return 'current';
  return readFileSync(stamp, 'utf8') === sourcesStamp(build) ? 'current' : 'outdated';
}

/** @param {Build} build */
export function hasSources({ sources }) {
  return sources.every((part) => existsSync(join(root, part)));
}

/**
 * One hash over all inputs of a build.
 * @param {Build} build
 */
export function sourcesStamp({ sources, files }) {
  const hash = createHash('sha256');
  const inFolders = sources.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const path of [...inFolders, ...files.map((name) => join(root, name))].sort()) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
