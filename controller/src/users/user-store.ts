// User records. Usernames arrive here already in their one spelling (lower case).
import type { InSameTransaction } from '../storage/sql-database.ts';

export interface UserRecord {
  id: string;
  username: string;
  password_hash: string;
  /** In the order given, without repeats; `admin` and `user` are the only values. */
  roles: string[];
  /** Random; renewed whenever the password or the roles change. Tokens carry it. */
  ver: string;
  created_at: number;
}

export type UserChange = Partial<Pick<UserRecord, 'password_hash' | 'roles' | 'ver'>>;

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
   * Throws ConflictError `last_administrator` rather than take the last administrator's role, whatever runs beside it.
   */
  update(username: string, change: UserChange, also?: InSameTransaction<UserRecord>): Promise<UserRecord | undefined>;
  /**
   * Resolves whether there was one to remove; its reset tokens go with it.
   * Throws ConflictError `last_administrator` rather than remove the last administrator.
   */
  remove(username: string, also?: InSameTransaction<UserRecord>): Promise<boolean>;
}
