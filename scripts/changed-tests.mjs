// Which tests `npm test -- --changed` runs: those in the folders of changed files, and those that import what changed, directly or
// through others. The way ends at what puts a whole server together, and at the fixtures that start one: beyond them everything
// depends on everything. What reaches code through a process or a build (e2e) is therefore not among them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wholes =
  /^(?:controller\/src\/(?:parts|serve|offline|platform|backends|pages|core\/events|core\/part|core\/core-parts|operations\/operations-parts)\.ts|test\/(?!pure\/)[^/]+\.ts|[a-z]+\/src\/index\.ts)$/;
const source = /\.(?:tsx?|mjs)$/;
const test = /\.test\.ts$/;
const slow = /^e2e\/|\.long\.test\.ts$/;
/** From these on, a test needs what is built, or RabbitMQ. */
const needs = { build: 'test/compile-cache.ts', rabbit: 'test/rabbitmq.ts' };
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

const rings = {
  core: /^(contract|sdk|broker|timeseries|controller\/src\/core)\//,
  operations: /^(controller\/src\/operations|cli|dashboard)\//,
  lab: /^(controller\/src\/lab|emulator|research)\//,
};
/** What takes long and is about all rings, or about one backend. */
const apart = /clickhouse|\/restart\.|\.long\./;

/**
 * The tests in the folders of one ring.
 * @param {string} ring
 */
export function testsOfRing(ring) {
  if (!Object.hasOwn(rings, ring)) throw new Error(`--ring is one of ${Object.keys(rings).join(', ')}`);
  const where = rings[/** @type {keyof typeof rings} */ (ring)];
  return git('ls-files').filter((path) => test.test(path) && where.test(path) && !apart.test(path));
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
 * What these tests need beside PostgreSQL, by what they import, directly or through others.
 * @param {string[]} tests
 */
export function needsOf(tests) {
  const reached = new Set(tests);
  let hasRabbit = false;
  for (const path of reached) {
    const text = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
    hasRabbit ||= text.includes("inject('amqpUrl')");
    for (const [, to = ''] of text.matchAll(specifier)) reached.add(normalize(join(dirname(path), to)));
  }
  return { build: reached.has(needs.build), rabbit: hasRabbit || reached.has(needs.rabbit) };
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
  return [...importers.keys()].filter((path) => test.test(path) && !slow.test(path) && isNear(path)).sort();
}
