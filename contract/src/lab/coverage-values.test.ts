import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { decodeCoverage, encodeCoverage } from './coverage-values.ts';

test('what is written is read again, to half a step of the scale', () => {
  const value = fc.oneof(fc.constant(Number.NaN), fc.double({ min: -300, max: 300, noNaN: true }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 9000 }), (given) => {
      const values = Float32Array.from(given);
      const read = decodeCoverage(encodeCoverage(values, 0.01), 0.01);
      expect(read.length).toBe(values.length);
      for (const [n, one] of values.entries()) {
        if (Number.isNaN(one)) expect(read[n]).toBeNaN();
        else expect(Math.abs(read[n]! - one)).toBeLessThan(0.0051);
      }
    }),
    { numRuns: rounds(30) },
  );
});

test('the bytes are those that are documented: 16 bits each, low byte first', () => {
  const text = encodeCoverage(Float32Array.of(-61.5, Number.NaN, 1, 1e9), 0.5);
  expect([...Buffer.from(text, 'base64')]).toEqual([0x85, 0xff, 0x00, 0x80, 0x02, 0x00, 0xff, 0x7f]);
  expect([...decodeCoverage('hf8AgAIA', 0.5)]).toEqual([-61.5, Number.NaN, 1]);
});
