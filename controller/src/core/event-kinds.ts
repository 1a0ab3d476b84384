// The kinds of what parts tell and ask one another; events.ts lists which there are.
import type { NewAuditEntry } from './accounts/audit/audit-entry.ts';
import type { SqlQueries } from './base/storage/sql-database.ts';

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

/** What a step inside of a transaction leaves to be done. */
export interface StepOutcome {
  /** For the audit log, after the entry of the change itself. */
  entries?: readonly NewAuditEntry[];
  /** Called once everything is durable; must not throw. */
  committed?: () => void;
}

/**
 * A change whose consequences are part of it: steps run inside of the transaction of the change, the newest part first, so
 * that both are durable or neither; listeners are called once it is durable. Like the work of any transaction, steps may be
 * retried and must have no side effects but their queries.
 */
export class ChangeEvent<Change> extends Event<[change: Change]> {
  readonly #steps: ((tx: SqlQueries, change: Change) => Promise<StepOutcome>)[] = [];

  within(step: (tx: SqlQueries, change: Change) => Promise<StepOutcome>): void {
    this.#steps.unshift(step);
  }

  /** Runs the steps. What it resolves is to be done by whoever makes the change. */
  readonly run = async (tx: SqlQueries, change: Change): Promise<Required<StepOutcome>> => {
    const outcomes: StepOutcome[] = [];
    for (const step of this.#steps) outcomes.push(await step(tx, change));
    return together(outcomes);
  };
}

/** What several steps leave to be done, in their order. */
export function together(outcomes: readonly StepOutcome[]): Required<StepOutcome> {
  return {
    entries: outcomes.flatMap(({ entries = [] }) => entries),
    committed: () => {
      for (const { committed } of outcomes) committed?.();
    },
  };
}

/** Further steps of a transaction that others make; like the work of any transaction they may be retried. */
export class TransactionStep<Args extends unknown[]> {
  readonly #steps: ((tx: SqlQueries, ...args: Args) => Promise<void>)[] = [];

  add(step: (tx: SqlQueries, ...args: Args) => Promise<void>): void {
    this.#steps.push(step);
  }

  readonly run = async (tx: SqlQueries, ...args: Args): Promise<void> => {
    for (const step of this.#steps) await step(tx, ...args);
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
