// All tests of the repository but `*.long.test.ts`, which take minutes. WEFT_TEST_LONG=1 asks more of some of them; with
// WEFT_TEST_LONG=only the long ones run, one file after the other.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { openMemoryFolder } from './test/memory-folder.ts';
import { seedOfCommit } from './test/run-seed.ts';
import SlowFirst from './test/slow-first.ts';

// Here and not only in `env`, so that worker processes and their children start with it.
process.env.TZ = 'UTC';
process.env.WEFT_TEST_RUN = String(process.pid);
process.env.WEFT_TEST_SEED ||= seedOfCommit();
// Threads, too, then find their modules compiled, in the place where `weft` keeps its own: else that is half of the work.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'weft');

const inMemory = { TZ: 'UTC', WEFT_TEST_DISK_FOLDER: tmpdir(), TMPDIR: openMemoryFolder() };
const areLong = process.env.WEFT_TEST_LONG === 'only';
const exclude = [...configDefaults.exclude, areLong ? '**/!(*.long).test.ts' : '**/*.long.test.ts'];
/** What a test needs is said by its name: a server, a port, a process or a real backend. */
const contract = ['**/*.contract.test.ts', '**/*.long.test.ts'];
/** Node reads TypeScript by itself, and keeps what it compiled; only .tsx needs Vite, and only pure tests read that. */
const asNodeDoes = { viteModuleRunner: false, nodeLoader: false };

export default defineConfig({
  test: {
    environment: 'node',
    env: { TZ: 'UTC' },
    globalSetup: ['test/global-setup.ts'],
    // Processes rather than threads: native modules and signals behave as they do in the product.
    pool: 'forks',
    // Enough for both cores of a small machine, which are never idle then. Each more reads all modules and starts a browser anew, and
    // takes the caches of the processor from the others.
    maxWorkers: areLong ? 1 : 6,
    // What tests leave behind is collected less often: a fifteenth of all processor time.
    execArgv: ['--max-semi-space-size=64'],
    // What is polled for must come; how soon is not measured here.
    expect: { poll: { timeout: 180_000, interval: 20 } },
    // Browsers and servers end with their worker, on a busy machine later than within ten seconds.
    teardownTimeout: 120_000,
    sequence: { sequencer: SlowFirst },
    setupFiles: ['test/costs/measure-file.ts'],
    reporters: ['default', './test/costs/costs-reporter.ts', './test/summary-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          env: inMemory,
          // Files of one worker share what they import; loading it for each was a fifth of the work.
          isolate: false,
          include: ['**/*.test.ts'],
          exclude: [...exclude, 'e2e/**', ...contract],
          setupFiles: ['test/pure/no-servers.ts', 'test/each-file.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          // Contract tests and those of the whole product in one, so that a worker reads their modules once, and waiting ones take turns.
          name: 'real',
          env: inMemory,
          isolate: false,
          experimental: asNodeDoes,
          setupFiles: [
            'test/quick-imports.ts',
            'test/each-file.ts',
            'test/fewer-polls.ts',
            'test/threads/shared-thread.ts',
            'test/temporary-folder.ts',
          ],
          include: [...contract, 'e2e/**/*.test.ts'],
          exclude,
          // Limits for a busy machine, not expectations.
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
