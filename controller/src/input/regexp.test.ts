// Every regular expression of the product and its scripts, held against long texts made of its own characters: none may
// take more time than the length of the text explains.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { NAME_GLOB_PATTERN, NAME_PATTERN } from '../../../contract/src/functions/ap-id.ts';
import { sitePathPattern, tagPattern } from '../../../contract/src/functions/label-rules.ts';
import { APP_NAME_PATTERN } from '../../../contract/src/identifiers.ts';

const root = join(import.meta.dirname, '../../..');
const maxMs = 100;
// Small steps first: an expression that explodes is caught before it takes for ever.
const lengths = [16, 20, 24, 28, 32, 48, 72, 110, 160, 240, 360, 540, 1000, 2000, 5000, 20_000];
const maxLetters = 9;

interface Found {
  where: string;
  source: string;
  flags: string;
}

function collect(): Found[] {
  const files = globSync(['contract/src/**/*.ts', 'controller/src/**/*.ts', 'scripts/*.{ts,mjs}'], { cwd: root });
  const found: Found[] = [
    { where: 'contract/src/functions/ap-id.ts', source: NAME_PATTERN, flags: 'u' },
    { where: 'contract/src/functions/ap-id.ts', source: NAME_GLOB_PATTERN, flags: 'u' },
    { where: 'contract/src/identifiers.ts', source: APP_NAME_PATTERN, flags: 'u' },
    { where: 'contract/src/functions/label-rules.ts', source: sitePathPattern, flags: 'u' },
    { where: 'contract/src/functions/label-rules.ts', source: tagPattern, flags: 'u' },
  ];
  for (const file of files.filter((name) => !/\.(test|contract)\.ts$/.test(name))) {
    const { program, errors } = parseSync(file, readFileSync(join(root, file), 'utf8'));
    expect(errors).toEqual([]);
    JSON.stringify(program, (_key, node) => {
      if (node?.regex) found.push({ where: file, source: node.regex.pattern, flags: node.regex.flags });
      if (node?.type === 'Property' && node.key.name === 'pattern' && typeof node.value.value === 'string') {
        found.push({ where: file, source: node.value.value, flags: 'u' });
      }
      return typeof node === 'bigint' ? undefined : node;
    });
  }
  return found;
}

/** Characters that the expression knows: those it names, and one of each class it uses. */
function lettersOf({ source }: Found): string[] {
  const classes: [RegExp, string][] = [
    [/\\d|0-9/, '0'],
    [/\\w|a-z|A-Z|\\S|\[\^|\./, 'a'],
    [/\\s|\\W|\[\^/, ' '],
    [/\\[nr]|\\s/, '\n'],
    [/\\p|\\u/, 'é'],
  ];
  const ofClasses = classes.filter(([used]) => used.test(source)).map(([, letter]) => letter);
  const literal = source.replace(/\\(?:u\{?[0-9a-f]+\}?|x..|p\{\w+\}|[a-z])/gi, '').replace(/[()[\]{}|^$*+\\]/g, '');
  return [...new Set([...ofClasses, ...literal])].slice(0, maxLetters);
}

/** The longest time for a text of this length, and the text's unit. */
function slowest(
  expression: RegExp,
  letters: string[],
  starts: string[],
  length: number,
): { ms: number; unit: string } {
  let worst = { ms: 0, unit: '' };
  const pairs = letters.flatMap((a) => letters.filter((b) => b !== a).map((b) => a + b));
  for (const unit of [...letters, ...pairs]) {
    const middle = unit.repeat(Math.ceil(length / unit.length));
    for (const text of starts.flatMap((start) => [`${start}${middle}`, `${start}${middle}\u0001`])) {
      const ms = time(expression, text);
      // Once more before it counts: other processes use this machine too.
      if (ms > worst.ms) worst = { ms: ms > maxMs ? Math.min(ms, time(expression, text)) : ms, unit };
      if (worst.ms > maxMs) return worst;
    }
  }
  return worst;
}

function time(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const start = performance.now();
  // As replace and matchAll do it: on from each match to the end.
  if (expression.global) text.replace(expression, '');
  else expression.test(text);
  return performance.now() - start;
}

function check(found: Found): string | undefined {
  const expression = new RegExp(found.source, found.flags);
  const letters = lettersOf(found);
  const prefix = /^\^?((?:[\w:,/ <"'=-]|\\[./])+)/.exec(found.source)?.[1]?.replaceAll('\\', '').slice(0, -1) ?? '';
  for (const length of lengths) {
    const { ms, unit } = slowest(expression, letters, [...new Set(['', prefix])], length);
    if (ms > maxMs)
      return `/${found.source}/ of ${found.where}: ${ms.toFixed()} ms for ${length} of ${JSON.stringify(unit)}`;
  }
  return undefined;
}

it('X10: no regular expression takes long', () => {
  const all = collect();
  expect(all.length).toBeGreaterThan(30);
  expect(all.map(check).filter((problem) => problem !== undefined)).toEqual([]);
});

it.each(['(a+)+$', '(a|a)*b', 'a*a*a*a*b', '\\s+$', '^(\\w+\\s?)*$', '(\\d+,)*\\d+x'])(
  'and /%s/ would be found',
  (source) => {
    expect(check({ where: 'here', source, flags: '' })).toContain(source);
  },
);
