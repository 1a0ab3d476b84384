// The language of selectors: what each term selects, its laws, its errors, and that no text makes it slow or throw anything else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../test/pure/any-text.ts';
import { rounds } from '../../../../test/rounds.ts';
import {
  agentStates,
  describeSelector,
  isWithin,
  matchesSelector,
  parseSelector,
  printSelector,
  requireOwnedByAdministrators,
  type Selectable,
  SelectorError,
  type SelectorNode,
} from './selector.ts';

const hall: Selectable & { metrics: Record<string, number> } = {
  ap_id: 'ap-hall-1',
  display_name: 'Main hall, left',
  site: 'uk/bristol/hall',
  tags: ['lobby', 'ceiling'],
  access_point_type: 'WiFi',
  state: 'offline',
  health: 'bad',
  power_state: 'asleep',
  config: 'drifted',
  emulated: true,
  metrics: { rssi_dbm: -71, 'air time': 0.5, or: 3 },
  metric(name) {
    return this.metrics[name];
  },
};
const bare: Selectable = { ap_id: 'x', display_name: null, site: null, tags: [], access_point_type: null };

const selects = (text: string, agent: Selectable = hall) => matchesSelector(parseSelector(text), agent);

describe('a selector', () => {
  it.each([
    ['', true],
    ['  ', true],
    ['site:uk/bristol/** type:WiFi tag:lobby -tag:lab state:offline name:ap-hall-* rssi_dbm<-70', true],
    ['site:uk/bristol/hall', true],
    ['site:/uk/bristol/hall/', true],
    ['site:uk/bristol', false],
    ['site:uk/bristol/*', true],
    ['site:uk/*', false],
    ['site:uk/**', true],
    ['site:uk/bristol/hall/**', true],
    ['site:uk/bristol/ha/**', false],
    ['site:**/hall', true],
    ['site:uk/**/hall', true],
    ['site:*/*/h?ll', true],
    ['site:**', true],
    ['site:uk/bris*', false],
    ['tag:lobby', true],
    ['tag:lob', false],
    ['tag:lob*', true],
    ['type:wifi', true],
    ['type:LiFi', false],
    ['state:offline', true],
    ['STATE:Offline', true],
    ['state:online', false],
    ['health:BAD', true],
    ['health:good', false],
    ['power:asleep', true],
    ['power_state:Asleep', true],
    ['power:awake', false],
    ['config:Drifted', true],
    ['config:in_sync', false],
    ['emulated:true', true],
    ['emulated:false', false],
    ['name:ap-hall-1', true],
    ['name:ap-hall', false],
    ['name:*hall*', true],
    ['name:"Main hall, left"', true],
    ['name:"Main *"', true],
    ['rssi_dbm<-70', true],
    ['rssi_dbm < -71', false],
    ['rssi_dbm<=-71', true],
    ['rssi_dbm>=-71', true],
    ['rssi_dbm>-71', false],
    ['rssi_dbm = -71.0', true],
    ['rssi_dbm!=-71', false],
    ['rssi_dbm!=-7.1e1', false],
    ['"air time">.4', true],
    ['"or"=3', true],
    ['latency_ms>0', false],
    ['latency_ms!=0', false],
    ['-latency_ms>0', true],
    ['tag:lab or tag:lobby', true],
    ['tag:lab OR tag:lobby', true],
    ['tag:lab or tag:lobby state:online', false],
    ['(tag:lab or tag:lobby) state:offline', true],
    ['-(tag:lab or tag:lobby)', false],
    ['--tag:lobby', true],
    ['tag:lobby(state:offline)', true],
  ])('%j selects the lobby: %s', (text, expected) => {
    expect(selects(text)).toBe(expected);
  });

  it.each(['site:**', 'tag:*', 'type:*', 'state:never', 'power:on', 'config:drifted', 'a>0', 'emulated:true'])(
    '%s selects nothing that has none',
    (text) => {
      expect(selects(text, bare)).toBe(false);
      expect(selects(`-${text}`, bare)).toBe(true);
    },
  );

  it('says what it needs to know', () => {
    expect(parseSelector('tag:a site:b or -name:c')).toMatchObject({
      needsState: false,
      needsPower: false,
      metrics: [],
      isOwnedByAdministrators: true,
    });
    expect(parseSelector('state:late power:on a>1 (a<3 or "b c"=0)')).toMatchObject({
      needsState: true,
      needsPower: true,
      metrics: ['a', 'b c'],
      isOwnedByAdministrators: false,
    });
  });

  it('depends for rights only on what administrators own', () => {
    expect(() => requireOwnedByAdministrators(parseSelector('site:a/** -(tag:b or name:c)'))).not.toThrow();
    for (const other of ['type:WiFi', 'state:online', 'power:on', 'config:in_sync', 'emulated:true', 'load>1']) {
      const refuse = () => requireOwnedByAdministrators(parseSelector(`site:a/** -(tag:b or ${other})`));
      expect(refuse).toThrow(expect.objectContaining({ name: 'SelectorError', column: 22 }));
    }
  });

  it.each([
    ['', 'all access points'],
    ['site:uk/**', 'access points that are in the site uk or below it'],
    [
      'site:uk/* -tag:lab (state:never or type:WiFi)',
      'access points that are in a site directly below uk and are not tagged lab and (are without a report yet or are of type WiFi)',
    ],
    [
      '-(name:a* rssi_dbm<-70) emulated:false',
      'access points that do not match (are named like a* and have rssi_dbm below -70) and are real',
    ],
  ])('%j in words: %s', (text, words) => {
    expect(describeSelector(parseSelector(text))).toBe(words);
  });
});

describe('an error', () => {
  it.each([
    ['sit:uk', 1, 'Did you mean site?'],
    ['tag:a foo:b', 7, 'a metric is compared'],
    ['lobby', 1, 'name:lobby'],
    ['tag:a lobby', 7, 'name:lobby'],
    ['tag:', 5, 'A value is missing'],
    ['site:', 6, '-site:**'],
    ['site:a//b', 6, 'A site is a path'],
    ['site:/', 6, 'A site is a path'],
    ['state:offlin', 7, 'Did you mean offline?'],
    ['emulated:yes', 10, 'none of true, false'],
    ['(tag:a', 1, 'never closed'],
    ['tag:a)', 6, 'closes nothing'],
    ['()', 2, 'missing before this bracket'],
    ['tag:a or', 9, 'A term is missing'],
    ['or tag:a', 1, 'missing before "or"'],
    ['tag:a or or tag:b', 10, 'missing before "or"'],
    ['tag:"a', 5, 'quote is never closed'],
    ['- tag:a', 2, 'directly before a term'],
    ['tag:a -', 8, 'directly before a term'],
    ['rssi_dbm<', 10, 'A number stands after <'],
    ['rssi_dbm<low', 10, 'A number stands after <'],
    ['rssi_dbm<1e999', 10, 'A number stands after <'],
    ['<3', 1, 'name of a metric is missing'],
    ['""<3', 1, 'name of a metric is missing'],
    ['!', 1, 'is not a term'],
    [`tag:${'a'.repeat(1000)}`, 1001, 'at most 1000 characters'],
    ['tag:a '.repeat(51), 301, 'at most 50 terms'],
    ['name:*a?* '.repeat(11), 110, 'at most 10 terms with both'],
    [`${'('.repeat(21)}tag:a${')'.repeat(21)}`, 21, 'inside of one another'],
    [`${'-'.repeat(21)}tag:a`, 21, 'inside of one another'],
  ])('of %j is at column %i: %s', (text, column, words) => {
    const read = () => parseSelector(text);
    expect(read).toThrow(expect.objectContaining({ name: 'SelectorError', column }));
    expect(read).toThrow(words);
  });

  it('is the only thing that any text throws', () => {
    const pieces = fc.constantFrom(
      'site:',
      'tag:',
      'state:',
      'or',
      ' ',
      '(',
      ')',
      '-',
      '"',
      '\\',
      '<',
      '=',
      '!',
      '*',
      '**',
      '/',
      'a',
      '1',
      'e',
      '.',
      ':',
      'é',
      '\u0130',
      '\ud800',
      '\n',
    );
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const selector = parseSelector(text);
          matchesSelector(selector, hall);
          expect(parseSelector(printSelector(selector.node)).node).toEqual(withColumns(selector.node));
        } catch (error) {
          if (!(error instanceof SelectorError)) throw error;
          expect(error.column).toBeGreaterThanOrEqual(1);
          expect(error.column).toBeLessThanOrEqual(text.length + 1);
        }
      }),
      { numRuns: rounds(2000) },
    );
  });
});

const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 8 }),
  fc.constantFrom('or', '-a', 'a b', '*', 'é', 'lob*', 'lobby', 'lab'),
);
const value = word.map((text) => text.normalize('NFC'));
const column = fc.constant(0);
const term = fc.oneof(
  fc.record({ kind: fc.constant('label'), key: fc.constantFrom('tag', 'name', 'type'), value, column }),
  fc.record({ kind: fc.constant('label'), key: fc.constant('state'), value: fc.constantFrom(...agentStates), column }),
  fc.record({ kind: fc.constant('label'), key: fc.constant('power'), value: fc.constantFrom('on', 'asleep'), column }),
  fc.record({
    kind: fc.constant('label'),
    key: fc.constant('site'),
    value: fc.constantFrom('uk', 'uk/*', 'uk/**', '**'),
    column,
  }),
  fc.record({
    kind: fc.constant('metric'),
    metric: fc.oneof(word, fc.constantFrom('rssi_dbm', 'or', 'air time')),
    operator: fc.constantFrom('<', '<=', '>', '>=', '=', '!='),
    value: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((n) => (n === 0 ? 0 : n)),
    column,
  }),
) as fc.Arbitrary<SelectorNode>;
const { node } = fc.letrec<{ node: SelectorNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true, maxDepth: 3 },
    term,
    tie('node').map((inner): SelectorNode => ({ kind: 'not', node: inner })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('node'), { minLength: 2, maxLength: 3 }))
      .map(([kind, nodes]): SelectorNode => ({ kind, nodes }) as SelectorNode),
  ),
}));
/** Short enough to be a selector. */
const text = node.map(printSelector).filter((each) => each.length < 250);
const agent: fc.Arbitrary<Selectable> = fc.record({
  ap_id: fc.constantFrom('ap-hall-1', 'x', 'lobby'),
  display_name: fc.constantFrom(null, 'Main hall', 'lab'),
  site: fc.constantFrom(null, 'uk', 'uk/bristol', 'uk/bristol/hall', 'de'),
  tags: fc.subarray(['lobby', 'lab', 'a b']),
  access_point_type: fc.constantFrom(null, 'WiFi', '5G'),
  state: fc.constantFrom(...agentStates),
  power_state: fc.constantFrom(null, 'on', 'asleep'),
  emulated: fc.boolean(),
  metric: fc.constantFrom(
    () => undefined,
    () => 1,
    () => -70,
  ),
});

describe('the laws of selectors', () => {
  it('what is printed is parsed as the same', () => {
    fc.assert(
      fc.property(node, (tree) => {
        const printed = printSelector(tree);
        fc.pre(printed.length <= 1000);
        expect(withColumns(parseSelector(printed).node, 0)).toEqual(tree);
      }),
      { numRuns: rounds(2000) },
    );
  });

  it.each<[string, (a: string, b: string, c: string) => [string, string]]>([
    ['not not', (a) => [`--(${a})`, a]],
    ['order', (a, b) => [`(${a}) (${b})`, `(${b}) (${a})`]],
    ['order of or', (a, b) => [`(${a}) or (${b})`, `(${b}) or (${a})`]],
    ['De Morgan', (a, b) => [`-((${a}) (${b}))`, `-(${a}) or -(${b})`]],
    ['distribution', (a, b, c) => [`(${a}) ((${b}) or (${c}))`, `(${a}) (${b}) or (${a}) (${c})`]],
    ['absorption', (a, b) => [`(${a}) ((${a}) or (${b}))`, a]],
    ['everything', (a) => [`(${a}) or -(${a})`, '']],
  ])('%s', (_name, law) => {
    fc.assert(
      fc.property(text, text, text, agent, (a, b, c, one) => {
        const [left, right] = law(a, b, c);
        fc.pre(left.length <= 1000 && right.length <= 1000);
        expect(selects(left, one)).toBe(selects(right, one));
      }),
      { numRuns: rounds(300) },
    );
  });

  it('- is the complement, terms side by side are and, or is or', () => {
    fc.assert(
      fc.property(text, text, agent, (a, b, one) => {
        const [isA, isB] = [selects(a, one), selects(b, one)];
        expect(selects(`-(${a})`, one)).toBe(!isA);
        expect(selects(`(${a}) (${b})`, one)).toBe(isA && isB);
        expect(selects(`(${a}) or (${b})`, one)).toBe(isA || isB);
      }),
      { numRuns: rounds(1000) },
    );
  });

  it.each([
    ['site:uk/bristol/hall', 'site:uk/**', true],
    ['site:uk/bristol/**', 'site:uk/**', true],
    ['site:uk/bristol/*', 'site:uk/bristol/**', true],
    ['site:uk/** tag:a', 'tag:a', true],
    ['tag:lab-1 or tag:lab-2', 'tag:lab-*', true],
    ['name:ap-1', 'site:uk/** or name:ap-*', true],
    ['-tag:lab-*', '-tag:lab-1', true],
    ['tag:a', '', true],
    ['', 'tag:a', false],
    ['site:uk/**', 'site:uk/bristol/**', false],
    ['site:uk/**', 'site:uk/*', false],
    ['tag:a or tag:b', 'tag:a', false],
    ['tag:a', 'tag:a tag:b', false],
    ['tag:l*', 'tag:lab-*', false],
    ['-tag:a', 'tag:a', false],
  ])('%s is within %s: %s', (inner, outer, isIn) => {
    expect(isWithin(parseSelector(inner).node, parseSelector(outer).node)).toBe(isIn);
  });

  it('what is within another selects nothing that the other does not', () => {
    let seen = 0;
    fc.assert(
      fc.property(node, node, agent, (a, b, one) => {
        for (const outer of [b, { kind: 'or', nodes: [b, a] } as const]) {
          if (!isWithin(a, outer)) continue;
          seen++;
          expect(!parseSelector(printSelector(a)).test(one) || parseSelector(printSelector(outer)).test(one)).toBe(
            true,
          );
        }
      }),
      { numRuns: rounds(1000) },
    );
    expect(seen).toBeGreaterThan(0);
  });

  it('comes to an end on patterns that make backtracking explode', () => {
    const nasty = `${'*a'.repeat(490)}b`;
    const long = 'a'.repeat(5000);
    expect(selects(`name:${nasty}`, { ...bare, ap_id: long })).toBe(false);
    expect(selects(`tag:${nasty}`, { ...bare, tags: [long] })).toBe(false);
    expect(selects(`site:${'**/a/'.repeat(190)}b`, { ...bare, site: 'a/'.repeat(2000) })).toBe(false);
  });
});

/** The same tree with its columns set, or left to whatever is expected. */
function withColumns(tree: SelectorNode, set?: number): SelectorNode {
  if (tree.kind === 'all') return tree;
  if (tree.kind === 'not') return { ...tree, node: withColumns(tree.node, set) };
  if (tree.kind === 'and' || tree.kind === 'or')
    return { ...tree, nodes: tree.nodes.map((each) => withColumns(each, set)) };
  return { ...tree, column: set ?? (expect.any(Number) as unknown as number) };
}
