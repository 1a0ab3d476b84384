// Every regular expression of the product and its scripts, held against long texts made of its own characters: none may
// take more time than the length of the text explains.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { NAME_GLOB_PATTERN, NAME_PATTERN } from '../../../../../contract/src/core/functions/ap-id.ts';
import { sitePathPattern, tagPattern } from '../../../../../contract/src/core/functions/label-rules.ts';
import { isLong } from '../../../../../test/rounds.ts';

const root = join(import.meta.dirname, '../../../../..');
const maxMs = 100;
// Small steps first: an expression that explodes is caught before it takes for ever.
const lengths = isLong
  ? [
      ...[16, 18, 20, 22, 24, 26, 28, 30, 32, 40, 50, 64, 90, 130, 190, 280, 420, 640, 1000],
      ...[2000, 2800, 4000, 5600, 8000, 11_000, 15_000, 20_000],
    ]
  : [...[16, 18, 20, 22, 24, 26, 28, 30, 32, 50, 90, 190], ...[1000, 2000, 4000, 8000, 20_000]];
/** From here on only what may take long is looked at with longer texts. */
const longEnough = isLong ? 2000 : 1000;
/** Of an expression; in pairs, most of the work. */
const maxLetters = isLong ? 9 : 7;

interface Found {
  where: string;
  source: string;
  flags: string;
}

function collect(): Found[] {
  const files = globSync(['contract/src/**/*.ts', 'controller/src/**/*.ts', 'scripts/*.{ts,mjs}'], { cwd: root });
  const found: Found[] = [
    { where: 'contract/src/core/functions/ap-id.ts', source: NAME_PATTERN, flags: 'u' },
    { where: 'contract/src/core/functions/ap-id.ts', source: NAME_GLOB_PATTERN, flags: 'u' },
    { where: 'contract/src/core/functions/label-rules.ts', source: sitePathPattern, flags: 'u' },
    { where: 'contract/src/core/functions/label-rules.ts', source: tagPattern, flags: 'u' },
  ];
  for (const file of files.filter((name) => !/\.(test|contract)\.ts$/.test(name))) {
    const { program, errors } = parseSync(file, readFileSync(join(root, file), 'utf8'));
    expect(errors).toEqual([]);
    // biome-ignore lint/suspicious/noExplicitAny: a tree with nodes of all kinds
    const visit = (node: any): void => {
      if (node.regex) found.push({ where: file, source: node.regex.pattern, flags: node.regex.flags });
      if (node.type === 'Property' && node.key.name === 'pattern' && typeof node.value.value === 'string') {
        found.push({ where: file, source: node.value.value, flags: 'u' });
      }
      for (const key in node) if (typeof node[key] === 'object' && node[key] !== null) visit(node[key]);
    };
    visit(program);
  }
  return [...new Map(found.map((each) => [`${each.flags} ${each.source}`, each])).values()];
}

/** Without one, each place of a text is looked at for as long as the expression is, however long the text. */
const isRepeating = ({ source }: Found) => /[*+{]/.test(source);

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

/** The longest time for a text of this length, and the text's unit; and the units that may yet take long with longer texts. */
function slowest(expression: RegExp, units: string[], starts: string[], length: number) {
  let worst = { ms: 0, unit: '' };
  const left: string[] = [];
  for (const unit of units) {
    const middle = unit.repeat(Math.ceil(length / unit.length));
    let most = 0;
    for (const text of starts.flatMap((start) => [`${start}${middle}`, `${start}${middle}\u0001`])) {
      let ms = time(expression, text);
      // By the clock of the processor before it counts: other processes use this machine too.
      if (ms > maxMs) ms = Math.min(ms, processorTime(expression, text));
      most = Math.max(most, ms);
      if (ms > worst.ms) worst = { ms, unit };
      if (ms > maxMs) return { ...worst, left };
    }
    // What grows with the square of the length is within the bound for the longest text, too; what grows faster is not here any more.
    if (length < longEnough || most * (lengths.at(-1)! / length) ** 2 > maxMs / 2) left.push(unit);
  }
  return { ...worst, left };
}

function time(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const start = performance.now();
  // As replace and matchAll do it: on from each match to the end.
  if (expression.global) text.replace(expression, '');
  else expression.test(text);
  return performance.now() - start;
}

function processorTime(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage();
  time(expression, text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function check(found: Found): string | undefined {
  const expression = new RegExp(found.source, found.flags);
  const letters = lettersOf(found);
  const prefix = /^\^?((?:[\w:,/ <"'=-]|\\[./])+)/.exec(found.source)?.[1]?.replaceAll('\\', '').slice(0, -1) ?? '';
  let units = [...letters, ...letters.flatMap((a) => letters.filter((b) => b !== a).map((b) => a + b))];
  for (const length of lengths) {
    const { ms, unit, left } = slowest(expression, units, [...new Set(['', prefix])], length);
    units = left;
    if (ms > maxMs)
      return `/${found.source}/ of ${found.where}: ${ms.toFixed()} ms for ${length} of ${JSON.stringify(unit)}`;
  }
  return undefined;
}

it('X10: no regular expression takes long', () => {
  const all = collect().filter(isRepeating);
  expect(all.length).toBeGreaterThan(30);
  expect(all.map(check).filter((problem) => problem !== undefined)).toEqual([]);
});

const slow = ['(a+)+$', '\\s+$', ...(isLong ? ['(a|a)*b', 'a*a*a*a*b', '^(\\w+\\s?)*$', '(\\d+,)*\\d+x'] : [])];
it.each(slow)('and /%s/ would be found', (source) => {
  expect(check({ where: 'here', source, flags: '' })).toContain(source);
});
