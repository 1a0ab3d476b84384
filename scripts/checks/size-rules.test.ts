import { expect, test } from 'vitest';
import { sizeBreaches, totalSize } from './size-rules.ts';

test('source lines count, those of tests and generated files do not, and a cap is held', () => {
  const file = (path: string, lines: number) => ({ path, text: 'a\n'.repeat(lines) });
  const files = [
    file('sdk/src/a.ts', 60),
    file('cli/src/b.mjs', 50),
    file('sdk/src/a.test.ts', 9),
    file('e2e/c.ts', 9),
  ];
  const most = { core: 60, operations: 50, lab: 0, tools: 0, small: 1, wide: 0 };
  expect(totalSize(files, most)).toEqual({
    summary: expect.stringMatching(/^110 source lines .*: core 60 of 60, operations 50 of 50, .* in 2 files, 1 of/),
    breaches: [],
  });
  const wider = [...files, file('contract/src/operations/a.ts', 1), file('emulator/src/a.ts', 1)];
  expect(totalSize([...wider, { path: 'scripts/a.mjs', text: `${'a'.repeat(121)}\n` }], most).breaches).toEqual([
    'too large: core 61, at most 60',
    'too large: lab 1, at most 0',
    'too large: tools 1, at most 0',
    'too large: small 4, at most 1',
    'too large: wide 1, at most 0',
  ]);
  expect(totalSize([...files, { path: 'cli/a.sh', text: 'a\n' }], most).summary).toMatch(/; and 1 lines of \.sh/);
});

test.each(['controller/src/users', 'scripts', 'examples'])(
  'a file or a folder of %s that is too large is found',
  (folder) => {
    const file = (name: string, lines: number) => ({ path: `${folder}/${name}`, text: '\n'.repeat(lines) });
    expect(sizeBreaches([file('a.ts', 301)])).toEqual([expect.stringContaining('has 301 lines')]);
    expect(sizeBreaches([file('a.ts', 300), file('a.test.ts', 301)])).toEqual([]);
    const files = Array.from({ length: 26 }, (_, n) => file(`a${n}.ts`, 1));
    expect(sizeBreaches(files)).toEqual([expect.stringContaining('has 26 source files')]);
    expect(sizeBreaches(files.slice(1))).toEqual([]);
  },
);
