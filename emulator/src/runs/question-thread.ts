// Computes what is asked of a run in a thread of its own, one question after the other, so that the run is not
// delayed: radio maps, and what would be.
import '@weft/contract/closed-prototype';
import { parentPort } from 'node:worker_threads';
import type { CoverageRequest } from '../coverage/coverage.ts';
import { CoverageProblem } from '../coverage/coverage-frame.ts';
import type { PlannedCommand } from '../what-if/future.ts';
import type { WhatIfOptions } from '../what-if/what-if.ts';
import { restoreWorld } from '../world/world.ts';
import type { RadioState, WorldState } from '../world/world-state.ts';
import { answerCoverage, answerDifference } from './coverage-answer.ts';
import { steadyMs } from './model-clock.ts';
import { answerWhatIf } from './what-if-answer.ts';

export type CoverageTask = { request: CoverageRequest; second: number } & (
  | { state: RadioState }
  | { world: WorldState; commands: PlannedCommand[]; afterSeconds: number }
);

export interface WhatIfTask extends Pick<WhatIfOptions, 'minutes' | 'futures'> {
  world: WorldState;
  commands: PlannedCommand[];
  /** By the steady clock: the start of this thread is a part of what it may take. */
  untilMs: number;
}

/** The rest is for summing up what was found, and for sending it. */
const computing = 0.85;

parentPort!.on('message', (task: CoverageTask | WhatIfTask) => {
  parentPort!.postMessage('request' in task ? ofCoverage(task) : ofWhatIf(task));
});

function ofWhatIf({ world, commands, minutes, futures, untilMs }: WhatIfTask): unknown {
  const budgetMs = Math.max(0, untilMs - steadyMs()) * computing;
  return answerWhatIf(restoreWorld(world), commands, { minutes, futures, budgetMs });
}

function ofCoverage(task: CoverageTask): unknown {
  const { request, second } = task;
  try {
    if ('state' in task) return answerCoverage(task.state, request, second);
    return answerDifference(restoreWorld(task.world), request, task.commands, task.afterSeconds, second);
  } catch (error) {
    if (!(error instanceof CoverageProblem)) throw error;
    return { error: { code: 'invalid_coverage', field: error.field, detail: error.message } };
  }
}
