// What `weft new app` creates: its own test passes as it stands.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { appTemplate } from './app-template.ts';

test('a new control program keeps the coverage and does not oscillate, as its own test shows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-new-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules', '@weft'), { recursive: true });
  symlinkSync(resolve(import.meta.dirname, '../../../sdk'), join(folder, 'node_modules', '@weft', 'sdk'));
  for (const [name, text = ''] of Object.entries(appTemplate({ name: 'saver', url: 'http://127.0.0.1:8000' }))) {
    writeFileSync(join(folder, name), text);
  }
  const { stdout, status } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: folder,
    encoding: 'utf8',
    // Else it takes itself for a child of another run.
    env: { PATH: process.env.PATH },
  });
  expect([stdout, status]).toEqual([expect.stringMatching(/# pass 4\n# fail 0/), 0]);
});
