// Radio maps of a running network: made by one thread that is kept while they are asked for, and kept themselves for as long
// as the network stays as it is, so that equal questions of one second are computed once.

import { BoundedMap } from '@weft/contract/bounded-map';
import type { CoverageRequest } from '../coverage/coverage.ts';
import { maxAfterSeconds } from '../coverage/coverage-difference.ts';
import type { RunCoverageAnswer, RunCoverageDifference } from './coverage-answer.ts';
import type { EmulatedRun } from './emulated-run.ts';
import { steadyMs } from './model-clock.ts';
import type { CoverageTask } from './question-thread.ts';
import { problem, type RunProblem, ThreadQueue } from './thread-queue.ts';
import { planCommands } from './what-if-queue.ts';

const maxWaiting = 16;
const maxKept = 16;
/** The two copies of a difference may take this long. */
const longestMs = 20_000;
const giveUpMs = 30_000;
const idleMs = 30_000;
const usualAfterSeconds = 30;

export type CoverageReply = RunCoverageAnswer | RunCoverageDifference | RunProblem;

export interface CoverageQueueOptions {
  run: EmulatedRun;
  /** What one second of the model costs. */
  stepMs: () => number;
}

interface Asked extends ReturnType<ThreadQueue<CoverageReply>['ask']> {
  /** Who waits for it. */
  askers: Set<string>;
}

export class CoverageQueue {
  readonly #options: CoverageQueueOptions;
  readonly #kept = new BoundedMap<string, Asked>(maxKept);
  readonly #waiting = new Set<Asked>();
  readonly #queue = new ThreadQueue<CoverageReply>({
    ...{ idleMs, what: 'The radio map', code: 'coverage_failed' },
  });
  #version = '';
  /** How many were computed rather than kept. */
  computed = 0;

  constructor(options: CoverageQueueOptions) {
    this.#options = options;
  }

  /** How many were started: one that is given up ends what it computes. */
  get threads(): number {
    return this.#queue.threads;
  }

  /** Never throws. `asker` is who can cancel it. */
  ask(body: Record<string, unknown>, asker = ''): Promise<CoverageReply> {
    const { run } = this.#options;
    // Nothing that a map shows changes between two seconds, except what commands will do.
    const version = `${run.second} ${run.lastEntry}`;
    if (version !== this.#version) this.#kept.clear();
    this.#version = version;
    const key = JSON.stringify(body);
    const kept = this.#kept.get(key);
    if (kept) {
      kept.askers.add(asker);
      return kept.reply;
    }
    const task = this.#read(body);
    if ('error' in task) return Promise.resolve(task);
    if (this.#queue.size >= maxWaiting) {
      return Promise.resolve(problem('too_many_coverages', `${maxWaiting} radio maps of this network wait already`));
    }
    this.computed++;
    const untilMs = steadyMs() + giveUpMs;
    const turn = this.#queue.ask(() => ({ task, withinMs: untilMs - steadyMs() }));
    const asked = { ...turn, askers: new Set([asker]) };
    this.#kept.set(key, asked);
    this.#waiting.add(asked);
    void asked.reply.then((answer) => {
      this.#waiting.delete(asked);
      if ('error' in answer && this.#kept.get(key) === asked) this.#kept.delete(key);
    });
    return asked.reply;
  }

  /** This one does not wait any more: what nobody waits for is not computed, or not to its end. */
  cancel(asker: string): void {
    for (const { askers, leave } of this.#waiting) {
      if (askers.delete(asker) && askers.size === 0) leave(problem('coverage_failed', 'Nobody waits for the answer'));
    }
  }

  close(): void {
    this.#queue.close();
  }

  #read(body: Record<string, unknown>): CoverageTask | RunProblem {
    const { run, stepMs } = this.#options;
    const { commands, after_seconds: afterSeconds = usualAfterSeconds, height, bounds, ...rest } = body;
    const request = {
      ...rest,
      ...(height !== undefined && { heightM: height }),
      ...(bounds !== undefined && { bounds }),
    } as unknown as CoverageRequest;
    const { second } = run;
    if (!Array.isArray(commands)) return { request, ...this.#present() };
    if (typeof afterSeconds !== 'number' || !(afterSeconds >= 1 && afterSeconds <= maxAfterSeconds)) {
      return problem('invalid_coverage', `after_seconds must be 1 to ${maxAfterSeconds}`, 'after_seconds');
    }
    const most = Math.max(1, Math.floor(longestMs / (2 * stepMs())));
    if (afterSeconds > most) {
      return problem('invalid_coverage', `at most ${most} seconds for a network of this size`, 'after_seconds');
    }
    const planned = planCommands(run, commands);
    if ('error' in planned) return planned;
    return { request, second, world: run.world.snapshot(), commands: planned, afterSeconds };
  }

  /** Nothing is on the air before the first second: then it is that one. */
  #present() {
    const { world, second } = this.#options.run;
    const state = world.radioState();
    if (state.step > 0) return { state, second };
    const next = world.clone();
    next.step();
    return { state: next.radioState(), second: second + 1 };
  }
}
