// The order of test files: end-to-end tests, those that take longest first, then the others in the same way.
// By their size some of these would come last, with nobody left to work beside them. Files of one project stay together, so that workers last.
import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take long, or mostly wait: in turn, so that the processor has work while some wait. */
const slowest = [
  'jobs',
  'dashboard-layout',
  'emulator-cluster',
  'dashboard-map',
  'demo-pages',
  'emulator',
  'backup',
  'dashboard-emulator',
  'overview-traffic',
  'sdk-package',
  'tour-pages',
  'alarms',
  'dashboard-admin',
  'upgrade',
  'dashboard-fleet',
  'job-faults',
  'dashboard-overview',
  'dashboard-story',
  'dashboard-devices',
  'dashboard-session',
  'control-programs',
].map((name) => `e2e/${name}.test.ts`);

/** The same among the others. */
const slow = [
  'controller/src/desired/desired.contract.test.ts',
  'emulator/src/runs/emulator-worker.contract.test.ts',
  'controller/src/desired/rollout/rollout-rounds.contract.test.ts',
  'controller/src/auth/permission-walk.contract.test.ts',
  'broker/src/broker.amqp.contract.test.ts',
  'controller/src/telemetry/store/telemetry-store.contract.test.ts',
  'cli/src/access-point/shell-agent.contract.test.ts',
  'controller/src/telemetry/query/metrics-routes.contract.test.ts',
  'controller/src/users/login-limits.contract.test.ts',
  'controller/src/bin/env-command.contract.test.ts',
  'sdk/src/examples.contract.test.ts',
  'controller/src/secret-leaks.contract.test.ts',
  'controller/src/input/mutation.contract.test.ts',
  'controller/src/http/request/log-stalled.contract.test.ts',
  'controller/src/jobs/mailbox/job-socket-limits.contract.test.ts',
  'controller/src/bin/weft.contract.test.ts',
  'controller/src/jobs/worker/fair-jobs.contract.test.ts',
  'controller/src/ending-a-caller.property.contract.test.ts',
  'controller/src/input/nasty-bodies.contract.test.ts',
  'emulator/src/runs/held-run.contract.test.ts',
  'scripts/packages.contract.test.ts',
];

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeIn = (names: readonly string[], { moduleId }: TestSpecification) => {
      const place = names.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place < 0 ? names.length : place;
    };
    const place = (file: TestSpecification) => placeIn(file.project.name === 'e2e' ? slowest : slow, file);
    const project = (file: TestSpecification) => ['e2e', 'contract', 'pure'].indexOf(file.project.name);
    // The rest by size and not by how long they took, which would let those that wait wait together.
    const size = ({ moduleId }: TestSpecification) => statSync(moduleId).size;
    return files.toSorted((a, b) => project(a) - project(b) || place(a) - place(b) || size(b) - size(a));
  }
}
