// Runs what-if requests one after the other. Each gets its share of the time that a caller waits, and says how far it got.
import { parseObject } from '@weft/contract/is-object';
import type { PlannedCommand } from '../what-if/future.ts';
import { maxFutures } from '../what-if/interval.ts';
import { maxWhatIfMinutes } from '../what-if/what-if.ts';
import type { EmulatedRun } from './emulated-run.ts';
import { steadyMs } from './model-clock.ts';
import type { WhatIfTask } from './question-thread.ts';
import { problem, type RunProblem, ThreadQueue } from './thread-queue.ts';
import type { RunWhatIfAnswer } from './what-if-answer.ts';

const maxWaiting = 8;
/** The caller gives up after 60 seconds; the answer has to come back to it. */
const answerWithinMs = 50_000;
/** What is left of it for those who asked before is shared with those who wait behind. */
const leastMs = 2_000;
const longestMs = 40_000;
/** For those who cannot wait so long and waited for others. */
const hurryMs = 500;
/** A thread that takes this much longer than it may is given up. */
const graceMs = 10_000;
/** Who asks once asks again: a thread that is there has loaded and compiled everything. */
const idleMs = 60_000;
const usualMinutes = 5;
const usualFutures = 8;
const commandName = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export interface WhatIfQueueOptions {
  run: EmulatedRun;
  now?: () => number;
}

export class WhatIfQueue {
  readonly #run: EmulatedRun;
  readonly #now: () => number;
  readonly #queue = new ThreadQueue<RunWhatIfAnswer>({
    ...{ idleMs, what: 'The look ahead', code: 'what_if_failed' },
  });
  /** How those that wait or are computed are left. */
  readonly #asked = new Map<string, () => void>();

  constructor({ run, now = steadyMs }: WhatIfQueueOptions) {
    this.#run = run;
    this.#now = now;
  }

  /** Never throws. */
  async ask(body: Record<string, unknown>, id = ''): Promise<RunWhatIfAnswer | RunProblem> {
    const question = this.#read(body);
    if ('error' in question) return question;
    if (this.#queue.size >= maxWaiting) return problem('too_many_what_ifs', `${maxWaiting} questions wait already`);
    const askedAtMs = this.#now();
    const { reply, leave } = this.#queue.ask(() => this.#turn(question, askedAtMs));
    const cancel = () => leave(problem('what_if_cancelled', 'Nobody waits for the answer'));
    this.#asked.set(id, cancel);
    return reply.finally(() => {
      if (this.#asked.get(id) === cancel) this.#asked.delete(id);
    });
  }

  /** Nobody waits for the answer to this one any more. */
  cancel(id: string): undefined {
    this.#asked.get(id)?.();
  }

  close(): void {
    this.#queue.close();
  }

  #read(body: Record<string, unknown>): Question | RunProblem {
    const { commands, minutes = usualMinutes, futures = usualFutures, within_seconds } = body;
    if (typeof minutes !== 'number' || !(minutes > 0 && minutes <= maxWhatIfMinutes)) {
      return problem('what_if_too_long', `minutes must be more than 0 and at most ${maxWhatIfMinutes}`);
    }
    if (!(Number.isInteger(futures) && (futures as number) >= 1 && (futures as number) <= maxFutures)) {
      return problem('too_many_futures', `futures must be 1 to ${maxFutures}`);
    }
    const planned = planCommands(this.#run, Array.isArray(commands) ? commands : []);
    const withinMs = typeof within_seconds === 'number' ? within_seconds * 1000 : longestMs;
    return 'error' in planned ? planned : { commands: planned, minutes, futures: futures as number, withinMs };
  }

  #turn({ withinMs, ...question }: Question, askedAtMs: number): { task: WhatIfTask; withinMs: number } | RunProblem {
    const waitedMs = this.#now() - askedAtMs;
    const leftMs = answerWithinMs - waitedMs;
    if (leftMs < leastMs) return problem('too_many_what_ifs', 'the questions before this one have taken all the time');
    const budgetMs = budgetOf(leftMs, this.#queue.size - 1, withinMs - waitedMs);
    const task = { world: this.#run.world.snapshot(), ...question, untilMs: steadyMs() + budgetMs };
    return { task, withinMs: budgetMs + graceMs };
  }
}

interface Question {
  commands: PlannedCommand[];
  minutes: number;
  futures: number;
  /** How long the caller waits. */
  withinMs: number;
}

/** Milliseconds of computing for the one whose turn it is, with so many behind it; `withinMs`: what it may still wait. */
export function budgetOf(leftMs: number, behind: number, withinMs = longestMs): number {
  const fairMs = Math.max(leastMs, Math.min(longestMs, leftMs / (1 + behind)));
  return Math.min(fairMs, Math.max(hurryMs, withinMs));
}

/** Those of a request, to access points of the run. */
export function planCommands(
  run: EmulatedRun,
  commands: readonly { agent_id: string; command: unknown }[],
): PlannedCommand[] | RunProblem {
  const planned: PlannedCommand[] = [];
  for (const { agent_id, command } of commands) {
    if (!run.isActive(agent_id)) {
      return problem('agent_not_found', 'Agent not found in this run, or its time is over');
    }
    const parsed = parseCommand(command);
    if (!parsed) return problem('invalid_command', 'a command is a name, or a JSON object with a name');
    planned.push({ ap_id: agent_id, ...parsed });
  }
  return planned;
}

/** `sleep` or `{"name":"set_tx_power","dbm":17}`. */
export function parseCommand(text: unknown): { name: string; args: Record<string, unknown> } | undefined {
  if (typeof text !== 'string') return undefined;
  if (commandName.test(text)) return { name: text, args: {} };
  const { name, ...args } = parseObject(text) ?? {};
  return typeof name === 'string' && commandName.test(name) ? { name, args } : undefined;
}
