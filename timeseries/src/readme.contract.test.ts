// The README is true: its example runs and prints what it says, and the package knows nothing of those who use it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const folder = resolve(import.meta.dirname, '..');
const readme = readFileSync(resolve(folder, 'README.md'), 'utf8');

test('the example of the README prints what it says', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'timeseries-readme-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  symlinkSync(resolve(folder, '../node_modules'), join(elsewhere, 'node_modules'));
  const example = join(elsewhere, 'example.ts');
  writeFileSync(join(elsewhere, 'package.json'), '{ "type": "module" }');
  writeFileSync(example, /```ts\n(.*?)```/s.exec(readme)![1]!);
  const { stdout, stderr } = spawnSync(process.execPath, [example], { cwd: elsewhere, encoding: 'utf8' });
  expect(stderr).toBe('');
  const printed = /It prints `(.*?)` and `(.*?)`/.exec(readme)!;
  expect(stdout).toBe(`${printed[1]}\n${printed[2]}\n`);
});

test('the README names every table', () => {
  const schema = readFileSync(resolve(folder, 'src/blocks/tables.ts'), 'utf8');
  const tables = [...schema.matchAll(/CREATE TABLE (\w+)/g)].map((match) => match[1]!);
  expect(tables).toHaveLength(5);
  for (const table of tables) expect(readme).toContain(`| \`${table}\` |`);
});

test('the sources name no product and no agent, but for the tables of existing files', () => {
  const files = readdirSync(resolve(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'blocks/tables.ts')
    .filter((file) => /weft|agent|ap_id/i.test(readFileSync(resolve(folder, 'src', file), 'utf8')));
  expect(files).toEqual([]);
});
