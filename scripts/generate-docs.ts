// Writes the documents that are generated from code. With --check it writes nothing and fails if one is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandLineDocument } from './command-line-document.ts';
import { configurationDocument } from './configuration-document.ts';
import { permissionsDocument } from './permissions-document.ts';

const root = resolve(import.meta.dirname, '..');
const documents: Record<string, () => string | Promise<string>> = {
  'docs/command-line.md': commandLineDocument,
  'docs/configuration.md': configurationDocument,
  'docs/permissions.md': permissionsDocument,
};

const isCheck = process.argv.includes('--check');
for (const [path, make] of Object.entries(documents)) {
  const text = await make();
  if (!isCheck) writeFileSync(join(root, path), text);
  else if (readIfThere(join(root, path)) !== text) {
    process.stderr.write(`${path} is out of date: run npx weft run scripts/generate-docs.ts\n`);
    process.exitCode = 1;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
