// Which tests `npm test -- --changed` runs: those in the folders of changed files, and those that import what changed, directly or
// through others. The way ends at what puts a whole server together, and at the fixtures that start one: beyond them everything
// depends on everything. What reaches code through a process or a build (e2e) is therefore not among them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wholes =
  /^(?:controller\/src\/(?:parts|serve|offline|platform|backends|pages|events|part)\.ts|test\/(?!pure\/)[^/]+\.ts|[a-z]+\/src\/index\.ts)$/;
const source = /\.(?:tsx?|mjs)$/;
const test = /\.test\.ts$/;
const specifier = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** @param {string[]} args */
function git(...args) {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
    .stdout.split('\n')
    .filter((path) => path !== '');
}

/**
 * Since that commit, or what is not committed.
 * @param {string | undefined} since
 */
export function changedTests(since) {
  const changed = [
    ...git('diff', '--name-only', since ?? 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ].filter((path) => source.test(path));
  const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter((path) => source.test(path));
  return testsOf(changed, importersIn(files.filter((path) => existsSync(join(root, path)))));
}

/**
 * Each file with those that import it.
 * @param {string[]} files
 */
function importersIn(files) {
  /** @type {Map<string, string[]>} */
  const importers = new Map(files.map((path) => [path, []]));
  for (const path of files) {
    for (const [, to = ''] of readFileSync(join(root, path), 'utf8').matchAll(specifier)) {
      importers.get(normalize(join(dirname(path), to)))?.push(path);
    }
  }
  return importers;
}

/**
 * @param {string[]} changed
 * @param {Map<string, string[]>} importers
 */
export function testsOf(changed, importers) {
  const reached = new Set(changed);
  for (const path of reached) {
    if (wholes.test(path) && !changed.includes(path)) continue;
    for (const importer of importers.get(path) ?? []) reached.add(importer);
  }
  const folders = new Set(changed.map((path) => dirname(path)));
  const isNear = (/** @type {string} */ path) => reached.has(path) || folders.has(dirname(path));
  return [...importers.keys()].filter((path) => test.test(path) && isNear(path)).sort();
}
