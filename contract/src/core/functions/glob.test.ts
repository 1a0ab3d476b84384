// Globs over ap_ids: what they match, against a table and against a regular expression.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import { compileGlob, isGlob, matchesGlob } from './glob.ts';

describe('a glob over ap_ids', () => {
  it.each([
    ['ap-1', 'ap-1', true],
    ['ap-1', 'ap-12', false],
    ['ap-1', 'xap-1', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['**', 'anything', true],
    ['**a**', 'xax', true],
    ['ap-*-x', 'ap-1-2-x', true],
    ['a*', 'b', false],
    ['ap-*', 'ap-', true],
    ['ap-*', 'roof-ap-1', false],
    ['*-roof', 'bristol-roof', true],
    ['*-roof', 'bristol-roof-2', false],
    ['a*b*c', 'abbbcbc', true],
    ['a*b*c', 'abbbcb', false],
    ['ab*ba', 'aba', false],
    ['ab*b*ba', 'abba', false],
    ['?', '', false],
    ['?', 'a', true],
    ['ap-??', 'ap-1', false],
    ['ap-??', 'ap-12', true],
    ['*?', '', false],
    ['AP-1', 'ap-1', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['a+', 'aa', false],
    ['a.b+c', 'a.b+c', true],
    ['a\\*', 'a*', false],
  ])('%j over %j is %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
    expect(compileGlob(pattern)(text)).toBe(expected);
  });

  it('agrees with a regular expression that says the same', () => {
    const letters = (alphabet: string) =>
      fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(letters('ab.*?'), letters('ab.'), (pattern, text) => {
        const model = new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\*+/g, '.*').replaceAll('?', '.')}$`);
        expect(matchesGlob(pattern, text)).toBe(model.test(text));
        expect(compileGlob(pattern)(text)).toBe(model.test(text));
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('is told from a plain name', () => {
    expect(['ap-1', 'ap-*', 'ap-?'].map(isGlob)).toEqual([false, true, true]);
  });

  it('comes to an end on a pattern that makes backtracking explode', () => {
    expect(matchesGlob(`${'*a'.repeat(200)}b`, 'a'.repeat(5000))).toBe(false);
  });
});
