// User records. Usernames are already normalised (lower case).
import type { Grant } from '@weft/contract';
import type { InSameTransaction, SqlQueries } from '../storage/sql-database.ts';

export interface UserRecord {
  id: string;
  username: string;
  password_hash: string;
  /** In the given order, without duplicates; `admin` and `user` are the only values. */
  roles: string[];
  /** What the user may do where; empty: read everything. Means nothing for administrators. */
  grants: readonly Grant[];
  /** Random; changes whenever the password or the roles change, or the user is disabled. Tokens carry it. */
  ver: string;
  created_at: number;
  /** When and by whom the user was disabled; both null while it is enabled. */
  disabled_at: number | null;
  disabled_by: string | null;
  /** Since when the account waits for an administrator; null once it is approved, and for most from the beginning. */
  waiting_since: number | null;
}

export type UserChange = Partial<Pick<UserRecord, 'password_hash' | 'roles' | 'grants' | 'ver'>>;

export interface Disabling {
  disabled_at: number;
  disabled_by: string;
  ver: string;
}

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export interface UserStore {
  /** The record, or undefined. */
  get(username: string): Promise<UserRecord | undefined>;
  /** Those of these ids that exist, in the caller's transaction. */
  byIds(tx: SqlQueries, ids: readonly string[]): Promise<UserRecord[]>;
  /** All users, ordered by username. */
  list(): Promise<UserRecord[]>;
  count(): Promise<number>;
  /** Durable when it resolves. Throws ConflictError `user_exists` if the username is taken. */
  create(user: UserRecord, also?: InSameTransaction<UserRecord>): Promise<void>;
  /**
   * Creates the first administrator. Of any number of calls, on any number of nodes, exactly one resolves true;
   * the others resolve false and change nothing. Throws ConflictError `user_exists` if the username is taken.
   */
  createFirstAdmin(user: UserRecord, also?: InSameTransaction<UserRecord>): Promise<boolean>;
  /** True once the first administrator was created. */
  hasAdmin(): Promise<boolean>;
  /**
   * Resolves the updated record, or undefined if there is none. A new password invalidates open reset tokens.
   * Throws ConflictError `last_administrator` instead of demoting the last enabled administrator,
   * whatever runs concurrently.
   */
  update(username: string, change: UserChange, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined>;
  /**
   * Resolves whether it existed; its reset tokens are deleted too.
   * Throws ConflictError `last_administrator` instead of deleting the last enabled administrator.
   */
  remove(username: string, also?: InSameTransaction<UserRecord>): Promise<boolean>;
  /** The users who wait for approval, those that wait longest first. */
  listWaiting(): Promise<UserRecord[]>;
  countWaiting(): Promise<number>;
  /**
   * Resolves the updated record, or undefined if there is none. A user who does not wait is not changed, and `also` does
   * not run.
   */
  approve(username: string, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined>;
  /** Removes a user who waits; resolves whether there was one. */
  removeWaiting(username: string, also?: InSameTransaction<UserRecord>): Promise<boolean>;
  /** The disabled users, ordered by username. */
  listDisabled(): Promise<UserRecord[]>;
  /**
   * Resolves the updated record, or undefined if there is none. Open reset tokens become invalid permanently. A user who
   * is already disabled is not changed, and `also` does not run.
   * Throws ConflictError `last_administrator` instead of disabling the last enabled administrator.
   */
  disable(
    username: string,
    disabling: Disabling,
    also?: InSameTransaction<UserRecord>,
  ): Promise<UserRecord | undefined>;
  /** The reverse; nothing else in the record changes. */
  enable(username: string, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined>;
}
