// The condition under which something may be created for a caller: the caller is there and not disabled. With the
// record locked, nobody can end a caller and miss what is created for it at the same time.
import { AuthenticationError } from '../errors.ts';
import type { SqlDatabase, SqlQueries } from './sql-database.ts';

const records = {
  user: 'users WHERE disabled_at IS NULL AND id = ?',
  agent: 'agents WHERE id = ?',
  third_party_app: 'third_party_apps WHERE id = ?',
} as const;

/** A query with one row while the caller is there. On PostgreSQL whoever ends the caller waits for this transaction. */
export function presentOwner(kind: keyof typeof records, dialect: SqlDatabase['dialect']): string {
  return `SELECT id, ver FROM ${records[kind]}${dialect === 'postgres' ? ' FOR SHARE' : ''}`;
}

export interface OwnerKey {
  owner_kind: keyof typeof records;
  owner_id: string;
  /** Of the record when the caller was let in: it changes with the credentials. Undefined: not looked at. */
  owner_ver?: string | undefined;
}

/** Throws AuthenticationError unless the caller is there; in a transaction it then stays so until the end. */
export async function requirePresentOwner(
  tx: SqlQueries,
  dialect: SqlDatabase['dialect'],
  { owner_kind, owner_id, owner_ver }: OwnerKey,
): Promise<void> {
  const [owner] = await tx.query<{ ver: string }>(presentOwner(owner_kind, dialect), [owner_id]);
  if (!owner || (owner_ver !== undefined && owner_ver !== owner.ver)) throw ownerGone();
}

/** As for a token of somebody who is no more, which is what it was asked with. */
export function ownerGone(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Could not validate credentials');
}
