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
  expect(totalSize(files)).toEqual({
    summary: expect.stringMatching(/^110 source lines .* in 2 files, 1 of/),
    breaches: [],
  });
  expect(totalSize([file('sdk/src/a.ts', 1_000_000)]).breaches).toEqual([expect.stringContaining('too large')]);
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
