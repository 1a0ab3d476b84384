// Ends what a caller has queued with the caller, or what of it is no longer permitted: a step inside of the transaction
// that changes the caller's record.
import { setImmediate } from 'node:timers/promises';
import { type Caller, type CallerChange, isEnded } from '../../base/caller.ts';
import type { EndingNetwork } from '../../base/storage/ended-agents.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { runList } from '../../base/storage/sql-rows.ts';
import { type StepOutcome, together } from '../../event-kinds.ts';
import { listed, whyEnded } from '../../jobs/mailbox/job-ending.ts';
import type { CommandLedger } from './command-ledger.ts';
import type { CommandOperations } from './command-operations.ts';
import type { CommandRecord } from './command-record.ts';
import { findOpenAt, findOwned } from './command-rows.ts';
import type { CommandStore } from './command-store.ts';
import { deleteLeases, findLeasesOf } from './lease-rows.ts';
import { dependsOnRecord, mayCommand, maySend, type PresentRights } from './present-rights.ts';

/** The embedded database works on this thread; the process should go on in between. */
const commandsPerStep = 192;

export interface CommandEndingOptions {
  store: Pick<CommandStore, 'removeBatches'>;
  ledger: Pick<CommandLedger, 'lock' | 'within'>;
  operations: Pick<CommandOperations, 'endOwned'>;
  rights: Pick<PresentRights, 'commandable'>;
}

export class CommandEnding {
  readonly #options: CommandEndingOptions;

  constructor(options: CommandEndingOptions) {
    this.#options = options;
  }

  readonly step = async (tx: SqlQueries, change: CallerChange): Promise<StepOutcome> => {
    const { kind, id, name, by, what, caller, isRevoked } = change;
    if (kind === 'agent' || !(isEnded(change) || isRevoked || caller)) return {};
    const { store, ledger } = this.#options;
    // From here on nobody else stores a command, so that none is missed.
    await ledger.lock(tx);
    const hasLostAll = isEnded(change) || isRevoked || !maySend(caller!);
    const batches = hasLostAll ? await store.removeBatches(tx, id) : [];
    const ends = await this.#whatEnds(tx, change, await findOwned(tx, kind, id));
    const outcomes = await this.#end(tx, ends, whyEnded(change));
    await this.#endLeases(tx, change);
    const ids = ends.map(({ command_id }) => command_id);
    if (ids.length === 0 && batches.length === 0) return together(outcomes);
    const detail = { reason: what, ...listed(ids), ...(batches.length > 0 && { batches }) };
    const entry = { actor: by, action: 'commands_cancelled', target: { kind, name }, detail };
    return together([{ entries: [entry] }, ...outcomes]);
  };

  /** A step of the end of an emulated network: nobody is left to take commands, and leases there keep nobody out. */
  readonly network = async (tx: SqlQueries, network: EndingNetwork): Promise<StepOutcome> => {
    const { agents, job_number, by, reason } = network;
    await this.#options.ledger.lock(tx);
    const names = agents.map(({ ap_id }) => ap_id);
    const ends = await findOpenAt(tx, names);
    const outcomes = await this.#end(tx, ends, network.detail);
    await runList(tx, 'DELETE FROM leases WHERE ap_id IN ({{list}})', names);
    if (ends.length === 0) return {};
    const detail = { reason, ...listed(ends.map(({ command_id }) => command_id)) };
    const target = { kind: 'emulation', name: job_number };
    return together([{ entries: [{ actor: by, action: 'commands_cancelled', target, detail }] }, ...outcomes]);
  };

  async #end(tx: SqlQueries, ends: readonly CommandRecord[], detail: string): Promise<StepOutcome[]> {
    const { ledger, operations } = this.#options;
    const outcomes: StepOutcome[] = [];
    for (let start = 0; start < ends.length; start += commandsPerStep) {
      if (start > 0) await setImmediate();
      const part = ends.slice(start, start + commandsPerStep);
      outcomes.push(await ledger.within(tx, operations.endOwned(part, detail)));
    }
    return outcomes;
  }

  /** What an agent has received goes on unless its sender has ended: nothing can be taken back from the agent. */
  async #whatEnds(tx: SqlQueries, change: CallerChange, owned: readonly CommandRecord[]): Promise<CommandRecord[]> {
    if (isEnded(change)) return [...owned];
    const queued = owned.filter(({ ended_at, received_at }) => ended_at === null && received_at === null);
    if (change.isRevoked || queued.length === 0) return queued;
    const commandable = await this.#commandable(tx, change.caller!, queued);
    return queued.filter(
      (command) => !mayCommand(change.caller!, command.ap_id, command, commandable.has(command.ap_id)),
    );
  }

  /** A caller that has ended holds nothing; another one nothing on agents that it may not command at all. */
  async #endLeases(tx: SqlQueries, change: CallerChange): Promise<void> {
    if (!isEnded(change) && !change.caller) return;
    const held = await findLeasesOf(tx, change.id);
    if (isEnded(change)) return deleteLeases(tx, held);
    const { caller } = change;
    if (!maySend(caller!)) return deleteLeases(tx, held);
    const commandable = await this.#commandable(tx, caller!, held);
    const isLost = ({ ap_id }: { ap_id: string }) => dependsOnRecord(caller!, ap_id) && !commandable.has(ap_id);
    await deleteLeases(tx, held.filter(isLost));
  }

  async #commandable(tx: SqlQueries, caller: Caller, about: readonly { ap_id: string }[]): Promise<Set<string>> {
    const names = new Set(about.map(({ ap_id }) => ap_id).filter((ap_id) => dependsOnRecord(caller, ap_id)));
    return names.size === 0 ? names : this.#options.rights.commandable(caller, [...names], tx);
  }
}
