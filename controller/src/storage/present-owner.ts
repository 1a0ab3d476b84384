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
  return `SELECT id FROM ${records[kind]}${dialect === 'postgres' ? ' FOR SHARE' : ''}`;
}

/** Throws AuthenticationError unless the caller is there; in a transaction it then stays so until the end. */
export async function requirePresentOwner(
  tx: SqlQueries,
  dialect: SqlDatabase['dialect'],
  { owner_kind, owner_id }: { owner_kind: keyof typeof records; owner_id: string },
): Promise<void> {
  const rows = await tx.query(presentOwner(owner_kind, dialect), [owner_id]);
  if (rows.length === 0) throw ownerGone();
}

/** As for a token of somebody who is no more, which is what it was asked with. */
export function ownerGone(): AuthenticationError {
  return new AuthenticationError('invalid_token', 'Could not validate credentials');
}
