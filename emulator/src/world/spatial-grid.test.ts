import fc from 'fast-check';
import { test } from 'vitest';
import { createGrid, createNearest, findNearest } from './spatial-grid.ts';

test('finds the same as looking at everybody', () => {
  const metre = fc.integer({ min: -250, max: 250 });
  const member = fc.record({ x: metre, y: metre, isWanted: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(member, { maxLength: 60 }),
      metre,
      metre,
      fc.integer({ min: 1, max: 12 }),
      (members, atX, atY, limit) => {
        const x = Float64Array.from(members, (m) => m.x);
        const y = Float64Array.from(members, (m) => m.y);
        const isWanted = Uint8Array.from(members, (m) => (m.isWanted ? 1 : 0));
        const found = createNearest(limit);
        findNearest(createGrid([...members.keys()], x, y, 100), x, y, isWanted, atX, atY, found);
        const expected = members
          .map((m, index) => ({ index, distance2: (m.x - atX) * (m.x - atX) + (m.y - atY) * (m.y - atY) }))
          .filter(({ index, distance2 }) => distance2 <= 10_000 && isWanted[index] === 1)
          .sort((a, b) => a.distance2 - b.distance2 || a.index - b.index)
          .slice(0, limit)
          .map(({ index }) => index);
        return JSON.stringify([...found.index.subarray(0, found.count)]) === JSON.stringify(expected);
      },
    ),
  );
});
