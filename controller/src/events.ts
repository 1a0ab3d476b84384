// What the parts of Weft tell and ask one another. A part listens to what others emit without knowing them, so that parts
// can be created one after the other and none refers to a later one.
import type { LoginType } from '@weft/contract';
import type { Caller } from './caller.ts';
import type { JobRecord } from './jobs/store/job-store.ts';
import type { CommandTransports } from './telemetry/presence/presence-service.ts';
import type { Sample } from './telemetry/store/telemetry-store.ts';

/** Listeners are called at once, in the order in which they were added. They must not throw. */
export class Event<Args extends unknown[]> {
  readonly #listeners: ((...args: Args) => void)[] = [];

  on(listener: (...args: Args) => void): void {
    this.#listeners.push(listener);
  }

  readonly emit = (...args: Args): void => {
    for (const listener of this.#listeners) listener(...args);
  };
}

/**
 * The phases of a clean-up, in order. `data`: what another server may hold, first, so that nothing is lost while it is
 * unavailable and the whole can be repeated. `work`: what is under way. `record`: what a repetition needs to know, last.
 */
const phases = ['data', 'work', 'record'] as const;
type Phase = (typeof phases)[number];

/** Steps that must all be done, one after the other; inside of a phase the newest part goes first. Rejects with the first failure. */
export class Cleanup<Args extends unknown[]> {
  readonly #steps: { phase: Phase; step: (...args: Args) => Promise<void> | void }[] = [];

  add(phase: Phase, step: (...args: Args) => Promise<void> | void): void {
    this.#steps.unshift({ phase, step });
  }

  readonly run = async (...args: Args): Promise<void> => {
    for (const phase of phases) {
      for (const each of this.#steps) if (each.phase === phase) await each.step(...args);
    }
  };
}

/** Something that a part can be asked without knowing who answers. The first answer that is not undefined counts. */
export class Question<Args extends unknown[], Answer> {
  readonly #answers: ((...args: Args) => Answer | undefined)[] = [];

  onAsk(answer: (...args: Args) => Answer | undefined): void {
    this.#answers.push(answer);
  }

  readonly ask = (...args: Args): Answer | undefined => {
    for (const answer of this.#answers) {
      const found = answer(...args);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

export type Events = ReturnType<typeof createEvents>;

export function createEvents() {
  return {
    /** A caller's record changed in a way that touches its tokens or rights. */
    callerChanged: new Event<[kind: LoginType, name: string]>(),
    /** Another process has changed the database; nobody knows what. */
    recordsChanged: new Event<[]>(),
    /** An agent is new or has another configuration than before. */
    agentConfigured: new Event<[agent: { ap_id: string; configuration: Record<string, unknown> }]>(),
    /** An agent is about to be removed: whoever gets its name next must not find anything of it. */
    agentRemoved: new Cleanup<[ap_id: string]>(),
    /** Samples of an agent are durable; also for a report without any. */
    recorded: new Event<[ap_id: string, samples: readonly Sample[], receivedMs: number]>(),
    /** The broker has created a queue again; whatever was in the old one is lost. */
    queueLost: new Event<[queue: string]>(),
    /** How commands reach an agent now. */
    commandTransports: new Question<[ap_id: string, configuration: Record<string, unknown>], CommandTransports>(),
    /** Cancels a job that is more than a job, and resolves whether it was one; undefined for another part's kind of job. */
    cancelJob: new Question<[caller: Caller, job: JobRecord], Promise<boolean>>(),
  };
}
