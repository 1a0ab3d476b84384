// Watches the metrics that callers want to stay within bounds after their commands, and takes a command back when one
// does not. On several nodes telemetry comes in anywhere: each learns of new guards by looking.
import type { Network } from '../../network/network.ts';
import type { Sample, TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import { positionOf } from '../arbitration/surroundings.ts';
import { ranks } from '../grammar/command-permissions.ts';
import { steerDevice } from '../grammar/device-commands.ts';
import { type Guard, isBroken, readGuard } from '../grammar/guard-expression.ts';
import type { CommandLedger } from '../ledger/command-ledger.ts';
import type { CommandOperations } from '../ledger/command-operations.ts';
import type { CommandRecord } from '../ledger/command-record.ts';
import type { CommandStore } from '../ledger/command-store.ts';
import type { NewCommand } from '../ledger/new-command.ts';
import { orderedUuid } from '../ledger/ordered-uuid.ts';

const maxWatched = 10_000;
const inverseExpiryMs = 600_000;
const topPriority = 100;
const rowsPerRead = 5_000;

export interface GuardWatchOptions {
  store: Pick<CommandStore, 'listGuarded'>;
  ledger: Pick<CommandLedger, 'do'>;
  operations: CommandOperations;
  network: Pick<Network, 'fresh' | 'get'>;
  telemetry: Pick<TelemetryStore, 'rows'>;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

interface Watched {
  command: CommandRecord;
  guard: Guard;
}

export class GuardWatch {
  readonly #options: GuardWatchOptions;
  readonly #now: () => number;
  #watched = new Map<string, Watched[]>();
  readonly #underWay = new Set<string>();

  constructor(options: GuardWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Reads the guards to watch, and ends those that have been watched for long enough. */
  async refresh(): Promise<void> {
    const commands = await this.#options.store.listGuarded(maxWatched);
    const watched = new Map<string, Watched[]>();
    for (const command of commands) {
      const guard = readGuard(command.guard!);
      for (const ap_id of guard.ap_ids ?? [command.ap_id]) {
        const list = watched.get(ap_id);
        if (list) list.push({ command, guard });
        else watched.set(ap_id, [{ command, guard }]);
      }
    }
    this.#watched = watched;
    const now = this.#now();
    for (const command of commands) if (command.guard_until! <= now) await this.#conclude(command);
  }

  /** By what is stored: values may have come in on another node, or just before this one was killed. */
  async #conclude(command: CommandRecord): Promise<void> {
    const { ledger, operations } = this.#options;
    if (this.#underWay.has(command.command_id)) return;
    const guard = readGuard(command.guard!);
    let isSeen = false;
    for (const ap_id of guard.ap_ids ?? [command.ap_id]) {
      for await (const value of this.#values(ap_id, guard.metric, command)) {
        isSeen = true;
        if (isBroken(guard, value)) return this.#rollBack(command, guard, ap_id, value);
      }
    }
    await ledger.do(operations.guards.over(command.command_id, isSeen ? 'held' : 'never_seen'));
  }

  async *#values(ap_id: string, metric: string, { ended_at, guard_until }: CommandRecord): AsyncGenerator<number> {
    for (let startMs = ended_at!; ; ) {
      const range = { startMs, endMs: guard_until! };
      const { ts, columns } = await this.#options.telemetry.rows(ap_id, range, rowsPerRead, [metric]);
      for (const value of columns.get(metric) ?? []) if (!Number.isNaN(value)) yield value;
      if (ts.length < rowsPerRead) return;
      startMs = ts.at(-1)! + 1;
    }
  }

  /** Telemetry of this agent was stored. Must be quick where nothing is watched. */
  recorded(ap_id: string, samples: readonly Sample[]): void {
    for (const { command, guard } of this.#watched.get(ap_id) ?? []) {
      if (this.#underWay.has(command.command_id)) continue;
      for (const { ts, names, values } of samples) {
        // A sample from before the command succeeded, or after the guard's time, does not count.
        const isWithin = ts >= command.ended_at! && ts < command.guard_until!;
        const at = isWithin ? names.indexOf(guard.metric) : -1;
        if (at < 0 || !isBroken(guard, values[at]!)) continue;
        this.#rollBack(command, guard, ap_id, values[at]!);
        break;
      }
    }
  }

  #rollBack(command: CommandRecord, { metric, limit }: Guard, seen_at: string, value: number): void {
    const { ledger, operations, onError } = this.#options;
    const { command_id } = command;
    this.#underWay.add(command_id);
    this.#inverseOf(command)
      .then((wish) => ledger.do(operations.guards.broken(command, wish, { metric, limit, value, seen_at })))
      .catch((error) => onError(error, 'a command whose guard was broken could not be reverted'))
      .finally(() => this.#underWay.delete(command_id));
  }

  /** The command that restores the value before; undefined if that is not known, or the agent was removed. */
  async #inverseOf(command: CommandRecord): Promise<NewCommand | undefined> {
    const { previous, parameter, command_id, owner_kind, owner_id, caller_name } = command;
    // A device that was moved is now at the target, which is to send it back.
    const isMove = previous?.name === steerDevice;
    const ap_id = isMove ? String((command.sent_args ?? command.args).target) : command.ap_id;
    await this.#options.network.fresh();
    const agent = previous && this.#options.network.get(ap_id);
    if (!agent || (!isMove && agent.id !== command.agent_id)) return undefined;
    const now = this.#now();
    return {
      intent: {
        command_id: orderedUuid(now),
        ap_id,
        ...positionOf(agent),
        ...previous,
        parameter,
        caller_kind: 'weft',
        caller_id: 'weft',
        caller_name: 'weft',
        rank: ranks.weft,
        priority: topPriority,
        hold_seconds: null,
        expires_at: now + inverseExpiryMs,
        declaration: null,
      },
      text: null,
      sealed: null,
      agent_id: agent.id,
      owner_kind,
      owner_id,
      owner_name: caller_name,
      idempotency_key: null,
      guard: null,
      settle_ms: null,
      batch_id: null,
      inverse_of: command_id,
    };
  }
}
