// Looks for words that are not plain English in everything that people read: documents, help, messages, pages, comments.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findDialect } from './word-rules.ts';

const root = resolve(import.meta.dirname, '..', '..');
// Not CHANGELOG.md: it is history.
const places = [
  ...['README.md', 'docs', 'examples', 'broker/src', 'cli/src', 'contract/src', 'controller/src'],
  ...['dashboard/README.md', 'dashboard/src', 'emulator/src', 'sdk/src', 'timeseries/src'],
];

const chosen = process.argv.slice(2);
const files = (chosen.length > 0 ? chosen : places)
  .flatMap(filesBelow)
  .filter((path) => /\.(md|tsx?|mjs)$/.test(path) && !/\.(test|contract)\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const found = findDialect(files);
for (const line of found) process.stderr.write(`${line}\n`);
process.exitCode = found.length === 0 && files.length > 0 ? 0 : 1;

function filesBelow(place: string): string[] {
  const path = join(root, place);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [place];
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => `${place}/${name}`);
}
