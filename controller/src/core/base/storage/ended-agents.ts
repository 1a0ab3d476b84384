// Agents whose emulated network has ended: they stay for a while, to be looked at, and count nowhere. Whatever is written about
// an agent asks here, inside of its own transaction, whether there is still something to say about it.
import type { Actor } from '../caller.ts';
import type { SqlDatabase, SqlQueries } from './sql-database.ts';
import { runList } from './sql-rows.ts';

/** Matches no password: it stands where the credentials of an agent were revoked. */
export const revokedHash = 'sha256:revoked';

/** A condition on rows of `agents`: the end of a network revokes the credentials of its agents. */
export const ENDED = `(agents.emulated_for IS NOT NULL AND agents.password_hash = '${revokedHash}')`;

/** An emulated network that ends, with its agents that were not removed before. */
export interface EndingNetwork {
  job_number: string;
  agents: readonly { id: string; ap_id: string }[];
  by: Actor;
  /** How it ended, or what happened to its owner; and that in words, for whoever had something open there. */
  reason: string;
  detail: string;
}

/** What events say of whatever ends with a network. */
export const endedWithNetwork = 'its emulated network has ended';

/**
 * Those of these agents whose network has ended. With a dialect, in a transaction: the networks of the others do not end before the
 * transaction does. Call it before anything else is locked: the end of a network locks its agents first.
 */
export async function endedAmong(
  tx: SqlQueries,
  ap_ids: readonly string[],
  dialect: SqlDatabase['dialect'] = 'sqlite',
): Promise<Set<string>> {
  const lock = dialect === 'postgres' ? ' ORDER BY ap_id FOR SHARE' : '';
  const sql = `SELECT ap_id, password_hash FROM agents WHERE emulated_for IS NOT NULL AND ap_id IN ({{list}})${lock}`;
  const rows = await runList<{ ap_id: string; password_hash: string }>(tx, sql, [...new Set(ap_ids)].sort());
  return new Set(rows.flatMap(({ ap_id, password_hash }) => (password_hash === revokedHash ? [ap_id] : [])));
}
