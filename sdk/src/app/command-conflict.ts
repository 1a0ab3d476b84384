// A command lost against what somebody else holds: who that is, and when it is worth coming back.
import type { Rival, VerdictReason } from '@weft/contract';
import { toSeconds, WeftRefusal } from '../weft-refusal.ts';

/**
 * Thrown by `App.command` when Weft decides against the command (409). Nothing was sent to the access point.
 *
 * ```ts
 * const rival = new App({ url, name: 'coverer', key });
 * await app.command('ap-1', 'set_tx_power', { dbm: 12 }, { holdSeconds: 60 });
 * try {
 *   await rival.command('ap-1', 'set_tx_power', { dbm: 20 });
 * } catch (error) {
 *   if (!(error instanceof CommandConflict)) throw error;
 *   console.log(`${error.rival?.caller_name} holds it until ${error.leaseUntil?.toISOString()}`);
 * }
 * ```
 */
export class CommandConflict extends WeftRefusal {
  override name = 'CommandConflict';
  /** `held_by_other`, `too_soon`, `frozen` and so on. */
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
  try {
    const body = JSON.parse(text);
    return body.code === 'command_conflict' ? new CommandConflict(body, toSeconds(retryAfter)) : undefined;
  } catch {
    return undefined;
  }
}
