// Finds violations of the import rules in the whole source tree, and differences between the map and the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findBreaches } from './import-rules.ts';
import { mapBreaches, usesOfLater } from './map-rules.ts';

const root = resolve(import.meta.dirname, '..', '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
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
  .map((path) => ({ path, text: textOf(path) }));

const map = {
  architecture: textOf('ARCHITECTURE.md'),
  parts: ['core/core-parts', 'parts', 'operations/operations-parts']
    .map((name) => textOf(`controller/src/${name}.ts`))
    .join('\n'),
  events: textOf('controller/src/core/events.ts'),
};
const breaches = [...findBreaches(files), ...mapBreaches(map), ...files.flatMap(usesOfLater)];
const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0;
const ports = files.reduce(
  (sum, { path, text }) => sum + (path.includes('.test.') ? 0 : count(text, /\bnew Port</g)),
  0,
);
process.stdout.write(`  ${count(map.events, /^ {4}\w+: new /gm)} events, ${ports} ports\n`);
for (const breach of breaches) process.stderr.write(`${breach}\n`);
process.exitCode = breaches.length === 0 && files.length > 0 ? 0 : 1;
