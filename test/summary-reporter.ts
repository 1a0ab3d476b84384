// The first line of a run, its seed; and its last ones, for people and scripts alike: which tests passed only at the second attempt, how
// many passed, failed and were skipped, and how the run, or what failed in it, is repeated.
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { everyPage, isLong } from './rounds.ts';

export default class SummaryReporter implements Reporter {
  onInit(): void {
    process.stdout.write(`${seedLine([])}\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const unsteady: string[] = [];
    const failed = new Set<string>();
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      const before = counts.failed;
      // A file or a group that breaks outside its tests has failed, even if none of its tests ran.
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'failed' : state] += 1;
        if (test.diagnostic()?.flaky) unsteady.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      if (counts.failed > before) failed.add(module.relativeModuleId);
    }
    if (unsteady.length > 0) {
      process.stdout.write(`Passed only at the second attempt; each is a bug to mend:\n  ${unsteady.join('\n  ')}\n`);
    }
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    process.stdout.write(`${seedLine([...failed])}\n`);
  }
}

function seedLine(files: readonly string[]): string {
  const command = isLong ? 'npm run test:long' : 'npm test';
  const args = [...(everyPage && !isLong ? ['--every-page'] : []), ...files];
  const again = args.length > 0 ? `${command} -- ${args.join(' ')}` : command;
  const seed = process.env.WEFT_TEST_SEED;
  return `Seed ${seed}; with the same draws again: WEFT_TEST_SEED=${seed} ${again}`;
}
