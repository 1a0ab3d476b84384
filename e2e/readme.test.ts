// The README's first steps, done as they stand there: its commands are run in order and must print what it shows.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, serve } from './weft-process.ts';

const documentedUrl = 'http://127.0.0.1:8000';
const separator = '--- next block ---';

interface Step {
  commands: string;
  /** Empty where the README shows nothing. */
  shown: string;
}

const firstSteps =
  readFileSync(join(root, 'README.md'), 'utf8').split('\n## First steps\n')[1]?.split('\n## ')[0] ?? '';
const steps: Step[] = [...firstSteps.matchAll(/```sh\n(.*?)```\n(?:\n```json\n(.*?)```\n)?/gs)].map(
  ([, commands = '', shown = '']) => ({ commands, shown }),
);

/** Without what differs from one run to the next. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/eyJ[\w.-]+/g, '<token>')
    .replaceAll(/weft-enrol-[\w.-]+/g, '<enrolment token>')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .trim();
}

async function runInShell(script: string): Promise<string> {
  const env = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` };
  const shell = spawn('bash', ['-eu', '-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of shell.stdout.setEncoding('utf8')) said += chunk;
  return said;
}

test('the commands of the first steps print what the README shows', async () => {
  expect(steps.length).toBeGreaterThan(8);
  const weft = await serve();
  const script = steps.map(({ commands }) => `${commands}\nprintf '\\n${separator}\\n'\n`).join('');
  const printed = (await runInShell(script.replaceAll(documentedUrl, weft.url))).split(`\n${separator}\n`);
  expect(printed).toHaveLength(steps.length + 1);
  for (const [index, { commands, shown }] of steps.entries()) {
    expect({ commands, prints: withoutChance(printed[index] ?? '') }).toEqual({
      commands,
      prints: withoutChance(shown),
    });
  }
});

test('a start prints what the README shows', async () => {
  const weft = await serve();
  const shown = /```text\n(.*?)```/s.exec(firstSteps)?.[1] ?? '';
  const plain = (text: string) =>
    text
      .replaceAll(weft.url, documentedUrl)
      .replace(/^( {2}Data {3}).*$/m, '$1')
      .trim();
  expect(plain(weft.out)).toBe(plain(shown));
});
