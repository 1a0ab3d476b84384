// Chips are selectors and back.
import { parseSelector } from '@weft/contract/selector';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readChips, writeChips } from './selector-chips.tsx';

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((each) => !['or', 'and', 'not'].includes(each));
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('/'));
const chips = fc.record({
  sites: fc.uniqueArray(path, { maxLength: 3 }),
  tags: fc.uniqueArray(name, { maxLength: 3 }),
});

test('what chips say is a selector, which reads as the same chips', () => {
  fc.assert(
    fc.property(chips, (given) => {
      const selector = writeChips(given);
      expect(() => parseSelector(selector)).not.toThrow();
      expect(readChips(selector)).toEqual(given);
    }),
  );
});

test('what chips cannot say stays a text', () => {
  expect(readChips('')).toEqual({ sites: [], tags: [] });
  for (const selector of [
    'name:ap-*',
    'site:uk',
    '-tag:lab',
    'site:uk/** or tag:x',
    'tag:l*',
    'site:*/**',
    'uk',
    'site:(',
  ]) {
    expect(readChips(selector), selector).toBeUndefined();
  }
});
