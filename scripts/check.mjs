// `npm run check`: all static checks, in parallel.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, node24, root } from './install.mjs';

await ensureInstalled();
const node = node24();
const tool = (/** @type {string} */ path) => join(root, 'node_modules', path);

/** What the last check found about unchanged files is kept, which saves more than half of the work. */
const types = (/** @type {string} */ project, /** @type {string} */ name) => [
  tool('typescript/bin/tsc'),
  ...['-p', project, '--incremental', '--tsBuildInfoFile', tool(join('.cache', 'weft-types', `${name}.json`))],
];

/** With `true`, what it prints is shown also if all is well.
 * @type {[name: string, args: string[], isShown?: boolean][]} */
const checks = [
  ['format and lint', [tool('@biomejs/biome/bin/biome'), 'check', '--colors=off', '--diagnostic-level=error', '.']],
  ['types', types('.', 'all')],
  ['types of the dashboard', types('dashboard', 'dashboard')],
  ['types of its build', types(join('dashboard', 'tsconfig.build.json'), 'dashboard-build')],
  ['who imports whom', [join('scripts', 'checks', 'imports.ts')]],
  ['size', [join('scripts', 'checks', 'size.ts')], true],
  ['plain words', [join('scripts', 'checks', 'words.ts')]],
  ['dead code', [tool('knip/bin/knip.js')]],
  ['generated documents', [join('scripts', 'generate-docs.ts'), '--check']],
  ['interface documents', [join('scripts', 'checks', 'interface.ts')]],
];

const results = await Promise.all(checks.map(([name, args, isShown]) => run(name, args, isShown)));
process.exit(results.every((isGood) => isGood) ? 0 : 1);

/**
 * @param {string} name
 * @param {string[]} args
 * @param {boolean} [isShown]
 * @returns {Promise<boolean>}
 */
function run(name, args, isShown = false) {
  const startedAt = Date.now();
  const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n${code === 0 && !isShown ? '' : output}`);
      resolve(code === 0);
    });
  });
}
