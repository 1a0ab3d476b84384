// Computes a what-if in its own thread, so that the run is not delayed.
import { parentPort, workerData } from 'node:worker_threads';
import type { PlannedCommand } from '../what-if/future.ts';
import type { WhatIfOptions } from '../what-if/what-if.ts';
import { restoreWorld } from '../world/world.ts';
import type { WorldState } from '../world/world-state.ts';
import { answerWhatIf } from './what-if-answer.ts';

export interface WhatIfThreadOptions extends Required<Pick<WhatIfOptions, 'minutes' | 'futures' | 'budgetMs'>> {
  world: WorldState;
  commands: PlannedCommand[];
}

const { world, commands, ...options } = workerData as WhatIfThreadOptions;
parentPort!.postMessage(answerWhatIf(restoreWorld(world), commands, options));
