// The README's first steps, done as they stand there: its commands are run in order and must print what it shows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentedUrl, runSteps, stepsIn } from './document-steps.ts';
import { root, serve } from './weft-process.ts';

const firstSteps =
  readFileSync(join(root, 'README.md'), 'utf8').split('\n## First steps\n')[1]?.split('\n## ')[0] ?? '';
const steps = stepsIn(firstSteps);

test('the commands of the first steps print what the README shows', async () => {
  expect(steps.length).toBeGreaterThan(8);
  const weft = await serve();
  const prints = await runSteps(steps, { url: weft.url });
  expect(prints).toEqual(steps.map(({ commands, shown }) => ({ commands, prints: shown })));
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
