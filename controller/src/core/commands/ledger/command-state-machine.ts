// The states of a command, and the messages that its job gets with each of them. Every transition is made here, so that
// row, job and message always agree.
import type { CommandState } from '@weft/contract';
import type { EndState } from '../../jobs/store/job-record.ts';
import { deviceOf, type SteeringOutcome, steerDevice, subjectOf, withOutcome } from '../grammar/device-commands.ts';
import { shownGuard } from '../grammar/guard-expression.ts';
import { isSameWant } from '../grammar/requested-value.ts';
import { withoutEchoes } from '../grammar/secret-arguments.ts';
import type { CommandRecord } from './command-record.ts';
import type { LedgerBatch } from './ledger-batch.ts';

type EndingState = Exclude<CommandState, 'queued' | 'sent' | 'received'>;

/** How the job of a command ends. Jobs have no state for a superseded command. */
const jobEnds: Record<EndingState, EndState> = {
  succeeded: 'succeeded',
  failed: 'failed',
  rejected: 'failed',
  expired: 'expired',
  superseded: 'cancelled',
  cancelled: 'cancelled',
  rolled_back: 'failed',
  guard_broken: 'failed',
};

export class CommandStateMachine {
  readonly #retentionMs: number;
  readonly #resendMs: number;

  /** Ended jobs are kept for `retentionMs`; what is not acknowledged is sent again after `resendMs`. */
  constructor({ retentionMs, resendMs }: { retentionMs: number; resendMs: number }) {
    this.#retentionMs = retentionMs;
    this.#resendMs = resendMs;
  }

  /** It can be sent now. */
  release(batch: LedgerBatch, command: CommandRecord): void {
    command.due_at = batch.nowMs;
    batch.moved(command);
    batch.release(command);
  }

  /** It was written to the agent, perhaps once more. */
  sent(batch: LedgerBatch, command: CommandRecord): void {
    if (command.ended_at !== null || command.deliver_after !== null || command.received_at !== null) return;
    command.due_at = batch.nowMs + this.#resendMs;
    batch.moved(command);
    if (command.state === 'sent') return;
    command.state = 'sent';
    command.sent_at = batch.nowMs;
    this.tell(batch, command);
  }

  received(batch: LedgerBatch, command: CommandRecord): void {
    command.state = 'received';
    command.sent_at ??= batch.nowMs;
    command.received_at = batch.nowMs;
    command.due_at = null;
    batch.moved(command);
    this.tell(batch, command);
  }

  /** The agent is done with it. */
  answered(
    batch: LedgerBatch,
    command: CommandRecord,
    answer: { state: 'succeeded' | 'failed'; result: string | null; applied: Record<string, unknown> | null },
  ): void {
    const { nowMs } = batch;
    const hasSecrets = command.sealed !== null;
    command.sent_at ??= nowMs;
    command.received_at ??= nowMs;
    command.result = answer.result;
    command.applied = answer.applied;
    if (hasSecrets) hideEchoes(command);
    this.#close(batch, command, answer.state);
    if (answer.result !== null || answer.applied !== null) batch.changed(command);
    this.#settle(batch, command, answer.state, hasSecrets);
  }

  /** What has succeeded is kept. While a guard is watched the job stays open. */
  #settle(batch: LedgerBatch, command: CommandRecord, state: 'succeeded' | 'failed', hasSecrets: boolean): void {
    if (state === 'succeeded') this.#keepValue(batch, command, hasSecrets);
    if (state === 'succeeded' && command.guard !== null) {
      command.guard_until = batch.nowMs + (command.settle_ms ?? 0);
      command.guard_state = 'watching';
      batch.hasGuards = true;
      this.tell(batch, command);
    } else this.#tellLast(batch, command, jobEnds[state]);
  }

  /** The agent has done its part; what the network sees next decides how it ends. */
  awaits(batch: LedgerBatch, command: CommandRecord, result: string | null): void {
    command.result = result;
    batch.changed(command);
    if (command.received_at === null) this.received(batch, command);
  }

  /** It ends by what the network saw of the device, or because the device cannot be reached. */
  steered(batch: LedgerBatch, command: CommandRecord, outcome: SteeringOutcome): void {
    command.result = withOutcome(command.result === null ? null : JSON.parse(command.result), outcome);
    const state = outcome === 'moved' ? 'succeeded' : 'failed';
    this.#close(batch, command, state);
    batch.changed(command);
    this.#settle(batch, command, state, false);
    const device = deviceOf(command) ?? chosenDevice(command.result);
    const { ap_id, command_id, args } = command;
    batch.steered.push({ device, ap_id, target: String(args.target ?? ''), outcome, command_id });
  }

  /** Ended by something else than the agent's answer: the socket also gets the status of the job. */
  end(batch: LedgerBatch, command: CommandRecord, state: Exclude<EndingState, 'succeeded'>, detail: string): void {
    command.detail = detail;
    if (command.guard_until !== null) command.guard_state = 'ended';
    command.guard_until = null;
    // What the agent has done stays done; only its guard ends.
    if (command.ended_at === null) this.#close(batch, command, state);
    else batch.moved(command);
    this.tell(batch, command);
    this.#tellStatus(batch, command, jobEnds[state], detail);
  }

  /** Nobody waits for the end of the guard any more; it is watched all the same. */
  endJob(batch: LedgerBatch, command: CommandRecord, detail: string): void {
    this.#tellStatus(batch, command, 'cancelled', detail);
  }

  /** The guard has been watched for long enough, or there is nothing left to roll back. */
  guardOver(batch: LedgerBatch, command: CommandRecord, guard_state: 'held' | 'never_seen' | 'ended'): void {
    command.guard_until = null;
    command.guard_state = guard_state;
    if (guard_state === 'never_seen') command.detail = `No value for the guard ${shownGuard(command.guard!)} came`;
    if (guard_state === 'ended') command.detail = `${command.parameter} was changed since; it is not watched any more`;
    batch.moved(command);
    this.#tellLast(batch, command, 'succeeded');
  }

  /** The guard was broken; `inverse` is the command that takes it back, whose end is awaited, if there is one. */
  guardBroken(batch: LedgerBatch, command: CommandRecord, detail: string, inverse: string | null): void {
    command.guard_until = null;
    command.guard_state = 'broken';
    command.rolled_back_by = inverse;
    command.detail = detail;
    if (inverse === null) this.rolledBack(batch, command, false);
    else {
      batch.moved(command);
      this.tell(batch, command);
    }
  }

  /** The command that takes it back has ended, or there is none. */
  rolledBack(batch: LedgerBatch, command: CommandRecord, isRestored: boolean): void {
    command.state = isRestored ? 'rolled_back' : 'guard_broken';
    const what = isRestored ? 'what was set before is set again' : 'what was set before could not be set again';
    command.detail = `The guard ${shownGuard(command.guard!)} was broken; ${what}`;
    batch.closed.push(command);
    batch.moved(command);
    this.tell(batch, command);
    this.#tellStatus(batch, command, 'failed', command.detail);
  }

  /** A message on the job's socket: the command as it is now. */
  tell(batch: LedgerBatch, command: CommandRecord): void {
    const { job_number } = command;
    batch.messages.push({ job_number, type: 'command', data: textOf(command), ts: batch.nowMs, chunk: null });
  }

  #close(batch: LedgerBatch, command: CommandRecord, state: EndingState): void {
    batch.closed.push(command);
    command.state = state;
    command.ended_at = batch.nowMs;
    command.due_at = null;
    command.sealed = null;
    if (command.deliver_after !== null || command.intent !== null) {
      command.deliver_after = null;
      command.intent = null;
      batch.changed(command);
    } else batch.moved(command);
  }

  /** Secret arguments are not kept: what they set cannot be restored. */
  #keepValue(batch: LedgerBatch, command: CommandRecord, hasSecrets: boolean): void {
    const state = batch.state(subjectOf(command), command.parameter);
    // One that changes nothing has nothing to restore, unless another command takes it back.
    const hasInverse = command.previous !== null && command.previous.name !== command.name;
    // A device goes back to where it was, and not to where somebody once sent it.
    const isRestored = command.guard !== null && command.name !== steerDevice;
    if (isRestored && state.value && !(hasInverse && isSameWant(state.value, command))) {
      command.previous = state.value;
      batch.changed(command);
    }
    state.value = hasSecrets ? null : { name: command.name, args: command.sent_args ?? command.args };
    batch.stateChanged(state);
  }

  #tellLast(batch: LedgerBatch, command: CommandRecord, state: EndState): void {
    const { job_number } = command;
    const ends = { state, detail: null, keepUntil: batch.nowMs + this.#retentionMs };
    batch.messages.push({ job_number, type: 'command', data: textOf(command), ts: batch.nowMs, chunk: null, ends });
  }

  #tellStatus(batch: LedgerBatch, { job_number }: CommandRecord, state: EndState, detail: string): void {
    const ends = { state, detail, keepUntil: batch.nowMs + this.#retentionMs };
    const data = JSON.stringify([{ state, detail }]);
    batch.messages.push({ job_number, type: 'status', data, ts: batch.nowMs, chunk: null, ends });
  }
}

/** The one that the access point chose, as far as it is named by a pseudonym; else none. */
function chosenDevice(result: string): string {
  const { device } = JSON.parse(result) as { device?: unknown };
  return typeof device === 'string' && device.startsWith('dev-') ? device : '';
}

function hideEchoes(command: CommandRecord): void {
  const { args, applied, result } = command;
  command.applied = withoutEchoes(applied, args);
  if (result !== null) command.result = JSON.stringify(withoutEchoes(JSON.parse(result), args));
}

/** The agent's result stays the text that it is. */
function textOf(command: CommandRecord): string {
  const { command_id, ap_id, name, state, verdict, reason, detail, sent_args, applied, result } = command;
  const { guard_state, rolled_back_by } = command;
  const guard = guard_state && { guard_state, ...(guard_state === 'broken' && { rolled_back_by }) };
  const head = { command_id, ap_id, command: name, args: sent_args, state, verdict, reason, detail, applied, ...guard };
  return `[${JSON.stringify(head).slice(0, -1)},"result":${result ?? 'null'}}]`;
}
