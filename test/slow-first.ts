// The order of test files: end-to-end tests, those that take longest first, then short files that run long suites, then the others.
// By their size some of these would come last, with nobody left to work beside them. Files of one project stay together, so that workers last.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each takes half a minute or more, those that mostly wait among them. */
const slowest = [
  'job-faults',
  'upgrade',
  'dashboard-layout',
  'backup',
  'emulator-cluster',
  'jobs',
  'alarms',
  'emulator',
  'control-programs',
  'dashboard-map',
  'sdk-package',
].map((name) => `e2e/${name}.test.ts`);

/** Each takes five seconds or more. */
const slow = [
  'controller/src/telemetry/store/telemetry-store.contract.test.ts',
  'controller/src/input/mutation.contract.test.ts',
  'controller/src/http/request/log-stalled.contract.test.ts',
  'controller/src/bin/weft.contract.test.ts',
  'controller/src/secret-leaks.contract.test.ts',
  'controller/src/jobs/mailbox/job-socket-limits.contract.test.ts',
  'controller/src/jobs/worker/fair-jobs.contract.test.ts',
  'controller/src/auth/permission-walk.contract.test.ts',
  'controller/src/users/login-limits.contract.test.ts',
  'controller/src/ending-a-caller.property.contract.test.ts',
  'controller/src/input/nasty-bodies.contract.test.ts',
  'emulator/src/runs/emulator-worker.contract.test.ts',
  'emulator/src/runs/held-run.contract.test.ts',
  'sdk/src/examples.contract.test.ts',
  'scripts/packages.contract.test.ts',
  'broker/src/broker.amqp.contract.test.ts',
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isIn = (names: readonly string[], { moduleId }: TestSpecification) =>
      names.some((name) => moduleId.endsWith(`/${name}`));
    const rank = (file: TestSpecification) =>
      isIn(slowest, file) ? 0 : file.project.name === 'e2e' ? 1 : isIn(slow, file) ? 2 : 3;
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
