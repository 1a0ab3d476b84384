// A user as it is stored, and how a new one is inserted.
import type { Grant } from '@weft/contract';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { insertRecord } from '../../base/storage/sql-rows.ts';
import { RecordTable } from '../../base/storage/sql-store.ts';

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

const COLUMNS = 'id, username, password_hash, roles, grants, ver, created_at, disabled_at, disabled_by, waiting_since';
export const userTable = new RecordTable<UserRecord>('users', COLUMNS, { json: ['roles', 'grants'] });

export async function insertUser(tx: SqlQueries, user: UserRecord): Promise<void> {
  const columns = `${COLUMNS}, is_admin` as const;
  await insertRecord(tx, 'users', columns, { ...user, is_admin: isAdmin(user.roles) });
}

export function isAdmin(roles: readonly string[]): boolean {
  return roles.includes('admin');
}
