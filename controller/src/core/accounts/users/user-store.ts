// User records. Usernames are already normalised (lower case).
// The guarantees about administrators rely on the one row of `administration`: it is created with the first
// administrator, and every transaction that may remove one updates it first, so that they are serialised. A
// disabled or waiting administrator does not count.
import { ConflictError } from '../../base/errors.ts';
import type { InSameTransaction, SqlQueries } from '../../base/storage/sql-database.ts';
import { ifTaken, SqlStore } from '../../base/storage/sql-store.ts';
import { type Disabling, insertUser, isAdmin, type UserChange, type UserRecord, userTable } from './user-record.ts';

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export class UserStore extends SqlStore {
  /** The record, or undefined. */
  async get(username: string): Promise<UserRecord | undefined> {
    return userTable.get(this.db, 'WHERE username = ?', [username]);
  }

  /** Those of these ids that exist, in the caller's transaction. */
  async byIds(tx: SqlQueries, refs: readonly { id: string }[]): Promise<UserRecord[]> {
    return userTable.byIds(
      tx,
      refs.map(({ id }) => id),
    );
  }

  /** All users, ordered by username. */
  async list(): Promise<UserRecord[]> {
    return userTable.list(this.db, 'ORDER BY username');
  }

  async count(): Promise<number> {
    return this.countRows('users');
  }

  /** Durable when it resolves. Throws ConflictError `user_exists` if the username is taken. */
  async create(user: UserRecord, also?: InSameTransaction<UserRecord>): Promise<void> {
    await this.db
      .transaction(async (tx) => {
        if (isAdmin(user.roles)) await establishAdministration(tx, user.created_at);
        await insertUser(tx, user);
        await also?.(tx, { after: user });
      })
      .catch(throwUserExists);
  }

  /**
   * Creates the first administrator. Of any number of calls, on any number of nodes, exactly one resolves true;
   * the others resolve false and change nothing. Throws ConflictError `user_exists` if the username is taken.
   */
  async createFirstAdmin(user: UserRecord, also?: InSameTransaction<UserRecord>): Promise<boolean> {
    return this.db
      .transaction(async (tx) => {
        if (!(await establishAdministration(tx, user.created_at))) return false;
        await insertUser(tx, user);
        await also?.(tx, { after: user });
        return true;
      })
      .catch(throwUserExists);
  }

  /** True once the first administrator was created. */
  async hasAdmin(): Promise<boolean> {
    const rows = await this.db.query('SELECT id FROM administration WHERE id = 1');
    return rows.length === 1;
  }

  /**
   * Resolves the updated record, or undefined if there is none. A new password invalidates open reset tokens.
   * Throws ConflictError `last_administrator` instead of demoting the last enabled administrator,
   * whatever runs concurrently.
   */
  async update(
    username: string,
    change: UserChange,
    also?: InSameTransaction<UserRecord>,
  ): Promise<UserRecord | undefined> {
    const { password_hash, roles, grants, ver } = change;
    const is_admin = roles && isAdmin(roles);
    return this.db.transaction(async (tx) => {
      if (is_admin === false) await lockAdministration(tx);
      const before = await lockUserRow(tx, username);
      if (before === undefined) return undefined;
      const columns = { password_hash, roles, is_admin, grants, ver };
      const after = await userTable.change(tx, columns, 'WHERE username = ?', [username]);
      if (after === undefined) return undefined;
      if (password_hash !== undefined) await endResetTokens(tx, after.id);
      if (is_admin === true) await establishAdministration(tx, Date.now());
      if (is_admin === false) await assertAdminRemains(tx);
      await also?.(tx, { before, after });
      return after;
    });
  }

  /**
   * Resolves whether it existed; its reset tokens are deleted too.
   * Throws ConflictError `last_administrator` instead of deleting the last enabled administrator.
   */
  async remove(username: string, also?: InSameTransaction<UserRecord>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      await lockAdministration(tx);
      const [before] = await userTable.remove(tx, 'WHERE username = ?', [username]);
      if (before === undefined) return false;
      await assertAdminRemains(tx);
      await also?.(tx, { before });
      return true;
    });
  }

  /** The users who wait for approval, those that wait longest first. */
  async listWaiting(): Promise<UserRecord[]> {
    return userTable.list(this.db, 'WHERE waiting_since IS NOT NULL ORDER BY waiting_since, username');
  }

  async countWaiting(): Promise<number> {
    return this.countRows('users WHERE waiting_since IS NOT NULL');
  }

  /**
   * Resolves the updated record, or undefined if there is none. A user who does not wait is not changed, and `also` does
   * not run.
   */
  async approve(username: string, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined> {
    return this.db.transaction(async (tx) => {
      const before = await lockUserRow(tx, username);
      if (before === undefined || before.waiting_since === null) return before;
      const after = await userTable.update(tx, 'waiting_since = NULL WHERE username = ?', [username]);
      await also?.(tx, { before, after: after! });
      return after;
    });
  }

  /** Removes a user who waits; resolves whether there was one. */
  async removeWaiting(username: string, also?: InSameTransaction<UserRecord>): Promise<boolean> {
    return this.removeRecord(userTable, 'WHERE username = ? AND waiting_since IS NOT NULL', [username], also);
  }

  /** The disabled users, ordered by username. */
  async listDisabled(): Promise<UserRecord[]> {
    return userTable.list(this.db, 'WHERE disabled_at IS NOT NULL ORDER BY username');
  }

  /**
   * Resolves the updated record, or undefined if there is none. Open reset tokens become invalid permanently. A user who
   * is already disabled is not changed, and `also` does not run.
   * Throws ConflictError `last_administrator` instead of disabling the last enabled administrator.
   */
  async disable(
    username: string,
    { disabled_at, disabled_by, ver }: Disabling,
    also?: InSameTransaction<UserRecord>,
  ): Promise<UserRecord | undefined> {
    return this.db.transaction(async (tx) => {
      await lockAdministration(tx);
      const before = await lockUserRow(tx, username);
      if (before === undefined || before.disabled_at !== null) return before;
      const after = await userTable.change(tx, { disabled_at, disabled_by, ver }, 'WHERE username = ?', [username]);
      await endResetTokens(tx, before.id);
      await assertAdminRemains(tx);
      await also?.(tx, { before, after: after! });
      return after;
    });
  }

  /** The reverse; nothing else in the record changes. */
  async enable(username: string, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined> {
    return this.db.transaction(async (tx) => {
      const before = await lockUserRow(tx, username);
      if (before === undefined || before.disabled_at === null) return before;
      const isEnabled = { disabled_at: null, disabled_by: null };
      const after = await userTable.change(tx, isEnabled, 'WHERE username = ?', [username]);
      await also?.(tx, { before, after: after! });
      return after;
    });
  }
}

/** An update instead of a select, because it locks the row until the end of the transaction on both databases. */
async function lockUserRow(tx: SqlQueries, username: string): Promise<UserRecord | undefined> {
  return userTable.update(tx, 'ver = ver WHERE username = ?', [username]);
}

async function endResetTokens(tx: SqlQueries, userId: string): Promise<void> {
  await tx.query('UPDATE reset_tokens SET is_usable = 0 WHERE user_id = ?', [userId]);
}

/** Resolves whether this was the first time. Waits for a concurrent transaction that does the same. */
async function establishAdministration(tx: SqlQueries, now: number): Promise<boolean> {
  const rows = await tx.query(
    'INSERT INTO administration (id, established_at) VALUES (1, ?) ON CONFLICT DO NOTHING RETURNING id',
    [now],
  );
  return rows.length === 1;
}

/** On PostgreSQL the lock on this row lasts until the transaction ends; the next one then sees its result. */
async function lockAdministration(tx: SqlQueries): Promise<void> {
  await tx.query('UPDATE administration SET established_at = established_at WHERE id = 1');
}

/** Checked after the change: if there was an administrator before and there is none now, this transaction removed the last. */
async function assertAdminRemains(tx: SqlQueries): Promise<void> {
  const orphaned = await tx.query(
    `SELECT id FROM administration
     WHERE NOT EXISTS (SELECT 1 FROM users WHERE is_admin = 1 AND disabled_at IS NULL AND waiting_since IS NULL)`,
  );
  if (orphaned.length > 0)
    throw new ConflictError('last_administrator', 'The last administrator cannot be disabled, demoted or deleted');
}

const throwUserExists = ifTaken(() => new ConflictError('user_exists', 'A user with this username exists'));
