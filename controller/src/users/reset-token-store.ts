// Password recovery: waiting requests, and the one-time tokens that are issued for them. Only the SHA-256 of tokens
// is stored.
import type { InSameTransaction } from '../storage/sql-database.ts';

export interface RecoveryRequest {
  id: string;
  username: string;
  requested_at: number;
  attempts: number;
}

export interface ResetTokenRecord {
  token_hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
}

export interface ResetTokenStore {
  /** Durable when it resolves. Throws TryLaterError (429) if `maxPending` requests already wait. */
  enqueue(request: RecoveryRequest, maxPending: number): Promise<void>;
  /**
   * Leases up to `limit` unleased requests until `leaseUntil`, oldest first; their `attempts` count
   * this lease. Two callers never lease the same request at the same time.
   */
  claim(now: number, leaseUntil: number, limit: number): Promise<RecoveryRequest[]>;
  /** Deletes a request; idempotent. */
  finish(id: string): Promise<void>;
  /**
   * Stores a token and invalidates all older tokens of that user. If the user was given `maxPerHour` tokens in
   * the hour before `created_at`, or was deleted or disabled, it resolves false and nothing changes.
   */
  create(token: ResetTokenRecord, maxPerHour: number): Promise<boolean>;
  /**
   * Consumes a token and sets the new password hash and `ver` of its user, atomically. Resolves the username, or
   * undefined when the token is unknown, used, replaced or expired at `now`, or its user disabled. Of parallel calls with
   * one token, one wins.
   * `also` runs with the change, see InSameTransaction.
   */
  redeem(
    tokenHash: string,
    now: number,
    change: { password_hash: string; ver: string },
    also?: InSameTransaction<{ id: string; username: string }>,
  ): Promise<string | undefined>;
  /** Revokes a token that was never delivered: it is invalid and does not count towards the hourly limit. */
  discard(tokenHash: string): Promise<void>;
  /** Removes tokens that expired more than an hour before `now`; resolves how many. */
  removeExpired(now: number): Promise<number>;
}
