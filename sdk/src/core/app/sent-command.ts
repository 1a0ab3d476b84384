// A command on its way to an access point: what was decided about it, and its result.

import type { Command, CommandAccepted, CommandState, Rival, VerdictReason, VerdictWord } from '@weft/contract';
import { ownOf } from '@weft/contract/is-object';
import { pause } from '@weft/contract/pause';
import { KnownError } from '../weft-refusal.ts';
import type { LatestValues } from './fleet-reader.ts';
import { type JobConnection, jobMessages } from './job-messages.ts';
import type { Stream } from './stream.ts';

/** A command as its job's socket tells of it. */
export interface CommandReport<Result = unknown> {
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
  result: Result;
  /** Only with a guard: whether it still watches, and how that ended. */
  guard_state?: NonNullable<Command['guard_state']>;
  /** Only where a guard was broken: the command that puts the old value back, or null if nothing could be. */
  rolled_back_by?: string | null;
}

/** What access points report of what a command has set, by the name of the command: its argument, and the metric. */
const shownAs: Record<string, [argument: string | 0 | 1, metric: string]> = {
  sleep: [0, 'active'],
  wake: [1, 'active'],
  set_tx_power: ['dbm', 'tx_power_dbm'],
  set_channel: ['channel', 'channel'],
  set_channel_width: ['mhz', 'channel_width_mhz'],
  set_tilt: ['degrees', 'tilt_degrees'],
  set_prb_quota: ['percent', 'prb_quota_pct'],
  set_dimming: ['percent', 'dimming_pct'],
};
/** Reported values are rounded. */
const tolerance = 0.51;
const settlingPollMs = 500;
const settlingMs = 60_000;

/** Thrown by `SentCommand.settled`: the command succeeded, and the access point still reports something else. */
export class CommandNotSettled extends KnownError {
  static override readonly kind: string = 'CommandNotSettled';
  override name = 'CommandNotSettled';
  readonly report: CommandReport;

  constructor(report: CommandReport) {
    super(`${report.ap_id} has executed ${report.command} and does not report it`);
    this.report = report;
  }
}

export class SentCommand<Result = unknown> {
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
  readonly #args: Record<string, unknown>;

  constructor(connection: JobConnection, accepted: CommandAccepted, args: object = {}) {
    this.#args = { ...args, ...accepted.sent_args };
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
  states({ signal }: { signal?: AbortSignal | undefined } = {}): Stream<CommandReport<Result>> {
    return this.#connection.rest.stream((ended) => this.#states(ended), signal);
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
  async result({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<CommandReport<Result>> {
    let last: CommandReport<Result> | undefined;
    for await (const report of this.states({ signal })) last = report;
    signal?.throwIfAborted();
    this.#connection.rest.closing.signal.throwIfAborted();
    if (!last) throw new Error(`nothing was told of command ${this.command_id}`);
    return last;
  }

  /**
   * As `result`, and then waits until the access point reports what was set: `succeeded` is what its agent says, before the
   * measurements show it. Of a command whose effect is no metric, until the next report. Throws CommandNotSettled if that
   * does not come within `withinMs` (default: 60,000).
   *
   * ```ts
   * const command = await app.command('ap-1', 'set_tx_power', { dbm: 12 });
   * const { state } = await command.settled();
   * console.log(state);
   * ```
   */
  async settled(options: { withinMs?: number | undefined; signal?: AbortSignal | undefined } = {}) {
    const { withinMs = settlingMs, signal } = options;
    const { rest } = this.#connection;
    const report = await this.result({ signal });
    const deadline = performance.now() + withinMs;
    let before: number | undefined;
    while (report.state === 'succeeded') {
      const query = { agents: [report.ap_id] };
      const path = '/api/v1/metrics/latest';
      const { agents } = await rest.ask<{ agents: LatestValues[] }>({ method: 'GET', path, query, signal });
      const metrics = agents[0]?.metrics ?? {};
      const newest = Math.max(0, ...Object.values(metrics).map(({ ts }) => Date.parse(ts)));
      before ??= newest;
      if (shows(report.command, { ...this.#args, ...report.applied }, metrics) ?? newest > before) break;
      if (performance.now() > deadline) throw new CommandNotSettled(report);
      await pause(settlingPollMs, signal);
    }
    return report;
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
  cancel({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<Command> {
    return this.#connection.rest.ask({ method: 'DELETE', path: `/api/v1/commands/${this.command_id}`, signal });
  }

  async *#states(signal: AbortSignal): AsyncGenerator<CommandReport<Result>, void> {
    for await (const { type, data } of jobMessages(this.#connection, this.job_number, signal)) {
      // The status of the job says again what the command has said.
      if (type === 'command') yield* data as CommandReport<Result>[];
    }
  }
}

/** Whether the values show what was set; undefined if none of them could. */
function shows(command: string, args: Record<string, unknown>, metrics: LatestValues['metrics']): boolean | undefined {
  const wanted = setBy(command, args);
  const shown = wanted && metrics[wanted.metric]?.value;
  return wanted && shown !== undefined ? Math.abs(shown - wanted.value) < tolerance : undefined;
}

/** What is measured after a command; undefined if no metric shows it. */
export function setBy(command: string, args: Record<string, unknown>): { metric: string; value: number } | undefined {
  const [argument, metric] = ownOf(shownAs, command) ?? [];
  const value = typeof argument === 'string' ? args[argument] : argument;
  return metric !== undefined && typeof value === 'number' ? { metric, value } : undefined;
}
