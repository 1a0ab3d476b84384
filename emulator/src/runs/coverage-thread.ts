// Computes radio maps in its own thread, one after the other, so that the run is not delayed.
import '@weft/contract/closed-prototype';
import { parentPort } from 'node:worker_threads';
import type { CoverageRequest } from '../coverage/coverage.ts';
import { CoverageProblem } from '../coverage/coverage-frame.ts';
import type { PlannedCommand } from '../what-if/future.ts';
import { restoreWorld } from '../world/world.ts';
import type { RadioState, WorldState } from '../world/world-state.ts';
import { answerCoverage, answerDifference } from './coverage-answer.ts';

export type CoverageTask = { request: CoverageRequest; second: number } & (
  | { state: RadioState }
  | { world: WorldState; commands: PlannedCommand[]; afterSeconds: number }
);

parentPort!.on('message', (task: CoverageTask) => {
  parentPort!.postMessage(answer(task));
});

function answer(task: CoverageTask): unknown {
  const { request, second } = task;
  try {
    if ('state' in task) return answerCoverage(task.state, request, second);
    return answerDifference(restoreWorld(task.world), request, task.commands, task.afterSeconds, second);
  } catch (error) {
    if (!(error instanceof CoverageProblem)) throw error;
    return { error: { code: 'invalid_coverage', field: error.field, detail: error.message } };
  }
}
