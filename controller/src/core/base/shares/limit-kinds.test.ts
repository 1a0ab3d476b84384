// Every limit is of one kind, which docs/limits.md says, and whatever many callers make out of one total is counted in one way.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../../../..');
const kinds = new Map(
  [
    ...readFileSync(join(root, 'docs/limits.md'), 'utf8').matchAll(/^\| `(too_many_[a-z_]+)` \| [^|]+ \| (\w+) \|/gm),
  ].map(([, code, kind]) => [code!, kind!]),
);
/** Where the process of an emulated network says that it has as many as the share lets it have, and what becomes of that. */
const ofTheNetwork = ['emulator/src/runs/', 'controller/src/core/networks/emulator-lease-service.ts'];

interface Named {
  code: string;
  file: string;
  /** What stands before it. */
  before: string;
}

function codesIn(file: string, text: string): Named[] {
  const code = text.replaceAll(/\/\*.*?\*\//gs, (comment) => ' '.repeat(comment.length)).replaceAll(/\/\/.*$/gm, '');
  return [...code.matchAll(/['"`](too_many_[a-z_]+)['"`]|\b(too_many_[a-z_]+):/g)].map((found) => ({
    code: found[1] ?? found[2]!,
    file,
    before: code.slice(Math.max(0, found.index - 80), found.index),
  }));
}

const packages = ['contract', 'timeseries', 'emulator', 'controller', 'sdk', 'cli', 'broker', 'dashboard'];
const named = packages.flatMap((name) =>
  globSync(`${name}/src/**/*.{ts,tsx}`, { cwd: root })
    .filter((file) => !/\.(test|contract)\.tsx?$/.test(file) && !file.endsWith('api/operations.ts'))
    .flatMap((file) => codesIn(file, readFileSync(join(root, file), 'utf8'))),
);

/** Where a share is counted in a way of its own. */
function countedElsewhere(all: readonly Named[], kindOf: ReadonlyMap<string, string>): string[] {
  return all
    .filter(({ code }) => kindOf.get(code) === 'share')
    .filter(({ file }) => file.startsWith('controller/') && !ofTheNetwork.some((start) => file.startsWith(start)))
    .filter(({ before }) => !/(new TotalShare\(\s*|Limit = \{\s*code: )$/.test(before))
    .map(({ code, file }) => `${file}: ${code}`);
}

test('docs/limits.md has every code of a limit, each with its kind, and no other', () => {
  expect([...kinds.keys()].sort()).toEqual([...new Set(named.map(({ code }) => code))].sort());
  expect(new Set(kinds.values())).toEqual(new Set(['share', 'stock', 'caller', 'one', 'rate']));
});

test('a share of a total is counted in one way only', () => {
  expect(countedElsewhere(named, kinds)).toEqual([]);
  for (const [code, kind] of kinds) {
    if (kind === 'share') expect(named.some((each) => each.code === code)).toBe(true);
  }
  const own = `throw new ConflictError('too_many_drafts', 'There are 100 drafts')`;
  const found = codesIn('controller/src/a.ts', own);
  expect(countedElsewhere(found, new Map([['too_many_drafts', 'share']]))).toEqual([
    'controller/src/a.ts: too_many_drafts',
  ]);
});
