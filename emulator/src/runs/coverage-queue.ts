// Radio maps of a running network: made by one thread that is kept while they are asked for, and kept themselves for as long
// as the network stays as it is, so that equal questions of one second are computed once.

import { Worker } from 'node:worker_threads';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { CoverageRequest } from '../coverage/coverage.ts';
import { maxAfterSeconds } from '../coverage/coverage-difference.ts';
import type { RunCoverageAnswer, RunCoverageDifference } from './coverage-answer.ts';
import type { CoverageTask } from './coverage-thread.ts';
import type { EmulatedRun } from './emulated-run.ts';
import { planCommands, problem, type RunProblem } from './what-if-queue.ts';

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

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Asked {
  task: Unnumbered<CoverageTask>;
  /** Who waits for it. */
  askers: Set<string>;
  reply: Promise<CoverageReply>;
  answer: (reply: CoverageReply) => void;
}

export class CoverageQueue {
  readonly #options: CoverageQueueOptions;
  readonly #kept = new BoundedMap<string, Asked>(maxKept);
  /** In the order of their turns; the thread has the first one, and no other. */
  readonly #waiting = new Map<number, Asked>();
  #version = '';
  #thread: Worker | undefined;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;
  /** How many were computed rather than kept. */
  computed = 0;
  /** How many threads were started: one that is given up ends what it computes. */
  threads = 0;

  constructor(options: CoverageQueueOptions) {
    this.#options = options;
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
    if (this.#waiting.size >= maxWaiting) {
      return Promise.resolve(problem('too_many_coverages', `${maxWaiting} radio maps of this network wait already`));
    }
    const asked = this.#compute(task, asker);
    this.#kept.set(key, asked);
    void asked.reply.then((answer) => {
      if ('error' in answer && this.#kept.get(key) === asked) this.#kept.delete(key);
    });
    return asked.reply;
  }

  /** This one does not wait any more: what nobody waits for is not computed, or not to its end. */
  cancel(asker: string): void {
    for (const [id, { askers }] of this.#waiting) {
      if (askers.delete(asker) && askers.size === 0) this.#giveUp(id, 'Nobody waits for the answer');
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#end('The run has ended');
  }

  #read(body: Record<string, unknown>): Unnumbered<CoverageTask> | RunProblem {
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

  #compute(task: Unnumbered<CoverageTask>, asker: string): Asked {
    this.#lastId++;
    const id = this.#lastId;
    this.computed++;
    const { promise: reply, resolve } = Promise.withResolvers<CoverageReply>();
    const timer = setTimeout(() => this.#giveUp(id, 'The radio map took too long'), giveUpMs);
    const answer = (reply: CoverageReply) => {
      clearTimeout(timer);
      this.#waiting.delete(id);
      resolve(reply);
    };
    const asked = { task, askers: new Set([asker]), reply, answer };
    this.#waiting.set(id, asked);
    if (this.#waiting.size === 1) this.#next();
    return asked;
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first) this.#start().postMessage({ ...first[1].task, id: first[0] });
    else this.#rest();
  }

  #giveUp(id: number, detail: string): void {
    const [current] = this.#waiting.keys();
    this.#waiting.get(id)?.answer(problem('coverage_failed', detail));
    if (id !== current) return;
    // It cannot be reached while it computes.
    void this.#thread?.terminate();
    this.#thread = undefined;
    this.#next();
  }

  #start(): Worker {
    clearTimeout(this.#idle);
    if (this.#thread) return this.#thread;
    this.threads++;
    const thread = new Worker(new URL('./coverage-thread.ts', import.meta.url));
    thread.on('message', ({ id, answer }: { id: number; answer: CoverageReply }) => {
      if (this.#thread !== thread) return;
      this.#waiting.get(id)?.answer(answer);
      this.#next();
    });
    const fail = () => {
      if (this.#thread === thread) this.#end('The radio map could not be computed');
    };
    thread.on('error', fail);
    thread.on('exit', fail);
    this.#thread = thread;
    return thread;
  }

  #rest(): void {
    if (!this.#thread) return;
    this.#idle = setTimeout(() => this.#end(''), idleMs);
    this.#idle.unref();
  }

  /** Ends the thread; the next question starts another. */
  #end(detail: string): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
    for (const { answer } of [...this.#waiting.values()]) answer(problem('coverage_failed', detail));
    clearTimeout(this.#idle);
  }
}
