// Words at marks never cover each other and never leave the plot.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeLabels } from './chart-marks.ts';

const plot = { left: 50, right: 350, gap: 3, rows: 2 };

it('words have room of their own, within the plot, beside their line, wherever marks are', () => {
  const mark = fc.record({ x: fc.integer({ min: 50, max: 350 }), width: fc.integer({ min: 8, max: 120 }) });
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 20 }), (marks) => {
      const placed = placeLabels(marks, plot).flatMap((place, index) =>
        place ? [{ ...place, ...marks[index]! }] : [],
      );
      for (const { start, row, x, width } of placed) {
        expect([0, 1]).toContain(row);
        expect(start).toBeGreaterThanOrEqual(50);
        expect(start + width).toBeLessThanOrEqual(350);
        expect([x + 3, x - 3 - width]).toContain(start);
      }
      for (const one of placed) {
        const others = placed.filter((other) => other !== one && other.row === one.row);
        expect(others.some(({ start, width }) => start < one.start + one.width && one.start < start + width)).toBe(
          false,
        );
      }
      if (marks.length > 0) expect(placed.length).toBeGreaterThan(0);
    }),
  );
});

it('words stand behind their line, before it at the end of the plot, and below others that are in their way', () => {
  const marks = [340, 100, 110, 112].map((x) => ({ x, width: 30 }));
  expect(placeLabels(marks, plot)).toEqual([
    { start: 307, row: 0 },
    { start: 103, row: 0 },
    { start: 113, row: 1 },
    undefined,
  ]);
});
