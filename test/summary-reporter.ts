// The last lines of a run, for people and scripts alike: which tests passed only at the second attempt, and how many passed, failed
// and were skipped.
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const unsteady: string[] = [];
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      // A file or a group that breaks outside its tests has failed, even if none of its tests ran.
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'failed' : state] += 1;
        if (test.diagnostic()?.flaky) unsteady.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
    }
    if (unsteady.length > 0) {
      process.stdout.write(`Passed only at the second attempt; each is a bug to mend:\n  ${unsteady.join('\n  ')}\n`);
    }
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}
