// Prints how large Weft is, and fails if that is above a cap, or a file or a folder is too large.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sizeBreaches, totalSize } from './size-rules.ts';

const root = resolve(import.meta.dirname, '..', '..');
const paths = execFileSync('git', ['ls-files', ...['ts', 'tsx', 'mjs', 'sh', 'uc', 'py'].map((end) => `*.${end}`)], {
  cwd: root,
  encoding: 'utf8',
}).split('\n');
const files = paths
  .filter((path) => path !== '' && existsSync(join(root, path)))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const { summary, breaches: total } = totalSize(files);
const breaches = [...total, ...sizeBreaches(files)];
process.stdout.write(`  ${summary}\n`);
for (const breach of breaches) process.stderr.write(`${breach}\n`);
process.exitCode = breaches.length === 0 && files.length > 0 ? 0 : 1;
