// Characters of random texts for properties: any of Unicode. fast-check's own unit `binary` makes a table of all of them first, a second
// of work in each process that asks for it.
import fc from 'fast-check';

const surrogates = { from: 0xd800, count: 0x800 };

export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (n) => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count),
  (text) => {
    const point = typeof text === 'string' && [...text].length === 1 ? text.codePointAt(0)! : -1;
    // As fast-check wants it, which then knows how to make texts that are known to be dangerous of these.
    if (point < 0) throw new Error('not one character');
    return point < surrogates.from ? point : point - surrogates.count;
  },
);
