// The order of test files: long ones first, and with them short files that run long suites. These would else come last, with
// nobody left to work beside them; beside end-to-end tests, which mostly wait, there is room for them.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each takes ten seconds or more. */
const slow = [
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
    const early = sorted.filter(isSlow);
    return sorted
      .filter((file) => !isSlow(file))
      .flatMap((file, index) => (index % 3 === 2 && early.length > 0 ? [file, early.shift()!] : [file]))
      .concat(early);
  }
}
