// A command on its way to an access point: what was decided about it, and its result.
import type { Command, CommandAccepted, CommandState, Rival, VerdictReason, VerdictWord } from '@weft/contract';
import { type JobConnection, jobMessages } from './job-messages.ts';
import { Stream } from './stream.ts';

/** A command as its job's socket tells of it. */
export interface CommandReport {
  command_id: string;
  ap_id: string;
  /** Its name. */
  command: string;
  /** As they were sent; null if as they were given. */
  args: Record<string, unknown> | null;
  state: CommandState;
  verdict: VerdictWord;
  reason: VerdictReason;
  detail: string;
  /** What the access point says it set, where that differs. */
  applied: Record<string, unknown> | null;
  /** What the access point answered. */
  result: unknown;
  /** Only where a guard was broken: the command that puts the old value back, or null if nothing could be. */
  rolled_back_by?: string | null;
}

export class SentCommand {
  readonly #connection: JobConnection;
  readonly command_id: string;
  readonly job_number: string;
  readonly verdict: VerdictWord;
  readonly reason: VerdictReason;
  readonly detail: string;
  /** Whom the command overruled or has to wait for. */
  readonly rival: Rival | null;
  /** Until then others may not change the parameter. */
  readonly hold_until: string | null;
  /** With verdict `accepted_modified`: what is sent instead. */
  readonly sent_args: Record<string, unknown> | undefined;
  /** With verdict `queued`: when it is decided about again. */
  readonly deliver_after: string | undefined;

  constructor(connection: JobConnection, accepted: CommandAccepted) {
    this.#connection = connection;
    this.command_id = accepted.command_id;
    this.job_number = accepted.job_number;
    this.verdict = accepted.verdict;
    this.reason = accepted.reason;
    this.detail = accepted.detail;
    this.rival = accepted.rival;
    this.hold_until = accepted.hold_until;
    this.sent_args = accepted.sent_args;
    this.deliver_after = accepted.deliver_after;
  }

  /**
   * Every state of the command, as it is entered.
   *
   * ```ts
   * const command = await app.command('ap-1', 'set_tx_power', { dbm: 12 });
   * for await (const { state } of command.states()) console.log(state);
   * ```
   */
  states({ signal }: { signal?: AbortSignal } = {}): Stream<CommandReport> {
    return new Stream((ended) => this.#states(ended), signal);
  }

  /**
   * How it ended: `succeeded`, or `failed`, `expired`, `superseded`, `cancelled`, `rejected` with the reason as `detail` or
   * `result`. With a guard it resolves when the guard was watched for long enough, or broken (`rolled_back_by`).
   *
   * ```ts
   * const command = await app.command('ap-1', 'set_tx_power', { dbm: 12 });
   * const { state, applied } = await command.result();
   * console.log(state, applied);
   * ```
   */
  async result({ signal }: { signal?: AbortSignal } = {}): Promise<CommandReport> {
    let last: CommandReport | undefined;
    for await (const report of this.states({ signal })) last = report;
    if (!last) throw new Error(`nothing was told of command ${this.command_id}`);
    return last;
  }

  /**
   * Takes it back, as long as the access point does not have it; else throws WeftRefusal `command_received` or
   * `command_ended`.
   *
   * ```ts
   * const command = await app.command('asleep', 'set_tx_power', { dbm: 12 });
   * const { state } = await command.cancel();
   * console.log(state);
   * ```
   */
  cancel({ signal }: { signal?: AbortSignal } = {}): Promise<Command> {
    return this.#connection.rest.ask({ method: 'DELETE', path: `/api/v1/commands/${this.command_id}`, signal });
  }

  async *#states(signal: AbortSignal): AsyncGenerator<CommandReport, void> {
    for await (const { type, data } of jobMessages(this.#connection, this.job_number, signal)) {
      // The status of the job says again what the command has said.
      if (type === 'command') yield* data as CommandReport[];
    }
  }
}
