// The order of test files: end-to-end tests, then short files that run long suites, then the others. By their size these
// would come last, with nobody left to work beside them. Files of one project stay together, so that workers last.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each takes ten seconds or more. */
const slow = [
  'controller/src/telemetry/store/telemetry-store.contract.test.ts',
  'controller/src/input/mutation.contract.test.ts',
  'controller/src/input/injection.contract.test.ts',
  'controller/src/audit/audit-store.contract.test.ts',
  'controller/src/jobs/store/job-store.contract.test.ts',
  'controller/src/users/user-store.contract.test.ts',
  'controller/src/users/reset-token-store.contract.test.ts',
  'controller/src/agents/agent-store.contract.test.ts',
  'broker/src/broker.contract.test.ts',
  'broker/src/broker.amqp.contract.test.ts',
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.some((name) => moduleId.endsWith(`/${name}`));
    const rank = (file: TestSpecification) => (file.project.name === 'e2e' ? 0 : isSlow(file) ? 1 : 2);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
