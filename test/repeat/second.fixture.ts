// A file that draws beside the other one, in the same worker.
import fc from 'fast-check';
import { test } from 'vitest';
import { draw } from '../draw.ts';

/** Small ones would be drawn twice now and then. */
const anyNumber = fc.noBias(fc.integer());

test('draws', () => {
  const drawn = [draw('value').below(1e9), fc.sample(anyNumber, 3)];
  process.stdout.write(`drawn by second: ${JSON.stringify(drawn)}\n`);
});
