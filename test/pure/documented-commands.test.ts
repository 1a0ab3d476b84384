// Every command of every document can be run by somebody who has Node 20 and a copy of this repository.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientCommandNames } from '../../cli/src/index.ts';
import { helpTopics } from '../../controller/src/bin/help.ts';
import { commandsIn, documentedCommands, problemOf } from './documented-commands.ts';

const root = resolve(import.meta.dirname, '..', '..');
const known = {
  root,
  npmScripts: Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts),
  weftCommands: [...helpTopics, ...clientCommandNames],
};

test('nothing is wrong with any of them', () => {
  const found = documentedCommands(root);
  expect(found.length).toBeGreaterThan(60);
  expect(new Set(found.map(({ document }) => document)).size).toBeGreaterThan(8);
  const wrong = found.flatMap(({ document, command }) => {
    const problem = problemOf(command, known);
    return problem === undefined ? [] : [`${document}: ${command}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

describe('they are found', () => {
  test('in blocks, over several lines, behind variables and in pipelines', () => {
    const text = '```sh\nA=1 B=2 \\\n  npx weft serve --port 1   # serves\ncat x | node y.mjs && npm test\n```\n';
    expect(commandsIn(text)).toEqual(['npx weft serve --port 1', 'node y.mjs', 'npm test']);
  });

  test('in the text', () => {
    expect(commandsIn('Run `npm start` and `WEFT_PORT=1 node a.mjs`, not `curl`.')).toEqual([
      'npm start',
      'node a.mjs',
    ]);
  });
});

test.each([
  ['node examples/two-programs/day.ts', 'Node 20 cannot run TypeScript: npx weft run examples/two-programs/day.ts'],
  ['npx weft run examples/nothing.ts', 'there is no file examples/nothing.ts'],
  ['npx weft dance', 'there is no command weft dance'],
  ['npm run dance', 'there is no script dance'],
  ['node scripts/nothing.mjs', 'there is no file scripts/nothing.mjs'],
  ['npx weft run examples/two-programs/day.ts', undefined],
  ['npm test -- controller', undefined],
])('of %s it is said: %s', (command, problem) => {
  expect(problemOf(command, known)).toBe(problem);
});
