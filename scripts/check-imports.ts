// Finds violations of the import rules in the whole source tree.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findBreaches } from './import-rules.ts';

const root = resolve(import.meta.dirname, '..');
const folders = [
  'contract/src',
  'broker/src',
  'timeseries/src',
  'sdk/src',
  'cli/src',
  'emulator/src',
  'controller/src',
  'dashboard/src',
  'examples',
];

const files = folders
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => `${folder}/${path}`),
  )
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const breaches = findBreaches(files);
for (const breach of breaches) process.stderr.write(`${breach}\n`);
process.exitCode = breaches.length === 0 && files.length > 0 ? 0 : 1;
