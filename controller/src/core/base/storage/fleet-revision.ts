// The revision of agents and sites: each transaction that changes some raises it, so that nodes which keep them in memory
// read what has changed and nothing else. The row stays locked until the transaction ends: revisions are visible in order.
import type { SqlQueries } from './sql-database.ts';

/** How many revisions back removals are remembered. */
export const rememberedRevisions = 50_000;
const forgetEvery = 1_000;

/**
 * Returns the new revision, for the rows that the transaction changes. Must be the first statement about agents or sites: it
 * lets only one such transaction go on, so that none of them has to lock rows.
 */
export async function raiseRevision(tx: SqlQueries, what: 'agents' | 'sites' = 'agents'): Promise<number> {
  const sites = what === 'sites' ? ', sites = revision + 1' : '';
  const [row] = await tx.query<{ revision: number }>(
    `UPDATE fleet_revision SET revision = revision + 1${sites} WHERE id = 1 RETURNING revision`,
  );
  return row!.revision;
}

/** Notes which agents a transaction has removed, and forgets removals of long ago. */
export async function noteRemoved(tx: SqlQueries, revision: number, ap_id: string): Promise<void> {
  await tx.query('INSERT INTO removed_agents (revision, ap_id) VALUES (?, ?)', [revision, ap_id]);
  if (revision % forgetEvery !== 0) return;
  await tx.query('DELETE FROM removed_agents WHERE revision <= ?', [revision - rememberedRevisions]);
  await tx.query('UPDATE fleet_revision SET forgotten = ? WHERE id = 1 AND forgotten < ?', [
    revision - rememberedRevisions,
    revision - rememberedRevisions,
  ]);
}

/** Nobody has changed an agent or a site while this stays the same. */
export async function readRevision(db: SqlQueries): Promise<number> {
  const [row] = await db.query<{ revision: number }>('SELECT revision FROM fleet_revision WHERE id = 1');
  return row!.revision;
}
