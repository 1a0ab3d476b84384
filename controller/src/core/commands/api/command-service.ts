// Commands of callers: send, list, read, cancel. A command belongs to its sender; administrators see all commands, and for
// all others it does not exist.

import type { Command, CommandAccepted, CommandPreview, CommandState } from '@weft/contract';
import type { Caller } from '../../base/caller.ts';
import { ConflictError, notFound } from '../../base/errors.ts';
import { mayReadConfig } from '../../base/rights/permission.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { Port } from '../../port.ts';
import { parseCommand } from '../grammar/command-text.ts';
import { toAccepted, toCommand, toConflict, toDecisionVerdict, toPreview } from '../ledger/command-answers.ts';
import type { CommandLedger } from '../ledger/command-ledger.ts';
import type { CommandOperations } from '../ledger/command-operations.ts';
import type { CommandRecord } from '../ledger/command-record.ts';
import type { CommandStore } from '../ledger/command-store.ts';
import type { NewCommand } from '../ledger/new-command.ts';
import type { ParameterOwner } from '../parameter-owner.ts';
import type { CommandIntake, SendOptions } from './command-intake.ts';
import type { GuardScope } from './guard-scope.ts';
import type { RivalVisibility } from './rival-visibility.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface CommandServiceOptions {
  store: CommandStore;
  ledger: Pick<CommandLedger, 'do'>;
  operations: CommandOperations;
  intake: CommandIntake;
  sight: RivalVisibility;
  guards: GuardScope;
  /** The settings of an agent that commands set by this parameter. */
  parameters: Port<ParameterOwner>;
  now?: () => number;
}

export interface CommandQuery {
  agent?: string;
  state?: CommandState;
  batch_id?: string;
  before?: string;
  limit: number;
}

export class CommandService {
  readonly #options: CommandServiceOptions;
  readonly #now: () => number;

  constructor(options: CommandServiceOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Durable when it resolves. Throws ConflictError `command_conflict` for the loser of a conflict; everything else that is
   * wrong is thrown before anything is decided.
   */
  async send(caller: Caller, ap_id: string, text: string, options: SendOptions): Promise<CommandAccepted> {
    const { ledger, operations, sight } = this.#options;
    const wish = await this.#prepare(caller, ap_id, text, options);
    const [outcome, overrides] = await Promise.all([ledger.do(operations.send(wish)), this.#overrides(caller, wish)]);
    if (outcome.command) return { ...(await sight.of(caller, toAccepted(outcome.command))), ...overrides };
    const verdict = await sight.of(caller, toDecisionVerdict(outcome.decision));
    throw toConflict(verdict, outcome.decision.retry_at, this.#now());
  }

  /** What would be decided now. */
  async preview(caller: Caller, ap_id: string, text: string, options: SendOptions): Promise<CommandPreview> {
    const { ledger, operations, sight } = this.#options;
    const wish = await this.#prepare(caller, ap_id, text, options);
    const { decision } = await ledger.do(operations.look(wish));
    return { ...(await sight.of(caller, toPreview(decision))), ...(await this.#overrides(caller, wish)) };
  }

  /** Newest first: the caller's own, or all for administrators. */
  async list(caller: Caller, query: CommandQuery): Promise<Command[]> {
    const { agent, state, batch_id, before, limit } = query;
    const owner = rightsOf(caller).isAdmin ? undefined : ownerOf(caller);
    const found = await this.#options.store.list({
      ...(owner && { owner }),
      ...(agent !== undefined && { ap_id: agent }),
      ...(state !== undefined && { state }),
      ...(batch_id !== undefined && { batch_id }),
      ...(before !== undefined && { before: await this.#requireVisible(caller, before) }),
      limit,
    });
    const { sight } = this.#options;
    return Promise.all(found.map((command) => sight.ofCommand(caller, toCommand(command))));
  }

  async get(caller: Caller, command_id: string): Promise<Command> {
    return this.#options.sight.ofCommand(caller, toCommand(await this.#requireVisible(caller, command_id)));
  }

  /** Only before the agent has it; one that is cancelled already is answered as at first. */
  async cancel(caller: Caller, command_id: string): Promise<Command> {
    const command = await this.#cancel(caller, await this.#requireVisible(caller, command_id));
    return this.#options.sight.ofCommand(caller, toCommand(command));
  }

  /** Cancels the command of a job. Resolves whether the job was that of a command. */
  async cancelJob(
    caller: Caller,
    { job_number, task_type, data }: { job_number: string; task_type: string; data: string },
  ) {
    if (task_type !== 'send_command') return false;
    const command = await this.#options.store.get(JSON.parse(data).command_id);
    if (command?.job_number !== job_number) return false;
    try {
      await this.#cancel(caller, command);
    } catch (error) {
      if (!(error instanceof ConflictError) || error.code !== 'command_received') throw error;
      throw new ConflictError(
        'command_received',
        'The agent has received this command; it cannot be cancelled any more',
      );
    }
    return true;
  }

  async #prepare(caller: Caller, ap_id: string, text: string, options: SendOptions) {
    const { intake } = this.#options;
    const command = parseCommand(text);
    intake.requireSendable(caller, command, options);
    const agent = await intake.target(caller, ap_id, command);
    const guard =
      options.guard === undefined ? undefined : await this.#options.guards.toStored(caller, agent, options.guard);
    const wish = intake.toNewCommand(caller, agent, command, { ...options, guard });
    const wayBack = guard === undefined ? undefined : await intake.wayBack(caller, ap_id, command);
    const reported = guard === undefined ? undefined : await this.#options.guards.reported(agent, wish);
    intake.takeTurn(caller);
    return { ...wish, inverse: wayBack ?? wish.inverse, reported };
  }

  async #overrides(caller: Caller, { intent: { ap_id, parameter } }: NewCommand) {
    if (!mayReadConfig(caller)) return {};
    const settings = await this.#options.parameters.owner.settingsOf(ap_id, parameter);
    const until = 'another command, an explicit apply of the settings, or the roll-back by its guard';
    return settings.length > 0 && { overrides: { settings, until } };
  }

  #cancel(caller: Caller, command: CommandRecord): Promise<CommandRecord> {
    const { ledger, operations } = this.#options;
    const by = rightsOf(caller).owns(command) ? 'its owner' : 'an administrator';
    return ledger.do(operations.cancel(command, `Cancelled by ${by}`));
  }

  async #requireVisible(caller: Caller, command_id: string): Promise<CommandRecord> {
    const command = uuid.test(command_id) ? await this.#options.store.get(command_id) : undefined;
    if (!command || !rightsOf(caller).ownsOrAdministers(command)) throw notFound('Command');
    return command;
  }
}

function ownerOf({ kind, id }: Caller): Pick<CommandRecord, 'owner_kind' | 'owner_id'> {
  return { owner_kind: kind === 'user' ? 'user' : 'third_party_app', owner_id: id };
}
