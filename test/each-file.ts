// Before each test file: how often properties are tried that do not say so, and the seed that each test draws from.
import { relative, resolve } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect } from 'vitest';
import { draw, drawIn } from './draw.ts';
import { rounds } from './rounds.ts';

const file = relative(resolve(import.meta.dirname, '..'), expect.getState().testPath ?? '');

function begin(test: string): void {
  drawIn(file, test);
  const seeds = draw('properties');
  fc.configureGlobal({
    numRuns: rounds(100),
    // Read by each property and each sample, so that those of one test do not draw the same.
    get seed() {
      return seeds.below(2 ** 32);
    },
  });
}

begin('');
beforeEach(({ task }) => {
  begin(task.fullTestName);
  // What hooks draw afterwards is not this test's.
  return () => begin('');
});
