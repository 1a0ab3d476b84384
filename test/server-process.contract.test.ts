import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const fixture = JSON.stringify(join(import.meta.dirname, 'server-process.ts'));

test('what a process has left to do is done when it is killed, and not what it called off', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-own-end-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = `
    import { afterOwnEnd } from ${fixture};
    const callOff = afterOwnEnd('touch "$1"/wrong', process.argv[1]);
    afterOwnEnd('touch "$1"/done', process.argv[1]);
    callOff();
    process.stdout.write('ready');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, folder]);
  await once(child.stdout, 'data');
  expect(existsSync(join(folder, 'done'))).toBe(false);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(join(folder, 'done'))).toBe(true);
  expect(existsSync(join(folder, 'wrong'))).toBe(false);
});
