import { looksLikeAddress } from '@weft/contract/device-address';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeviceNames } from './device-names.ts';
import { isPartOfPseudonym, isPseudonym, isRandomised, Pseudonyms } from './pseudonyms.ts';

const pseudonyms = new Pseudonyms(Buffer.alloc(32, 7));

test('every part of a pseudonym is known as one, and what none can have is not', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(20), fc.nat(20), (identity, start, end) => {
      expect(isPartOfPseudonym(pseudonyms.of(identity).slice(start, end))).toBe(true);
    }),
  );
  for (const text of ['ap-77', 'hall_3', 'DEV', 'dev1', '-dev-', 'x'.repeat(17)])
    expect(isPartOfPseudonym(text)).toBe(false);
});

test('an address has one name however it is written, and another one under another key', () => {
  const name = pseudonyms.of('02:AB:cd:00:11:22');
  expect(isPseudonym(name)).toBe(true);
  expect(['02-ab-cd-00-11-22', '02ab.cd00.1122', '02ABCD001122'].map((text) => pseudonyms.of(text))).toEqual(
    Array(3).fill(name),
  );
  expect(new Pseudonyms(Buffer.alloc(32, 8)).of('02:ab:cd:00:11:22')).not.toBe(name);
  expect(pseudonyms.of('subscriber-1')).not.toBe(pseudonyms.of('subscriber-2'));
});

test('an address with the bit of made-up ones is randomised', () => {
  expect(['02:00:00:00:00:01', 'da:a1:19:00:00:01', 'FE0000000001'].map(isRandomised)).toEqual([true, true, true]);
  expect(['00:1a:2b:00:00:01', 'emu-0123abcd-device-1', '001010123456789'].map(isRandomised)).toEqual([
    false,
    false,
    false,
  ]);
});

test.each(['02:ab:cd:00:11:22', 'x 02-AB-CD-00-11-22 y', 'cd:00:11', '001010123456789', '02abcd001122'])(
  '%s looks like an address',
  (text) => expect(looksLikeAddress(text)).toBe(true),
);

test.each(['dev-abcdefghijklmnop', 'ap-1', 'roof:2', 'emu-wifi-0123abcd-4567', 'dev-2345672345672345'])(
  '%s does not look like an address',
  (text) => expect(looksLikeAddress(text)).toBe(false),
);

test('an address in place of a name is refused without being repeated', () => {
  const closed = new DeviceNames({ pseudonyms, areClearAllowed: () => false, canonical: (device) => device });
  const open = new DeviceNames({ pseudonyms, areClearAllowed: () => true, canonical: (device) => device });
  const address = '02:ab:cd:00:11:22';
  for (const read of [closed.read.bind(closed), closed.readSearch.bind(closed)]) {
    expect(() => read(address, ['path', 'device'])).toThrow(
      expect.objectContaining({
        code: 'device_address',
        problems: [expect.objectContaining({ msg: expect.not.stringContaining(address) })],
      }),
    );
  }
  expect(open.read(address, [])).toBe(pseudonyms.of(address));
  expect(closed.read(pseudonyms.of(address), [])).toBe(pseudonyms.of(address));
  expect(closed.read('emu-0123abcd-device-3', [])).toBe(pseudonyms.of('emu-0123abcd-device-3'));
});
