import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { parseEmailAddress } from './email-address.ts';

describe('one spelling for one mailbox', () => {
  it.each([
    ['a@b.co', 'a@b.co'],
    ['A@Ex.COM', 'a@ex.com'],
    [' a@b.co ', 'a@b.co'],
    ['J D <a@b.co>', 'a@b.co'],
    ['"D, J. <x>" < a@b.co >', 'a@b.co'],
    ['<a@b.co>', 'a@b.co'],
    ['u\u0308@b.co', 'ü@b.co'],
    ['Ü@b.co', 'ü@b.co'],
    ['a@bücher.de', 'a@bücher.de'],
    ['a@BÜCHER.de', 'a@bücher.de'],
    ['a@xn--bcher-kva.de', 'a@bücher.de'],
    ['a@b\u3002co', 'a@b.co'],
    ["o'b+tag@c.co", "o'b+tag@c.co"],
    [`${'a'.repeat(65)}@b.co`, `${'a'.repeat(65)}@b.co`],
    [`${'a'.repeat(249)}@b.co`, `${'a'.repeat(249)}@b.co`],
  ])('%j', (text, address) => {
    expect(parseEmailAddress(text)).toEqual({ address });
  });

  it.each(['test', 'local', 'localhost', 'invalid', 'example'])('a testbed may use .%s', (top) => {
    expect(parseEmailAddress(`a@x.${top}`)).toEqual({ address: `a@x.${top}` });
  });
});

describe('reasons', () => {
  const invalidAfter = 'The part after the @-sign contains invalid characters';
  const labelTooLong = 'After the @-sign, periods cannot be separated by so many characters';
  it.each([
    ['', 'An email address must have an @-sign.'],
    ['a', 'An email address must have an @-sign.'],
    ['"a@b.co', 'An email address must have an @-sign.'],
    ['@b.co', 'There must be something before the @-sign.'],
    ['a@', 'There must be something after the @-sign.'],
    ['a@b', 'The part after the @-sign is not valid. It should have a period.'],
    ['a@b@c.co', `${invalidAfter}: '@'.`],
    ['a@b_c.co', `${invalidAfter}: '_'.`],
    ['a@b.co\r\nBcc: z@z', `${invalidAfter}: ':', '@', SPACE, U+000A, U+000D.`],
    ['a b@c.co', 'The email address contains invalid characters before the @-sign: SPACE.'],
    ['a,b\\@c.co', 'The email address contains invalid characters before the @-sign: "\\", \',\'.'],
    ['a..b@c.co', 'An email address cannot have two periods in a row.'],
    ['a@c..co', 'An email address cannot have two periods in a row.'],
    ['.a@c.co', 'An email address cannot start with a period.'],
    ['a.@c.co', 'An email address cannot have a period immediately before the @-sign.'],
    ['a@.co', 'An email address cannot have a period immediately after the @-sign.'],
    ['a@c.co.', 'An email address cannot end with a period.'],
    ['a@-c.co', 'An email address cannot have a hyphen immediately after the @-sign.'],
    ['a@c.co-', 'An email address cannot end with a hyphen.'],
    ['a@c.-co', 'An email address cannot have a period and a hyphen next to each other.'],
    ['a@[1.2.3.4]', 'A bracketed IP address after the @-sign is not allowed here.'],
    ['"a b"@c.co', 'Quoting the part before the @-sign is not allowed here.'],
    ['a@1.2.3.4', 'The part after the @-sign is not valid. It is not within a valid top-level domain.'],
    ['a@b.xn--co', 'The part after the @-sign is not valid IDNA (Invalid A-label).'],
    ['a\u200b@b.co', 'The email address contains unsafe characters: U+200B.'],
    ['\u0308a@b.co', 'The email address contains unsafe characters: U+0308.'],
    [`a@${'b'.repeat(64)}.co`, `${labelTooLong} (1 character too many).`],
    [`a@${'b'.repeat(65)}.co`, `${labelTooLong} (2 characters too many).`],
    [`${'a'.repeat(250)}@b.co`, 'The email address is too long (1 character too many).'],
    ['"a\\"@b.co', 'An email address must have an @-sign.'],
    ['"<a@b.co>', 'An email address must have an @-sign.'],
    [
      '<a@b.co',
      'An open angle bracket at the start of the email address has to be followed by a close angle bracket at the end.',
    ],
    [
      'a@ab--c.co',
      'An email address cannot have two letters followed by two dashes immediately after the @-sign or after a period, except Punycode.',
    ],
    ['a@b.1', 'The part after the @-sign is not valid. It is not within a valid top-level domain.'],
    [`a@${'b.'.repeat(126)}co`, 'The email address is too long after the @-sign (1 character too many).'],
    [`${'ü'.repeat(130)}@b.co`, 'The email address is too long (11 characters too many).'],
    [`"a'b\u00a0"'@c.co`, 'Quoting the part before the @-sign is not allowed here.'],
    [`a'b@c'\u00a0.co`, `${invalidAfter}: "'".`],
    ['a\u{e0001}\u200b@b.co', 'The email address contains unsafe characters: U+200B, U+000E0001.'],
    ['a\u00a0@b.co', 'The email address contains unsafe characters: NO-BREAK SPACE.'],
    ['x'.repeat(2049), 'Length must not exceed 2048 characters'],
    ['a\uff20b.co', 'The email address has the "full-width" at-sign (@) character instead of a regular at-sign.'],
    ['a.<b@c.co>', 'A display name and angle brackets around the email address are not permitted here.'],
  ])('%j', (text, reason) => {
    expect(parseEmailAddress(text)).toEqual({ reason });
  });
});

describe('properties', () => {
  const piece = fc.constantFrom('a', 'B', '.', '-', '@', '<', '>', '"', ' ', 'co', 'ü', '\u0308', '\\', 'xn--', '1');
  const nearAddress = fc.tuple(fc.array(piece, { maxLength: 5 }), fc.array(piece, { maxLength: 5 }));
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    nearAddress.map(([left, right]) => `${left.join('')}a@b${right.join('')}.co`),
  );

  it('what it returns is short, in lower case, and accepted again unchanged', () => {
    fc.assert(
      fc.property(text, (value) => {
        const result = parseEmailAddress(value);
        if ('reason' in result) return;
        expect(result.address).toBe(result.address.toLowerCase().normalize('NFC').trim());
        expect(Buffer.byteLength(result.address)).toBeLessThanOrEqual(254);
        expect(parseEmailAddress(result.address)).toEqual(result);
      }),
      { numRuns: rounds(2000) },
    );
  });

  it('reads no more of an endless text than its beginning', () => {
    for (const unit of ['"', '" ', 'a ', '<', 'a.', '\u0308', 'a<"']) {
      expect(parseEmailAddress(`${unit.repeat(500_000)}@b.co>`)).toEqual({
        reason: 'Length must not exceed 2048 characters',
      });
    }
  });
});
