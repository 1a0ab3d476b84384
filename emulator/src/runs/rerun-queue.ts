// Runs the hours of a network again when somebody asks what they would have been, one question at a time. Whoever asks asks
// again until the answer is there; a question that nobody repeats is given up.
import { Worker } from 'node:worker_threads';
import type { EmulatorTask } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { EmulatedRun } from './emulated-run.ts';
import { type Course, maxRerunSeconds, type Rerun } from './rerun.ts';
import type { RerunThreadOptions } from './rerun-thread.ts';
import { problem, type RunProblem } from './thread-queue.ts';

const budgetMs = 10 * 60_000;
const forgottenAfterMs = 30_000;
const maxKept = 4;

export interface RerunQueueOptions {
  run: EmulatedRun;
  task: EmulatorTask;
  devicePrefix: string;
}

interface Asked {
  id: string;
  progress: number;
  thread: Worker;
  forgotten: NodeJS.Timeout;
}

type Reply = { progress: number } | Record<string, unknown> | RunProblem;

export class RerunQueue {
  readonly #options: RerunQueueOptions;
  readonly #kept = new BoundedMap<string, Reply>(maxKept);
  #asked: Asked | undefined;

  constructor(options: RerunQueueOptions) {
    this.#options = options;
  }

  /** `{progress}` until the answer is there. `window_seconds` ends at the present second of the run. Never throws. */
  ask(body: Record<string, unknown>): Reply {
    const id = String(body.id);
    const kept = this.#kept.get(id);
    if (kept) return kept;
    if (!this.#asked) {
      // The one before this process may have known it.
      if (!Array.isArray(body.programs)) return problem('rerun_unknown', 'This is not asked any more');
      const refused = this.#start(id, body);
      if (refused) return refused;
    }
    if (this.#asked?.id !== id) return { progress: 0 };
    this.#asked.forgotten.refresh();
    return { progress: this.#asked.progress };
  }

  close(): void {
    if (!this.#asked) return;
    clearTimeout(this.#asked.forgotten);
    void this.#asked.thread.terminate();
    this.#asked = undefined;
  }

  #start(id: string, { window_seconds, programs }: Record<string, unknown>): RunProblem | undefined {
    const { run, task, devicePrefix } = this.#options;
    const { history, second } = run;
    if (!history) return problem('rerun_impossible', 'What has happened in this network is not known any more');
    const until = Math.min(second, history.from + maxRerunSeconds);
    const from = Math.max(history.from, second - Number(window_seconds));
    if (from >= until) {
      return problem('rerun_too_long', `Only the first ${maxRerunSeconds / 3600} hours of a network are run again`);
    }
    const workerData: RerunThreadOptions = {
      task: { ...task, agents: task.agents.map((agent) => ({ ...agent, password: '' })) },
      ...{ history, devicePrefix, from, until, budgetMs },
      programs: programs as RerunThreadOptions['programs'],
    };
    const thread = new Worker(new URL('./rerun-thread.ts', import.meta.url), { workerData });
    const forgotten = setTimeout(() => this.close(), forgottenAfterMs);
    const asked: Asked = { id, progress: 0, thread, forgotten };
    this.#asked = asked;
    const end = (reply: Reply) => {
      if (this.#asked !== asked) return;
      this.#kept.set(id, reply);
      this.close();
    };
    thread.on('message', ({ progress, found, error }) => {
      if (progress !== undefined) asked.progress = progress;
      else end(error ? { error } : this.#answer(found, { from, until, second }));
    });
    const fail = () => end(problem('rerun_failed', 'The hours could not be run again'));
    thread.on('error', fail);
    thread.on('exit', fail);
    return undefined;
  }

  #answer(found: Rerun, asked: { from: number; until: number; second: number }): Record<string, unknown> {
    const { task } = this.#options;
    const toTime = (second: number) => new Date(Date.parse(task.model_start) + second * 1000).toISOString();
    const { until, commands, programs, bucketSeconds } = found;
    return {
      start: toTime(asked.from),
      end: toTime(until),
      limited_by: [
        ...(until < asked.until ? ['computing_time'] : []),
        ...(asked.until < asked.second ? ['model_time'] : []),
      ],
      commands,
      programs: programs.map(({ savedJ, ...rest }) => ({ ...rest, saved_j: rounded(savedJ) })),
      bucket_seconds: bucketSeconds,
      with: toSide(found.with),
      without: toSide(found.without),
      agents: task.agents.map(({ ap_id }, n) => [
        ap_id,
        rounded(found.with.energyJ[n]!),
        rounded(found.without.energyJ[n]!),
      ]),
    };
  }
}

function toSide({ bucketsJ, outageS, dataS, metS }: Course) {
  return { buckets_j: bucketsJ.map(rounded), outage_s: outageS, data_s: dataS, met_s: metS };
}

/** To a tenth of a joule: thousands of access points have to fit into one answer. */
function rounded(joules: number): number {
  return Math.round(joules * 10) / 10;
}
