// The order of test files: those that mostly wait spread among those that work, so that the processor has work while some wait; those
// that take long first, so that none is left alone at the end. Files of one project stay together, so that workers last.
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that wait longest first; the times are in the report of a run. */
const waiting = [
  'e2e/jobs',
  'controller/src/operations/desired/desired.contract',
  'e2e/emulator-cluster',
  'e2e/overview-traffic',
  'controller/src/operations/desired/rollout/rollout-rounds.contract',
  'e2e/emulator',
  'e2e/dashboard-story',
  'controller/src/operations/notifications/webhooks/webhook-delivery.contract',
  'e2e/alarms',
  'broker/src/broker.amqp.contract',
  'e2e/job-faults',
  'controller/src/core/base/node-news.contract',
  'controller/src/core/base/storage/sql-database.postgres.contract',
  'e2e/cluster',
  'controller/src/operations/desired/rollout/rollout-kills.contract',
  'controller/src/core/http/server/slow-clients.contract',
  'controller/src/core/jobs/worker/job-worker.contract',
  'e2e/telemetry-clock',
  'controller/src/core/commands/delivery/poll/command-poll.contract',
  'e2e/spooling-fleet',
  'controller/src/core/commands/delivery/push/push-dispatcher.contract',
  'e2e/telemetry-disk',
  'broker/src/broker.contract',
  'controller/src/core/http/pages/service-pages.contract',
].map((name) => `${name}.test.ts`);
/** How many others come between two of them. */
const between = 3;

/** The longest of the others; of the rest, tests of the whole product come first, the larger file before the smaller. */
const working = [
  'e2e/dashboard-layout',
  'e2e/dashboard-radio-map',
  'e2e/dashboard-map',
  'e2e/dashboard-fleet',
  'e2e/demo-pages',
  'e2e/dashboard-emulator',
  'e2e/dashboard-admin',
  'e2e/dashboard-overview',
  'e2e/dashboard-config',
  'e2e/tour-pages',
  'emulator/src/runs/emulator-worker.contract',
  'cli/src/access-point/shell-agent.contract',
].map((name) => `${name}.test.ts`);

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const pathOf = ({ moduleId }: TestSpecification) => relative(this.ctx.config.root, moduleId);
    const isPure = ({ project }: TestSpecification) => project.name === 'pure';
    const place = (names: readonly string[], file: TestSpecification) => {
      const at = names.indexOf(pathOf(file));
      return at < 0 ? names.length : at;
    };
    const isWhole = (file: TestSpecification) => pathOf(file).startsWith('e2e');
    // By size and not by how long they took, which differs from run to run.
    const size = ({ moduleId }: TestSpecification) => statSync(moduleId).size;
    const inOrder = files.toSorted(
      (a, b) =>
        Number(isPure(a)) - Number(isPure(b)) ||
        place(working, a) - place(working, b) ||
        Number(isWhole(b)) - Number(isWhole(a)) ||
        size(b) - size(a),
    );
    const isWaiting = (file: TestSpecification) => waiting.includes(pathOf(file));
    const waiters = files.filter(isWaiting).toSorted((a, b) => place(waiting, a) - place(waiting, b));
    const others = inOrder.filter((file) => !isWaiting(file));
    const rows = waiters.map((file, index) => [file, ...others.slice(index * between, (index + 1) * between)]);
    return [...rows.flat(), ...others.slice(waiters.length * between)];
  }
}
