// The lab is files of tests that build on each other, each with a guest of its own, side by side: run-lab.mjs runs them.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

process.env.TZ = 'UTC';
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/weft');

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    name: 'lab',
    include: ['e2e/lab/*.lab.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // What follows a failure would fail for the same reason.
    bail: 1,
    testTimeout: 300_000,
    hookTimeout: 420_000,
    reporters: ['verbose'],
  },
});
