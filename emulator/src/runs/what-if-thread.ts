// Computes what-ifs in its own thread, one after the other, so that the run is not delayed.
import '@weft/contract/closed-prototype';
import { parentPort } from 'node:worker_threads';
import type { PlannedCommand } from '../what-if/future.ts';
import type { WhatIfOptions } from '../what-if/what-if.ts';
import { restoreWorld } from '../world/world.ts';
import type { WorldState } from '../world/world-state.ts';
import { steadyMs } from './model-clock.ts';
import { answerWhatIf } from './what-if-answer.ts';

export interface WhatIfTask extends Pick<WhatIfOptions, 'minutes' | 'futures'> {
  world: WorldState;
  commands: PlannedCommand[];
  /** By the steady clock: the start of this thread is a part of what it may take. */
  untilMs: number;
}

/** The rest is for summing up what was found, and for sending it. */
const computing = 0.85;

parentPort!.on('message', ({ world, commands, minutes, futures, untilMs }: WhatIfTask) => {
  const budgetMs = Math.max(0, untilMs - steadyMs()) * computing;
  parentPort!.postMessage(answerWhatIf(restoreWorld(world), commands, { minutes, futures, budgetMs }));
});
