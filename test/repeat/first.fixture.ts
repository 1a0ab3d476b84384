// What the draws of a file are, on lines that begin with its name; and a property that fails.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { draw } from '../draw.ts';

/** Small ones would be drawn twice now and then. */
const anyNumber = fc.noBias(fc.integer());

const tell = (what: string, value: unknown) =>
  process.stdout.write(`drawn by first: ${what} ${JSON.stringify(value)}\n`);

tell('at the top', draw('top').below(1e9));

test('draws', () => {
  tell('once', draw('value').below(1e9));
  tell('again', draw('value').below(1e9));
  tell('bytes', draw('bytes').bytes(4).toString('hex'));
  for (let time = 1; time <= 2; time++) tell('samples', fc.sample(anyNumber, 3));
});

test('draws others', () => {
  tell('in another test', [draw('value').below(1e9), fc.sample(anyNumber, 3)]);
});

test('fails', () => {
  fc.assert(fc.property(fc.noShrink(anyNumber), (number) => expect(number % 2).not.toBe(0)));
});
