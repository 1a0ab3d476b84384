// A command lost against what somebody else holds: who that is, and when it is worth coming back.
import type { Rival, VerdictReason } from '@weft/contract';
import { parseObject } from '@weft/contract/is-object';
import { toSeconds, WeftRefusal } from '../weft-refusal.ts';

/**
 * Thrown by `App.command` when Weft decides against the command (409). Nothing was sent to the access point. Each reason has
 * a class of its own.
 *
 * ```ts
 * const rival = new App({ url, name: 'coverer', key });
 * await app.command('ap-1', 'set_tx_power', { dbm: 12 }, { holdSeconds: 60 });
 * try {
 *   await rival.command('ap-1', 'set_tx_power', { dbm: 20 });
 * } catch (error) {
 *   if (error instanceof CommandHeld) {
 *     console.log(`${error.rival.caller_name} holds it until ${error.leaseUntil.toISOString()}`);
 *   } else if (error instanceof CommandConflict) console.log(error.reason, error.retryAt?.toISOString());
 *   else throw error;
 * }
 * ```
 */
export class CommandConflict extends WeftRefusal {
  static override readonly kind: string = 'CommandConflict';
  override name = 'CommandConflict';
  readonly reason: VerdictReason;
  /** Who holds what the command wanted to change; null where nobody does. */
  readonly rival: Rival | null;
  /** When the rival's lease ends. */
  readonly leaseUntil: Date | undefined;
  /** When the same command may get through, if Weft can tell. */
  readonly retryAt: Date | undefined;

  constructor(body: ConflictBody, retryAfterSeconds: number | undefined) {
    super(409, body.code, body.detail, retryAfterSeconds);
    this.reason = body.reason;
    this.rival = body.rival ?? null;
    this.leaseUntil = body.lease_until ? new Date(body.lease_until) : undefined;
    this.retryAt = retryAfterSeconds === undefined ? this.leaseUntil : new Date(Date.now() + retryAfterSeconds * 1000);
  }
}

/** Another caller holds the parameter, or one of its group (`held_by_other`, `held_in_group`). */
export class CommandHeld extends CommandConflict {
  static override readonly kind: string = 'CommandHeld';
  override name = 'CommandHeld';
  declare readonly rival: Rival;
  declare readonly leaseUntil: Date;
}

/** The parameter was changed by another caller a moment ago (`too_soon`). */
export class CommandTooSoon extends CommandConflict {
  static override readonly kind: string = 'CommandTooSoon';
  override name = 'CommandTooSoon';
}

/** Callers changed it back and forth, and nobody may for a while (`frozen`). */
export class CommandFrozen extends CommandConflict {
  static override readonly kind: string = 'CommandFrozen';
  override name = 'CommandFrozen';
}

/** The app would interrupt too many access points at once (`blast_radius`). */
export class BlastRadiusExceeded extends CommandConflict {
  static override readonly kind: string = 'BlastRadiusExceeded';
  override name = 'BlastRadiusExceeded';
}

function classOf({ reason, rival, lease_until }: ConflictBody): typeof CommandConflict {
  if (reason === 'too_soon') return CommandTooSoon;
  if (reason === 'frozen') return CommandFrozen;
  if (reason === 'blast_radius') return BlastRadiusExceeded;
  return rival && lease_until ? CommandHeld : CommandConflict;
}

interface ConflictBody {
  code: string;
  detail: string;
  reason: VerdictReason;
  rival: Rival | null;
  lease_until: string | null;
}

/** Undefined if the answer is a refusal of another kind. */
export function toConflict(
  status: number,
  text: string,
  retryAfter: string | null | undefined,
): CommandConflict | undefined {
  if (status !== 409) return undefined;
  const body = parseObject(text) as ConflictBody | undefined;
  return body?.code === 'command_conflict' ? new (classOf(body))(body, toSeconds(retryAfter)) : undefined;
}
