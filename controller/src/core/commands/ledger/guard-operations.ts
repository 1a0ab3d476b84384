// How the guards of commands end: what was watched for long enough has held; what was broken is rolled back, and ends with the
// command that takes it back.
import { system } from '../../base/caller.ts';
import { ConflictError } from '../../base/errors.ts';
import { steerDevice, subjectOf } from '../grammar/device-commands.ts';
import { shownGuard } from '../grammar/guard-expression.ts';
import { isSameWant, type Want } from '../grammar/requested-value.ts';
import type { CommandDecision } from './command-decision.ts';
import type { Operation } from './command-ledger.ts';
import type { CommandRecord } from './command-record.ts';
import type { CommandStateMachine } from './command-state-machine.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { NewCommand, SendOutcome } from './new-command.ts';

export interface GuardOperationsOptions {
  life: CommandStateMachine;
  decision: CommandDecision;
  send: (batch: LedgerBatch, wish: NewCommand) => Promise<SendOutcome>;
}

export class GuardOperations {
  readonly #options: GuardOperationsOptions;

  constructor(options: GuardOperationsOptions) {
    this.#options = options;
  }

  /** The guard has been watched for long enough: it has held, or nothing came. */
  over(command_id: string, state: 'held' | 'never_seen'): Operation<void> {
    return {
      readSet: (reads) => reads.commands.add(command_id),
      run: async (batch) => {
        const command = await batch.command(command_id);
        if (!command || command.guard_until === null || command.guard_until > batch.nowMs) return;
        this.#options.life.guardOver(batch, command, state);
      },
    };
  }

  /** At the end of each transaction: of the commands that ended in it and were to take another one back, that one ends too. */
  readonly concludeRollBacks = async (batch: LedgerBatch): Promise<void> => {
    for (const { inverse_of, state } of [...batch.closed]) {
      const guarded = inverse_of === null ? undefined : await batch.command(inverse_of);
      if (guarded?.guard_state === 'broken' && guarded.state === 'succeeded')
        this.#options.life.rolledBack(batch, guarded, state === 'succeeded');
    }
  };

  /** Rolls the command back, unless that was done already; `wish` restores the value before, undefined if it is not known. */
  broken(guarded: CommandRecord, wish: NewCommand | undefined, why: Record<string, unknown>): Operation<void> {
    const { command_id, ap_id, parameter } = guarded;
    return {
      readSet: (reads, rules) => {
        reads.commands.add(command_id);
        reads.statesOf.add(command_id);
        if (wish) this.#options.decision.readSet(reads, rules, wish.intent);
      },
      run: async (batch) => {
        const command = await batch.command(command_id);
        if (!command || command.guard_until === null) return;
        const { value } = batch.state(subjectOf(command), parameter);
        const isStill =
          value === null || isSameWant(value, { name: command.name, args: command.sent_args ?? command.args });
        if (!isStill) return this.#options.life.guardOver(batch, command, 'ended');
        const outcome = wish && (await this.#options.send(batch, wish));
        const inverse = outcome?.command?.command_id ?? null;
        const guard = shownGuard(command.guard!);
        const detail = inverse
          ? `The guard ${guard} was broken; taken back`
          : `The guard ${guard} was broken; what was set before is not known`;
        batch.entries.push({
          actor: system,
          action: 'rolled_back',
          target: { kind: 'agent', name: ap_id },
          detail: { ap_id, parameter, command_id, inverse_command_id: inverse, detail, ...why },
        });
        this.#options.life.guardBroken(batch, command, detail, inverse);
      },
    };
  }
}

/**
 * What a broken guard would restore: what was set before, or what the access point runs, or what takes it back; null without a guard. Throws ConflictError
 * `guard_cannot_roll_back` if there is neither, as of what is done rather than set.
 */
export function restoredBy(batch: LedgerBatch, { guard, intent, inverse, reported, sealed }: NewCommand): Want | null {
  if (guard === null) return null;
  const { name, args, parameter, is_action } = intent;
  // Free text is among them: what it does is unknown.
  const isAction = is_action || name === steerDevice || (parameter === name && Object.keys(args).length === 0);
  const value = batch.state(subjectOf(intent), parameter).value ?? reported ?? null;
  const isSet = value !== null && isSameWant(value, intent);
  const previous = (isAction || isSet ? null : value) ?? inverse;
  if (previous) return previous;
  const why = isAction
    ? 'is done and not set'
    : isSet
      ? 'is set like this already'
      : 'was not set through Weft before, and the agent does not report a setting that it declares for it';
  // A secret would not be kept either.
  const next =
    isAction || isSet || sealed !== null ? '' : '. Set its present value once without a guard, so that Weft knows it';
  throw new ConflictError(
    'guard_cannot_roll_back',
    `A broken guard could not be rolled back: ${parameter} ${why}, and the agent declares no command that takes ${name} back${next}`,
  );
}
