// The operations of the ledger, one method for each: a new command, an answer of the agent, a cancellation, and what is due
// at a certain time.
import { type AgentCaller, ownerRef } from '../../base/caller.ts';
import { ConflictError, notFound, orNotFound, TryLaterError } from '../../base/errors.ts';
import { ownerGone } from '../../base/storage/present-owner.ts';
import type { Decision } from '../arbitration/conflict-intent.ts';
import { toOutcome } from '../arbitration/decision-record.ts';
import { steerDevice, subjectOf } from '../grammar/device-commands.ts';
import { isSameWant } from '../grammar/requested-value.ts';
import type { CommandDecision } from './command-decision.ts';
import type { Operation } from './command-ledger.ts';
import type { CommandRecord } from './command-record.ts';
import type { CommandStateMachine } from './command-state-machine.ts';
import type { CommandStore } from './command-store.ts';
import { GuardOperations, restoredBy } from './guard-operations.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import { type NewCommand, type SendOutcome, toNewJob, toNewRecord } from './new-command.ts';
import { dependsOnRecord, requireCommandRight } from './present-rights.ts';
import { SteeringOperations } from './steering-operations.ts';

export interface CommandOperationsOptions {
  store: CommandStore;
  decision: CommandDecision;
  life: CommandStateMachine;
  /** Open commands of one owner. */
  maxOpen: number;
  /** Whether commands are published on a broker outside of this process. */
  isPublished: boolean;
}

export class CommandOperations {
  /** How commands that move a device end. */
  readonly steering: SteeringOperations;
  readonly guards: GuardOperations;
  readonly #options: CommandOperationsOptions;

  constructor(options: CommandOperationsOptions) {
    this.#options = options;
    const { decision, life } = options;
    this.steering = new SteeringOperations(life);
    this.guards = new GuardOperations({ life, decision, send: (batch, wish) => this.#send(batch, wish) });
  }

  /** Throws ConflictError `idempotency_key_used`, `guard_cannot_roll_back`, and TryLaterError `too_many_open_commands`. */
  send(wish: NewCommand): Operation<SendOutcome> {
    return {
      readSet: (reads, rules) => {
        this.#options.decision.readSet(reads, rules, wish.intent);
        reads.owner(ownerRef(wish));
        if (wish.idempotency_key !== null) reads.keys.push([wish.owner_id, wish.idempotency_key]);
      },
      run: (batch) => this.#send(batch, wish),
    };
  }

  /** Only decides; changes nothing. */
  look(wish: NewCommand): Operation<{ decision: Decision; group: string }> {
    return {
      readSet: (reads, rules) => this.#options.decision.readSet(reads, rules, wish.intent),
      run: async (batch) => {
        batch.requireRunning(wish.intent);
        restoredBy(batch, wish);
        return this.#options.decision.look(batch, wish.intent);
      },
    };
  }

  sent(command_ids: readonly string[]): Operation<void> {
    return this.#each(command_ids, (batch, command) => this.#options.life.sent(batch, command));
  }

  /** Throws NotFoundError for a command that is not this agent's. */
  answer(
    agent: AgentCaller,
    command_id: string,
    answer: {
      state: 'received' | 'succeeded' | 'failed';
      result: string | null;
      applied: Record<string, unknown> | null;
      /** It was sent, and that is not recorded yet. */
      wasSent: boolean;
    },
  ): Operation<CommandRecord> {
    const { state, wasSent } = answer;
    return {
      readSet: (reads) => {
        reads.commands.add(command_id);
        if (state === 'succeeded') reads.statesOf.add(command_id);
      },
      run: async (batch) => {
        const command = await batch.command(command_id);
        if (!command || command.agent_id !== agent.id || command.deliver_after !== null) throw notFound('Command');
        if (command.ended_at !== null) return command;
        if (wasSent) this.#options.life.sent(batch, command);
        const ending = command.name === steerDevice ? this.steering : this.#options.life;
        if (state !== 'received') ending.answered(batch, command, { ...answer, state });
        else if (command.received_at === null) this.#options.life.received(batch, command);
        return command;
      },
    };
  }

  /** One that is cancelled already stays as it is. Throws ConflictError if the agent has it, or it has ended. */
  cancel(sent: CommandRecord, detail: string): Operation<CommandRecord> {
    const { command_id } = sent;
    return {
      readSet: (reads) => {
        reads.commands.add(command_id);
        reads.leasesOn(subjectOf(sent), [sent.parameter]);
      },
      run: async (batch) => {
        const command = orNotFound(await batch.command(command_id), 'Command');
        if (command.state === 'cancelled') return command;
        if (command.ended_at !== null) throw new ConflictError('command_ended', 'This command has ended');
        if (command.received_at !== null)
          throw new ConflictError('command_received', 'The agent has received this command');
        this.#endLeaseOf(batch, command);
        this.#options.life.end(batch, command, 'cancelled', detail);
        return command;
      },
    };
  }

  /**
   * Ends what is left of commands whose sender has ended, or may not send them any more, with the leases that they hold. What
   * the agent has done stays done, and is still watched if it has a guard; only the job ends.
   */
  endOwned(commands: readonly CommandRecord[], detail: string): Operation<void> {
    const ids = commands.map(({ command_id }) => command_id);
    const endAll = this.#each(ids, (batch, command) => {
      this.#endLeaseOf(batch, command);
      if (command.ended_at === null) this.#options.life.end(batch, command, 'cancelled', detail);
      else if (command.guard_until !== null) this.#options.life.endJob(batch, command, detail);
    });
    const readSet: Operation<void>['readSet'] = (reads, rules) => {
      endAll.readSet(reads, rules);
      for (const command of commands) reads.leasesOn(subjectOf(command), [command.parameter]);
    };
    return { readSet, run: endAll.run };
  }

  /** Those of them whose time is over. */
  expire(command_ids: readonly string[]): Operation<void> {
    return this.#each(command_ids, (batch, command) => {
      if (command.ended_at !== null || command.expires_at > batch.nowMs) return;
      const detail =
        command.received_at === null ? 'The agent did not take it in time' : 'The agent did not finish in time';
      this.#options.life.end(batch, command, 'expired', detail);
    });
  }

  /** Those of them that cannot be brought to their agents. */
  fail(command_ids: readonly string[], detail: string): Operation<void> {
    return this.#each(command_ids, (batch, command) => {
      if (command.ended_at === null && command.received_at === null)
        this.#options.life.end(batch, command, 'failed', detail);
    });
  }

  /** The lease that it waited for has ended. */
  decideAgain(waiting: CommandRecord): Operation<void> {
    const intent = waiting.intent!;
    return {
      readSet: (reads, rules) => {
        reads.commands.add(waiting.command_id);
        this.#options.decision.readSet(reads, rules, intent);
      },
      run: async (batch) => {
        const command = await batch.command(waiting.command_id);
        if (!command || command.ended_at !== null || command.deliver_after === null) return;
        if (command.deliver_after > batch.nowMs || command.expires_at <= batch.nowMs) return;
        const { decision, group } = await this.#options.decision.make(batch, intent);
        this.#settle(batch, command, decision, group);
      },
    };
  }

  /** The agent was removed: its commands fail, and its leases end. */
  agentRemoved(ap_id: string, command_ids: readonly string[]): Operation<void> {
    const failAll = this.#each(command_ids, (batch, command) => {
      if (command.ended_at === null || command.guard_until !== null) {
        this.#options.life.end(batch, command, 'failed', `Agent ${ap_id} has been removed`);
      }
    });
    return {
      readSet: failAll.readSet,
      run: async (batch) => {
        await failAll.run(batch);
        await this.#options.store.forgetAgent(batch.tx, ap_id);
        for (const lease of batch.leases.of(ap_id)) batch.endLease(lease);
      },
    };
  }

  async #send(batch: LedgerBatch, wish: NewCommand): Promise<SendOutcome> {
    const { intent, owner_id, idempotency_key } = wish;
    await requireRightNow(batch, wish);
    const first = idempotency_key === null ? undefined : batch.byKey(owner_id, idempotency_key);
    if (first) {
      if (first.ap_id === intent.ap_id && isSameWant(first, intent)) return { command: first, isRepeat: true };
      throw new ConflictError('idempotency_key_used', 'This idempotency key belongs to another command');
    }
    batch.requireRunning(intent);
    if (wish.inverse_of === null && batch.openOf(owner_id) >= this.#options.maxOpen) {
      const detail = `At most ${this.#options.maxOpen} of your commands may be open at once`;
      throw new TryLaterError(429, 'too_many_open_commands', detail, 10);
    }
    const previous = restoredBy(batch, wish);
    const { decision, group } = await this.#options.decision.make(batch, intent, wish.inverse_of);
    if (decision.verdict === 'rejected') return { command: undefined, decision, group };
    const command = { ...toNewRecord(wish, group, batch.nowMs), previous };
    const decided = { ...command, verdict: decision.verdict, sent_args: decision.args ?? null };
    batch.create(command, toNewJob(wish, decided, this.#options.isPublished));
    this.#settle(batch, command, decision, group);
    return { command, isRepeat: false };
  }

  /** Writes a decision into its command, and lets it go, wait or end. */
  #settle(batch: LedgerBatch, command: CommandRecord, decision: Decision, group: string): void {
    const { verdict, reason, detail, args, lease, deliver_after, retry_at } = decision;
    const isTooSoon = reason === 'too_soon' && retry_at !== undefined && retry_at < command.expires_at;
    if (!isTooSoon) {
      command.verdict = verdict;
      command.reason = reason;
      command.detail = detail;
      command.rival = toOutcome(decision).rival;
      command.parameter_group = group;
    }
    batch.changed(command);
    if (args) {
      const hasWaited = command.deliver_after !== null;
      command.sent_args = args;
      command.hold_until = lease?.until ?? null;
      command.deliver_after = null;
      command.intent = null;
      if (hasWaited) this.#options.life.tell(batch, command);
      this.#options.life.release(batch, command);
    } else if (deliver_after !== undefined || isTooSoon) command.deliver_after = deliver_after ?? retry_at!;
    else this.#options.life.end(batch, command, 'rejected', detail);
  }

  #endLeaseOf(batch: LedgerBatch, command: CommandRecord): void {
    for (const lease of batch.leases.of(subjectOf(command))) {
      if (lease.command_id === command.command_id) batch.endLease(lease);
    }
  }

  #each(command_ids: readonly string[], change: (batch: LedgerBatch, command: CommandRecord) => void): Operation<void> {
    return {
      readSet: (reads) => {
        for (const id of command_ids) reads.commands.add(id);
      },
      run: async (batch) => {
        for (const id of command_ids) {
          const command = await batch.command(id);
          if (command) change(batch, command);
        }
      },
    };
  }
}

/** Throws what the sender would be refused with now. Weft's own commands need no right: they take back what somebody was allowed. */
async function requireRightNow(batch: LedgerBatch, wish: NewCommand): Promise<void> {
  const { intent, owner_ver, sealed } = wish;
  const { tx, rights } = batch;
  if (!rights || intent.caller_kind === 'weft') return;
  const caller = batch.caller(ownerRef(wish));
  if (!caller) throw ownerGone();
  // What was asked for with an older key or password is not queued after those of it were cancelled.
  if (owner_ver !== undefined && owner_ver !== caller.ver) throw ownerGone();
  const { ap_id } = intent;
  const isCommandable = dependsOnRecord(caller, ap_id) && (await rights.commandable(caller, [ap_id], tx)).has(ap_id);
  // Of secret arguments only fingerprints are here; they were looked at when the command came in.
  requireCommandRight(caller, ap_id, sealed === null ? intent : undefined, isCommandable);
}
