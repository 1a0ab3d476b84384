// Password recovery: waiting requests, and the one-time tokens that are issued for them. Only the SHA-256 of tokens
// is stored.
// Used and replaced tokens are kept as rows until long after they expired, because they count
// towards the hourly limit. Every transaction locks the user before a token: one order of locks, no deadlocks.
import { TryLaterError } from '../../base/errors.ts';
import type { InSameTransaction, SqlDatabase, SqlQueries, SqlRow } from '../../base/storage/sql-database.ts';
import { countRows, insertRecord } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';

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

const HOUR_MS = 3_600_000;
// Any number that no other advisory lock uses.
const ENQUEUE_LOCK = 7_305_002;

export class ResetTokenStore extends SqlStore {
  readonly #claimSql: string;

  constructor(db: SqlDatabase) {
    super(db);
    // Two nodes that claim at the same time: on SQLite one waits for the other, on PostgreSQL each takes unclaimed rows.
    const lock = db.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    // Materialized, because PostgreSQL may otherwise run the inner query more than once and take more than the limit.
    this.#claimSql = `WITH free AS MATERIALIZED (
        SELECT id FROM recovery_requests WHERE held_until <= ? ORDER BY requested_at, id LIMIT ? ${lock}
      )
      UPDATE recovery_requests SET held_until = ?, attempts = attempts + 1 WHERE id IN (SELECT id FROM free)
      RETURNING id, username, requested_at, attempts`;
  }

  /** Durable when it resolves. Throws TryLaterError (429) if `maxPending` requests already wait. */
  async enqueue(request: RecoveryRequest, maxPending: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      // Without the lock, two concurrent requests could both take the last place.
      if (this.db.dialect === 'postgres') await tx.query(`SELECT pg_advisory_xact_lock(${ENQUEUE_LOCK}) IS NULL`);
      if ((await countRows(tx, 'recovery_requests')) >= maxPending) {
        throw new TryLaterError(429, 'too_many_recovery_requests', 'Too many recovery requests are waiting', 60);
      }
      const row = { ...request, held_until: 0 };
      await insertRecord(tx, 'recovery_requests', 'id, username, requested_at, attempts, held_until', row);
    });
  }

  /**
   * Leases up to `limit` unleased requests until `leaseUntil`, oldest first; their `attempts` count
   * this lease. Two callers never lease the same request at the same time.
   */
  async claim(now: number, leaseUntil: number, limit: number): Promise<RecoveryRequest[]> {
    const rows = await this.db.query<RecoveryRequest & SqlRow>(this.#claimSql, [now, limit, leaseUntil]);
    const requests = rows.map((row) => ({ ...row }));
    return requests.sort((a, b) => a.requested_at - b.requested_at || (a.id < b.id ? -1 : 1));
  }

  /** Deletes a request; idempotent. */
  async finish(id: string): Promise<void> {
    await this.db.query('DELETE FROM recovery_requests WHERE id = ?', [id]);
  }

  /**
   * Stores a token and invalidates all older tokens of that user. If the user was given `maxPerHour` tokens in
   * the hour before `created_at`, or was deleted or disabled, it resolves false and nothing changes.
   */
  async create(token: ResetTokenRecord, maxPerHour: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      // A user deleted or disabled meanwhile gets no token.
      if (!(await lockUser(tx, token.user_id))) return false;
      const since = [token.user_id, token.created_at - HOUR_MS];
      const recent = await countRows(tx, 'reset_tokens WHERE user_id = ? AND created_at > ?', since);
      if (recent >= maxPerHour) return false;
      await tx.query('UPDATE reset_tokens SET is_usable = 0 WHERE user_id = ?', [token.user_id]);
      const row = { ...token, is_usable: true };
      await insertRecord(tx, 'reset_tokens', 'token_hash, user_id, created_at, expires_at, is_usable', row);
      return true;
    });
  }

  /**
   * Consumes a token and sets the new password hash and `ver` of its user, atomically. Resolves the username, or
   * undefined when the token is unknown, used, replaced or expired at `now`, or its user disabled. Of parallel calls with
   * one token, one wins.
   * `also` runs with the change, see InSameTransaction.
   */
  async redeem(
    tokenHash: string,
    now: number,
    change: { password_hash: string; ver: string },
    also?: InSameTransaction<{ id: string; username: string }>,
  ): Promise<string | undefined> {
    return this.db.transaction(async (tx) => {
      const [owner] = await tx.query<{ user_id: string }>('SELECT user_id FROM reset_tokens WHERE token_hash = ?', [
        tokenHash,
      ]);
      if (owner === undefined || !(await lockUser(tx, owner.user_id))) return undefined;
      const used = await tx.query(
        `UPDATE reset_tokens SET is_usable = 0 WHERE token_hash = ? AND is_usable = 1 AND expires_at > ?
         RETURNING token_hash`,
        [tokenHash, now],
      );
      if (used.length === 0) return undefined;
      const [user] = await tx.query<{ username: string }>(
        'UPDATE users SET password_hash = ?, ver = ? WHERE id = ? RETURNING username',
        [change.password_hash, change.ver, owner.user_id],
      );
      if (user === undefined) return undefined;
      await also?.(tx, { after: { id: owner.user_id, username: user.username } });
      return user.username;
    });
  }

  /** Revokes a token that was never delivered: it is invalid and does not count towards the hourly limit. */
  async discard(tokenHash: string): Promise<void> {
    await this.db.query('DELETE FROM reset_tokens WHERE token_hash = ?', [tokenHash]);
  }

  /** Removes tokens that expired more than an hour before `now`; resolves how many. */
  async removeExpired(now: number): Promise<number> {
    const rows = await this.db.query('DELETE FROM reset_tokens WHERE expires_at < ? RETURNING token_hash', [
      now - HOUR_MS,
    ]);
    return rows.length;
  }
}

/**
 * Locks the user, and resolves whether it exists and is not disabled; until the transaction ends, no other one can change it or
 * its tokens.
 */
async function lockUser(tx: SqlQueries, userId: string): Promise<boolean> {
  const rows = await tx.query('UPDATE users SET ver = ver WHERE id = ? AND disabled_at IS NULL RETURNING id', [userId]);
  return rows.length === 1;
}
