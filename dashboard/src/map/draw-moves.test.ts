// Arrows on the map: from the edge of one marker to that of another.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { markerRadius } from './draw-items.ts';
import { moveShapes } from './draw-moves.ts';

const spots: Record<string, { x: number; y: number }> = {
  a: { x: 0, y: 0 },
  b: { x: 100, y: 0 },
  near: { x: 5, y: 0 },
};
const spotOf = (ap_id: string) => spots[ap_id];

it('points from where devices are to where they would go; those that are lost have no arrow', () => {
  const [there, back, lost] = moveShapes(
    [
      { from: 'a', to: 'b', words: '3' },
      { from: 'b', to: 'a', words: '1' },
      { from: 'a', words: '2' },
    ],
    spotOf,
  );
  expect(there!.to!.x).toBeGreaterThan(there!.from.x);
  expect(back!.to!.x).toBeLessThan(back!.from.x);
  expect(lost).toEqual({ from: spots.a, label: { x: 0, y: expect.any(Number) }, words: '2' });
  // What it says stands behind the marker that it points to.
  expect([there!.label.x > 100 + markerRadius, back!.label.x < -markerRadius]).toEqual([true, true]);
});

it('an access point without a place, and two that are drawn as one, have no arrow', () => {
  const moves = [
    { from: 'a', to: 'nowhere', words: '1' },
    { from: 'nowhere', words: '1' },
    { from: 'a', to: 'near', words: '1' },
    { from: 'a', to: 'a', words: '1' },
  ];
  expect(moveShapes(moves, spotOf)).toEqual([]);
});

it('an arrow lies between the two markers and covers neither', () => {
  const place = fc.record({ x: fc.integer({ min: -500, max: 500 }), y: fc.integer({ min: -500, max: 500 }) });
  fc.assert(
    fc.property(place, place, (one, other) => {
      const distance = (p: typeof one, q: typeof one) => Math.hypot(p.x - q.x, p.y - q.y);
      const [shape] = moveShapes([{ from: 'one', to: 'other', words: '' }], (id) => (id === 'one' ? one : other));
      if (!shape?.to) {
        expect(distance(one, other)).toBeLessThan(4 * markerRadius);
        return;
      }
      expect(distance(one, shape.from)).toBeGreaterThan(markerRadius);
      expect(distance(other, shape.to)).toBeGreaterThan(markerRadius);
      const parts = distance(one, shape.from) + distance(shape.from, shape.to) + distance(shape.to, other);
      expect(parts).toBeCloseTo(distance(one, other), 6);
    }),
  );
});
