// As head-fuzz.contract.test.ts, long enough for the rare ones.
import { it } from 'vitest';
import { seedOf } from '../../../../../test/draw.ts';
import { fuzzHeads } from '../../../../../test/fuzz/head-fuzz.ts';

const rounds = 20;

it.each(Array.from({ length: rounds }, (_, round) => seedOf(`heads ${round}`)))(
  '50,000 heads, seed %i',
  (each) => fuzzHeads({ heads: 50_000, seed: each }),
  600_000,
);
