// Decides how a steering command ends, by what the network sees: the target reports the device in time, or it does not. Every
// node looks at the devices that it knows; whoever sees the end first writes it.

import { PeriodicTask } from '../../core/base/periodic-task.ts';
import { deviceOf, type SteeringOutcome, timeoutMsOf } from '../../core/commands/grammar/device-commands.ts';
import type { CommandRecord } from '../../core/commands/ledger/command-record.ts';

const maxWatched = 10_000;
/** The clock of an access point may be behind; a list that was spooled for longer says nothing about now. */
const clockToleranceMs = 60_000;

/** What is known about the newest list of an access point. */
export interface TargetSight {
  /** When this node learned of it. */
  heardMs: number;
  listTs: number;
  /** Since when the device is there, as its list says; undefined if it is not on it. */
  since: number | undefined;
  /** The same at the access point that was to send it away. */
  sinceAtSource: number | undefined;
}

export interface SteeringWatchOptions {
  /** Commands that access points have and that wait for their end. */
  listAwaiting: (limit: number) => Promise<CommandRecord[]>;
  conclude: (command_id: string, outcome: SteeringOutcome) => Promise<void>;
  /** Undefined if it never said which devices it serves. */
  lookAt: (ap_id: string, device: string, from: string) => TargetSight | undefined;
  /** The device that an access point has chosen itself, by the identity in its answer. */
  deviceAt: (ap_id: string, identity: string) => string | undefined;
  /** Whether its samples have the time of a model, which has nothing to do with the clock. */
  hasModelTime: (ap_id: string) => boolean;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class SteeringWatch extends PeriodicTask {
  readonly #options: SteeringWatchOptions;
  readonly #now: () => number;
  #byTarget = new Map<string, CommandRecord[]>();
  /** Of these targets. */
  #modelTime = new Map<string, boolean>();
  readonly #underWay = new Set<string>();

  constructor(options: SteeringWatchOptions) {
    super({ ...options, everyMs: 1_000, what: 'the look at steering commands', run: () => this.#look() });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The access point has said which devices it serves. Must be quick where nothing is awaited. */
  listed(ap_id: string): void {
    const waiting = this.#byTarget.get(ap_id);
    if (waiting) for (const command of waiting) this.#judge(command);
  }

  /** Reads what waits, and looks at all of it. */
  async #look(): Promise<void> {
    const waiting = await this.#options.listAwaiting(maxWatched);
    const byTarget = Map.groupBy(waiting, ({ args }) => String(args.target));
    const known = await Promise.all(
      [...byTarget.keys()].map(async (ap_id) => {
        return [ap_id, this.#modelTime.get(ap_id) ?? this.#options.hasModelTime(ap_id)] as const;
      }),
    );
    this.#byTarget = byTarget;
    this.#modelTime = new Map(known);
    for (const command of waiting) this.#judge(command);
  }

  #judge(command: CommandRecord): void {
    const { command_id } = command;
    const outcome = this.#outcomeOf(command);
    if (outcome === undefined || this.#underWay.has(command_id)) return;
    this.#underWay.add(command_id);
    this.#options
      .conclude(command_id, outcome)
      .catch((error) =>
        this.#options.onError(error, 'the end of a steering command could not be written; trying again'),
      )
      .finally(() => this.#underWay.delete(command_id));
  }

  #outcomeOf(command: CommandRecord): SteeringOutcome | undefined {
    const device = deviceOf(command) ?? this.#chosenBy(command);
    return outcomeNow({
      sight:
        device === undefined ? undefined : this.#options.lookAt(String(command.args.target), device, command.ap_id),
      sentMs: command.sent_at ?? command.created_at,
      deadlineMs: Math.min((command.received_at ?? 0) + timeoutMsOf(command.args), command.expires_at),
      nowMs: this.#now(),
      hasModelTime: this.#modelTime.get(String(command.args.target)) ?? false,
    });
  }

  #chosenBy({ ap_id, result }: CommandRecord): string | undefined {
    if (result === null) return undefined;
    const { device } = (JSON.parse(result) ?? {}) as { device?: unknown };
    if (typeof device !== 'string') return undefined;
    return device.startsWith('dev-') ? device : this.#options.deviceAt(ap_id, device);
  }
}

interface Evidence {
  sight: TargetSight | undefined;
  sentMs: number;
  deadlineMs: number;
  nowMs: number;
  /** The time of the list says nothing then; when it arrived does. */
  hasModelTime?: boolean;
}

/**
 * Access points list devices for a while after they have gone: one that came to the source after it had come to the target
 * is still at the source, until that one says otherwise.
 */
function hasArrived({ since, sinceAtSource }: TargetSight): boolean {
  return since !== undefined && (sinceAtSource === undefined || since > sinceAtSource);
}

/** Undefined while it may still become anything. Never `moved` without a list of the target that has the device. */
export function outcomeNow(evidence: Evidence): SteeringOutcome | undefined {
  const { sight, sentMs, deadlineMs, nowMs, hasModelTime = false } = evidence;
  const isHeard =
    sight !== undefined && sight.heardMs >= sentMs && (hasModelTime || sight.listTs >= sentMs - clockToleranceMs);
  if (isHeard && hasArrived(sight)) return 'moved';
  if (nowMs < deadlineMs) return undefined;
  // A target that says nothing is gone; one that serves others saw nobody come.
  return isHeard ? 'ignored' : 'unreachable';
}
