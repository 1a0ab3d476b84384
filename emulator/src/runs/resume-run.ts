// Where a run is resumed: at its saved state, if there is one that is not too old, else at the second that is due.
import type { EmulatorLease, EmulatorTask } from '@weft/contract';
import type { World } from '../world/world.ts';
import { EmulatedRun, type RunEntry } from './emulated-run.ts';
import type { ModelClock } from './model-clock.ts';
import { type RunFiles, requireModel } from './run-files.ts';

/** Catching up takes no longer. */
const longestCatchUpMs = 60_000;
/** So few seconds need no estimate. */
const fewSeconds = 30;
const trialSteps = 4;
/** Posting a sample costs about this much. */
const sampleMs = 0.05;

export interface TakeUpOptions {
  task: EmulatorTask;
  clock: Pick<ModelClock, 'dueSecond'>;
  files: RunFiles | undefined;
  /** What its access points ran, as they told Weft last. */
  settings?: EmulatorLease['settings'];
  /** As of EmulatedRun. */
  onEntry: (entry: RunEntry) => void;
  onTrouble: (error: unknown) => void;
}

/** Throws RangeError if the network is invalid, or belongs to another version of the model. */
export async function takeUpRun(options: TakeUpOptions): Promise<EmulatedRun> {
  const { task, clock, files } = options;
  requireModel(task.model);
  const run = (await resume(options)) ?? begin(options);
  if (task.pace === 'stepped') return run;
  const behind = clock.dueSecond - run.second;
  if (behind <= fewSeconds) return run;
  const stepMs = costOf(run.world) + (task.agents.length * sampleMs) / task.report_interval_seconds;
  if (behind * stepMs <= longestCatchUpMs) return run;
  await files?.remove();
  return begin(options, clock.dueSecond);
}

/** From nothing but the task; its access points keep what they were set to, as real ones do. */
function begin({ task, onEntry, onTrouble, settings = {} }: TakeUpOptions, second?: number): EmulatedRun {
  const run = EmulatedRun.begin(task, onEntry, second);
  for (const [ap_id, kept] of Object.entries(settings)) {
    try {
      run.configure(ap_id, kept.settings);
      run.storageOf(ap_id).write('settings.json', { id: kept.hash, ...kept });
    } catch (error) {
      onTrouble(error);
    }
  }
  return run;
}

async function resume({ task, files, onEntry, onTrouble }: TakeUpOptions): Promise<EmulatedRun | undefined> {
  const kept = await files?.load();
  if (!kept) return undefined;
  try {
    return EmulatedRun.resume(task, onEntry, kept.state, kept.entries);
  } catch (error) {
    onTrouble(error);
    await files!.remove();
    return undefined;
  }
}

/** Of one step, in milliseconds: the best of some on a copy, since the first ones are slow. */
function costOf(world: World): number {
  const twin = world.clone();
  let bestMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < trialSteps; n++) {
    const startedAtMs = performance.now();
    twin.step();
    bestMs = Math.min(bestMs, performance.now() - startedAtMs);
  }
  return bestMs;
}
