// The order of test files: those that take long begin first, so that none of them is left alone at the end. Without it
// short files that run long suites come last.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tens of seconds each. */
const slow = [
  'e2e/telemetry-crash.test.ts',
  'e2e/job-faults.test.ts',
  'e2e/emulator-cluster.test.ts',
  'e2e/telemetry-flush.test.ts',
  'e2e/control-programs.test.ts',
  'e2e/cluster.test.ts',
  'controller/src/telemetry/telemetry-store.test.ts',
  'controller/src/http/mutation.test.ts',
  'controller/src/http/injection.test.ts',
  'controller/src/audit/audit-store.test.ts',
  'controller/src/jobs/job-store.test.ts',
  'controller/src/users/user-store.test.ts',
  'controller/src/users/reset-token-store.test.ts',
  'controller/src/agents/agent-store.test.ts',
  'broker/src/broker.test.ts',
  'broker/src/broker.amqp.test.ts',
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.some((name) => moduleId.endsWith(`/${name}`));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
