// User records. Usernames arrive here already in their one spelling (lower case).
import type { InSameTransaction } from '../storage/sql-database.ts';

export interface UserRecord {
  id: string;
  username: string;
  password_hash: string;
  /** In the order given, without repeats; `admin` and `user` are the only values. */
  roles: string[];
  /** Random; renewed whenever the password or the roles change, or the user is disabled. Tokens carry it. */
  ver: string;
  created_at: number;
  /** Since when the user is disabled, and the name of who did it; both null while it is not. */
  disabled_at: number | null;
  disabled_by: string | null;
}

export type UserChange = Partial<Pick<UserRecord, 'password_hash' | 'roles' | 'ver'>>;

export interface Disabling {
  disabled_at: number;
  disabled_by: string;
  ver: string;
}

/**
 * Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export interface UserStore {
  /** The record, or undefined. */
  get(username: string): Promise<UserRecord | undefined>;
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
  /** True from the first administrator on, for ever. */
  hasAdmin(): Promise<boolean>;
  /**
   * Resolves the record as it is now, or undefined if there is none. A new password makes open reset tokens useless.
   * Throws ConflictError `last_administrator` rather than take the role of the last administrator who is not disabled,
   * whatever runs beside it.
   */
  update(username: string, change: UserChange, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined>;
  /**
   * Resolves whether there was one to remove; its reset tokens go with it.
   * Throws ConflictError `last_administrator` rather than remove the last administrator who is not disabled.
   */
  remove(username: string, also?: InSameTransaction<UserRecord>): Promise<boolean>;
  /** The users who are disabled, ordered by username. */
  listDisabled(): Promise<UserRecord[]>;
  /**
   * Resolves the record as it is now, or undefined if there is none. Open reset tokens become useless, for ever. A user who
   * is disabled already stays as it is, and `also` does not run.
   * Throws ConflictError `last_administrator` rather than disable the last administrator who is not.
   */
  disable(
    username: string,
    disabling: Disabling,
    also?: InSameTransaction<UserRecord>,
  ): Promise<UserRecord | undefined>;
  /** The same the other way round; nothing else about the record changes. */
  enable(username: string, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined>;
}
