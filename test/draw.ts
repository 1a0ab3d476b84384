// What tests draw at random, all of it from the one seed of the run. Each draw has a sequence of its own, by its file, its test and its
// name: a test draws the same alone and among others.
import { createHash } from 'node:crypto';
import { Random } from './pure/random.ts';

/** File and test that run now, and how often each name has been drawn there. */
let place: readonly string[] = [];
const times = new Map<string, number>();

export function drawIn(...here: readonly string[]): void {
  place = here;
  times.clear();
}

/** A whole number of 32 bits, the same whenever it is asked for. */
export function seedOf(what: string): number {
  const seed = process.env.WEFT_TEST_SEED;
  if (!seed) throw new Error('WEFT_TEST_SEED is missing: vitest.config.ts sets it');
  const text = JSON.stringify([seed, ...place, what]);
  return createHash('sha256').update(text).digest().readInt32BE();
}

/** A sequence that no other draw of this test has; drawn again by the same name, another one. */
export function draw(what: string): Random {
  const time = (times.get(what) ?? 0) + 1;
  times.set(what, time);
  return new Random(seedOf(`${what} ${time}`));
}
