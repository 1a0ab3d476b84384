import fc from 'fast-check';
import { expect, it } from 'vitest';
import { freeNames } from './agent-store.ts';

it('counts on after the last one of each stem', () => {
  const taken = ['bristol-5g-3', 'bristol-5g-1', 'bristol-5g-x', 'bristol-5g', 'bristol-wifi-9', 'bath-5g-07'];
  expect(freeNames(['bristol-5g', 'bath-5g', 'bristol-5g', 'york-5g'], taken)).toEqual([
    'bristol-5g-4',
    'bath-5g-8',
    'bristol-5g-5',
    'york-5g-1',
  ]);
});

it('gives no name twice, and none that is taken', () => {
  const stem = fc.constantFrom('a', 'a-1', 'b-5g', 'b');
  const name = fc.tuple(stem, fc.integer({ min: 0, max: 12 })).map(([text, number]) => `${text}-${number}`);
  fc.assert(
    fc.property(fc.array(stem, { maxLength: 30 }), fc.array(name), (stems, taken) => {
      const names = freeNames(stems, taken);
      expect(names).toHaveLength(stems.length);
      expect(new Set([...names, ...taken]).size).toBe(names.length + new Set(taken).size);
    }),
  );
});
