// As head-fuzz.contract.test.ts, long enough for the rare ones.
import { it } from 'vitest';
import { fuzzHeads } from '../../../../../test/fuzz/head-fuzz.ts';

const rounds = 20;
const seed = Number(process.env.WEFT_FUZZ_SEED ?? Date.now() % 1_000_000);

it.each(Array.from({ length: rounds }, (_, round) => seed + round))(
  '50,000 heads, seed %i',
  (each) => fuzzHeads({ heads: 50_000, seed: each }),
  600_000,
);
