// Password recovery: requests that wait to be worked on, and the one-time tokens that come of them. Tokens are known
// here by their SHA-256 only.
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
  /** Durable when it resolves. Throws TryLaterError (429) when `maxPending` requests wait already. */
  enqueue(request: RecoveryRequest, maxPending: number): Promise<void>;
  /**
   * Takes up to `limit` requests nobody holds, oldest first, and holds them until `leaseUntil`; their `attempts` count
   * this taking. No two callers ever hold the same request at the same time.
   */
  claim(now: number, leaseUntil: number, limit: number): Promise<RecoveryRequest[]>;
  /** Forgets a request; repeated calls are harmless. */
  finish(id: string): Promise<void>;
  /**
   * Stores a token and makes all older tokens of that user useless, unless the user was given `maxPerHour` tokens in
   * the hour before `created_at`, or is gone or disabled: then it resolves false and nothing changes.
   */
  create(token: ResetTokenRecord, maxPerHour: number): Promise<boolean>;
  /**
   * Uses a token up and gives its user the new password hash and `ver`, both or neither. Resolves the username, or
   * undefined when the token is unknown, used, replaced or expired at `now`, or its user disabled. Of parallel calls with
   * one token, one wins.
   * `also` runs with the change, see InSameTransaction.
   */
  redeem(
    tokenHash: string,
    now: number,
    change: { password_hash: string; ver: string },
    also?: InSameTransaction<{ username: string }>,
  ): Promise<string | undefined>;
  /** Takes back a token that never reached its user: it is useless from now on and does not count towards the hour. */
  discard(tokenHash: string): Promise<void>;
  /** Removes tokens that expired more than an hour before `now`; resolves how many. */
  removeExpired(now: number): Promise<number>;
}
