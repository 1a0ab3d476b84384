// Tests for the test of the runner: with the settings of `npm test`, but files of their own. One of them fails.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

const { globalSetup: _servers, projects: [pure] = [], ...test } = config.test!;

export default defineConfig({
  ...config,
  root: join(import.meta.dirname, '../..'),
  test: {
    ...test,
    maxWorkers: 1,
    reporters: ['default', './test/summary-reporter.ts'],
    projects: [
      {
        ...(pure as object),
        extends: true,
        test: { ...(pure as { test: object }).test, include: ['test/repeat/*.fixture.ts'] },
      },
    ],
  },
});
