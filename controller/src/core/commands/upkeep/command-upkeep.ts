// Periodic work on commands: overdue ones expire, those that waited for a lease are decided again, unacknowledged ones are
// sent again, stages of roll-outs begin, guards end. Every node does it, without coordination.
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { Network } from '../../network/network.ts';
import type { BatchService } from '../api/batch-service.ts';
import type { CommandDispatcher } from '../delivery/command-dispatcher.ts';
import type { CommandLedger } from '../ledger/command-ledger.ts';
import type { CommandOperations } from '../ledger/command-operations.ts';
import type { CommandStore } from '../ledger/command-store.ts';
import type { GuardWatch } from './guard-watch.ts';

const everyMs = 1_000;
const steps = 200;
/** What other nodes tell of their commands may be lost: those that were not sent are looked for so often, for a while. */
const unsentRounds = 2;
const unsentAfterMs = 1_000;
const unsentForMs = 60_000;
const unsentAgents = 1_000;

export interface CommandUpkeepOptions {
  store: CommandStore;
  ledger: Pick<CommandLedger, 'do'>;
  operations: CommandOperations;
  dispatcher: Pick<CommandDispatcher, 'lookFor'>;
  guards: Pick<GuardWatch, 'refresh'>;
  batches: Pick<BatchService, 'goOn'>;
  network: Pick<Network, 'fresh'>;
  /** Whether other nodes use the database. */
  isShared: boolean;
  /** Called when it begins to fail, and when it works again; not for each round. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

export class CommandUpkeep extends PeriodicTask {
  readonly #options: CommandUpkeepOptions;
  readonly #now: () => number;
  #count = 0;
  #resentAfter = '';

  constructor(options: CommandUpkeepOptions) {
    const { onChange } = options;
    super({ everyMs, jitter: 0.1, what: 'the upkeep of commands', run: () => this.#run(), onChange });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** A round at that moment, if none would come before. */
  at(ms: number): void {
    this.soon(Math.max(1, Math.min(ms - this.#now(), everyMs)));
  }

  async #run(): Promise<void> {
    const { network, guards, batches, isShared } = this.#options;
    // Who waits is decided by what lists show.
    await network.fresh();
    await this.#expire();
    await this.#decideAgain();
    await guards.refresh();
    await this.#sendAgain();
    await batches.goOn();
    if (++this.#count % unsentRounds === 0 && isShared) await this.#sendForgotten();
  }

  async #expire(): Promise<void> {
    const { store, ledger, operations } = this.#options;
    for (let found = steps; found === steps && !this.isStopped; ) {
      const overdue = await store.listOverdue(this.#now(), steps);
      found = overdue.length;
      if (found > 0) await ledger.do(operations.expire(overdue));
    }
  }

  async #decideAgain(): Promise<void> {
    const { store, ledger, operations } = this.#options;
    const waiting = await store.listDeferred(this.#now(), steps);
    // In the order in which they came, so that the first one gets it.
    await Promise.all(waiting.map((command) => ledger.do(operations.decideAgain(command))));
    const next = await store.nextDeferred();
    if (next !== undefined && next < this.#now() + everyMs) this.at(Math.max(next, this.#now() + 1));
  }

  async #sendAgain(): Promise<void> {
    const { store, dispatcher } = this.#options;
    const agents = await store.listUnacknowledged(this.#now(), this.#resentAfter, steps);
    this.#resentAfter = agents.length === steps ? agents.at(-1)! : '';
    dispatcher.lookFor(agents);
  }

  async #sendForgotten(): Promise<void> {
    const { store, dispatcher } = this.#options;
    const now = this.#now();
    dispatcher.lookFor(await store.listUnsent(now - unsentForMs, now - unsentAfterMs, unsentAgents));
  }
}
