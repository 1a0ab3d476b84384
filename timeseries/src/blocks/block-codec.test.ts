// Whatever goes into a block comes out of it, bit for bit, in few bytes; damage is noticed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draw } from '../../../test/draw.ts';
import { anyCharacter } from '../../../test/pure/any-text.ts';
import { rounds } from '../../../test/rounds.ts';
import { Block, encodeBlock, type Rows } from './block-codec.ts';

const anyValue = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 100),
  fc.constantFrom(0, -0, Number.MAX_VALUE, Number.MIN_VALUE, 0.1 + 0.2, 1e15, 2 ** 53),
);

const anyRows: fc.Arbitrary<Rows> = fc
  .uniqueArray(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 1, maxLength: 60 })
  .chain((times) => {
    const ts = Float64Array.from(times).sort();
    const column = fc
      .array(fc.option(anyValue, { nil: Number.NaN }), { minLength: ts.length, maxLength: ts.length })
      .map((values) => Float64Array.from(values));
    const text = fc.array(fc.option(fc.string({ unit: anyCharacter }), { nil: undefined }), {
      minLength: ts.length,
      maxLength: ts.length,
    });
    return fc.record({
      ts: fc.constant(ts),
      columns: fc.array(column, { maxLength: 5 }).map((all) => new Map(all.map((values, field) => [field, values]))),
      texts: fc.array(text, { maxLength: 2 }).map((all) => new Map(all.map((values, field) => [100 + field, values]))),
    });
  });

describe('a block', () => {
  test('gives back every time, value and text exactly', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const block = new Block(encodeBlock(rows));
        expect(block.ts).toStrictEqual(rows.ts);
        for (const [field, values] of rows.columns) expect(block.column(field)).toStrictEqual(values);
        for (const [field, values] of rows.texts) expect(block.text(field)).toStrictEqual(values);
        expect(new Set(block.fields)).toStrictEqual(new Set([...rows.columns.keys(), ...rows.texts.keys()]));
      }),
      { numRuns: rounds(300) },
    );
  });

  test('knows nothing of fields that are not in it', () => {
    const block = new Block(
      encodeBlock({ ts: Float64Array.of(1), columns: new Map([[3, Float64Array.of(7)]]), texts: new Map() }),
    );
    expect([block.column(4), block.text(3), block.isText(3)]).toStrictEqual([undefined, undefined, false]);
  });

  test('takes less than a byte and a half for a point of rounded radio telemetry', () => {
    const size = 2048;
    const random = draw('telemetry');
    const walk = () => {
      let value = -60;
      return Float64Array.from({ length: size }, () => {
        value += random.unit() - 0.5;
        return Math.round(value * 100) / 100;
      });
    };
    const ts = Float64Array.from({ length: size }, (_, row) => 1_700_000_000_000 + row * 1000 + random.below(5));
    const columns = new Map(Array.from({ length: 10 }, (_, field) => [field, walk()]));
    const bytes = encodeBlock({ ts, columns, texts: new Map() }).length;
    expect(bytes / (size * 10)).toBeLessThan(1.5);
  });

  test.each([
    ['compressed', 500, 12],
    ['too small to compress', 5, 0],
  ])('with a flipped bit is refused rather than shown: %s', (_, rows, first) => {
    const values = Float64Array.from({ length: rows }, (_, row) => row * 1.5);
    const ts = Float64Array.from({ length: rows }, (_, row) => row * 1000);
    const encoded = encodeBlock({ ts, columns: new Map([[0, values]]), texts: new Map() });
    for (let at = first; at < encoded.length; at += 7) {
      const damaged = encoded.slice();
      damaged[at]! ^= 4;
      expect(() => new Block(damaged)).toThrow();
    }
  });
});
