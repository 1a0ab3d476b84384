// Before all tests: finds or starts the real servers, and tells the tests where they are.
import type { TestProject } from 'vitest/node';
import { findPostgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined where there is no PostgreSQL; its half of the suites is then skipped. */
    postgresUrl: string | undefined;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_POSTGRES_URL || undefined;
  if (given !== undefined || findPostgres() === undefined) {
    if (given === undefined) reportMissing();
    project.provide('postgresUrl', given);
    return undefined;
  }
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

function reportMissing(): void {
  const cure = 'Install it (Debian: apt-get install postgresql) or set TEST_POSTGRES_URL.';
  if (process.env.CI === 'true') throw new Error(`There is no PostgreSQL to test with. ${cure}`);
  const line = '!'.repeat(100);
  process.stderr.write(`\n${line}\nNo PostgreSQL found: HALF OF THE STORE TESTS IS SKIPPED. ${cure}\n${line}\n\n`);
}
