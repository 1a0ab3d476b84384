// Runs what-if requests one after the other, and refuses those that would take too long.
import { Worker } from 'node:worker_threads';
import { maxWhatIfMinutes, type PlannedCommand } from '../what-if.ts';
import type { EmulatedRun } from './emulated-run.ts';
import type { RunWhatIfAnswer } from './what-if-answer.ts';
import type { WhatIfThreadOptions } from './what-if-thread.ts';

const maxWaiting = 8;
const longestMs = 45_000;
/** The caller has given up by then. */
const giveUpMs = 60_000;
const usualMinutes = 5;
const commandName = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export interface RunProblem {
  error: { code: string; detail: string };
}

export interface WhatIfDeskOptions {
  run: EmulatedRun;
  /** What one second of the model costs. */
  stepMs: () => number;
}

export class WhatIfDesk {
  readonly #options: WhatIfDeskOptions;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: WhatIfDeskOptions) {
    this.#options = options;
  }

  /** Never throws. */
  async ask(body: Record<string, unknown>): Promise<RunWhatIfAnswer | RunProblem> {
    const question = this.#read(body);
    if ('error' in question) return question;
    if (this.#waiting >= maxWaiting) return problem('too_many_what_ifs', `${maxWaiting} questions wait already`);
    this.#waiting++;
    const answer = this.#last.then(() => this.#look(question));
    this.#last = answer;
    return answer.finally(() => this.#waiting--);
  }

  #read({ commands, minutes = usualMinutes }: Record<string, unknown>): Question | RunProblem {
    const { run, stepMs } = this.#options;
    if (typeof minutes !== 'number' || !(minutes > 0 && minutes <= maxWhatIfMinutes)) {
      return problem('what_if_too_long', `minutes must be more than 0 and at most ${maxWhatIfMinutes}`);
    }
    const most = mostMinutes(stepMs());
    if (minutes > most) return problem('what_if_too_long', `at most ${most} minutes for a network of this size`);
    const planned: PlannedCommand[] = [];
    for (const given of Array.isArray(commands) ? commands : []) {
      const { agent_id, command } = given as { agent_id: string; command: string };
      if (!run.isActive(agent_id)) {
        return problem('agent_not_found', 'Agent not found in this run, or its time is over');
      }
      const parsed = parseCommand(command);
      if (!parsed) return problem('invalid_command', 'a command is a name, or a JSON object with a name');
      planned.push({ ap_id: agent_id, ...parsed });
    }
    return { commands: planned, minutes };
  }

  #look(question: Question): Promise<RunWhatIfAnswer | RunProblem> {
    const options: WhatIfThreadOptions = { world: this.#options.run.world.snapshot(), ...question };
    const thread = new Worker(new URL('./what-if-thread.ts', import.meta.url), { workerData: options });
    return new Promise((resolve) => {
      const fail = () => resolve(problem('what_if_failed', 'The look ahead came to no end'));
      const timer = setTimeout(fail, giveUpMs);
      thread.on('message', resolve);
      thread.on('error', fail);
      thread.on('exit', () => {
        clearTimeout(timer);
        fail();
      });
    }).finally(() => thread.terminate()) as Promise<RunWhatIfAnswer | RunProblem>;
  }
}

interface Question {
  commands: PlannedCommand[];
  minutes: number;
}

/** Two copies run ahead. Whole minutes; parts of one where a whole one is too much. */
export function mostMinutes(stepMs: number): number {
  const minutes = longestMs / (2 * 60 * stepMs);
  return Math.min(maxWhatIfMinutes, minutes >= 1 ? Math.floor(minutes) : Math.floor(minutes * 100) / 100);
}

/** `sleep` or `{"name":"set_tx_power","dbm":17}`. */
export function parseCommand(text: unknown): { name: string; args: Record<string, unknown> } | undefined {
  if (typeof text !== 'string') return undefined;
  if (commandName.test(text)) return { name: text, args: {} };
  try {
    const { name, ...args } = JSON.parse(text);
    return typeof name === 'string' && commandName.test(name) ? { name, args } : undefined;
  } catch {
    return undefined;
  }
}

function problem(code: string, detail: string): RunProblem {
  return { error: { code, detail } };
}
