// What a process has said gets out whole, and says so if it cannot; seen from outside, as a shell does.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const module = join(import.meta.dirname, 'process-end.ts');
const program = `
  import { endProcess, watchOutputs } from ${JSON.stringify(module)};
  watchOutputs();
  process.stdout.write('x'.repeat(3_000_000) + '\\n');
  await endProcess(0);`;

function runWith(redirection: string) {
  const words = [process.execPath, '--input-type=module-typescript', '-e', program];
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  return spawnSync('bash', ['--norc', '-c', `set -o pipefail; ${quoted} ${redirection}`], { encoding: 'utf8' });
}

test('more than a pipe holds is read to its end', () => {
  expect(runWith('| wc -c')).toMatchObject({ status: 0, stdout: '3000001\n', stderr: '' });
});

test('a reader that has seen enough is no failure, a full disk is one', () => {
  expect(runWith('| head -c 1')).toMatchObject({ status: 0, stdout: 'x', stderr: '' });
  expect(runWith('> /dev/full')).toMatchObject({ status: 1, stderr: expect.stringContaining('ENOSPC') });
  expect(runWith('>&-')).toMatchObject({ status: expect.any(Number) });
});
