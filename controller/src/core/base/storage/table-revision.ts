// Revisions of the tables that nodes keep in memory (replica.ts): each transaction that changes such a table raises the one
// in its head, so that nodes read what has changed and nothing else. The head stays locked until the transaction ends:
// revisions become visible in order.
import type { SqlQueries } from './sql-database.ts';

/** A table of one row, whose column is the revision of one or of several tables. */
export interface RevisionHead<Also extends string = never> {
  table: string;
  column: string;
  /** Columns that have the revision of the last change of some of the tables. */
  also?: readonly Also[];
}

export const fleetHead: RevisionHead<'sites'> = { table: 'fleet_revision', column: 'revision', also: ['sites'] };
/** How many revisions back removals are remembered. */
const rememberedRevisions = 50_000;
const forgetEvery = 1_000;
/** The heads that a transaction has raised. */
const raised = new WeakMap<SqlQueries, Set<string>>();

/**
 * Returns the new revision, for the rows that the transaction changes. Must be the first statement about these tables: it
 * lets only one such transaction go on, so that none of them has to lock rows.
 */
export async function raiseRevision<Also extends string>(
  tx: SqlQueries,
  { table, column }: RevisionHead<Also>,
  ...also: Also[]
): Promise<number> {
  raised.set(tx, (raised.get(tx) ?? new Set()).add(table));
  const sets = [column, ...also].map((each) => `${each} = ${column} + 1`).join(', ');
  const [row] = await tx.query<{ revision: number }>(
    `UPDATE ${table} SET ${sets} WHERE id = 1 RETURNING ${column} AS revision`,
  );
  return row!.revision;
}

/** Whether the transaction has changed a table of this head: what it reads there may never become true. */
export const hasRaised = (tx: SqlQueries, table: string) => raised.get(tx)?.has(table) === true;

/** Removals up to this revision are forgotten: who knows only older ones reads everything again. */
export async function noteForgotten(tx: SqlQueries, { table }: RevisionHead<string>, revision: number): Promise<void> {
  await tx.query(`UPDATE ${table} SET forgotten = ? WHERE id = 1 AND forgotten < ?`, [revision, revision]);
}

/** Notes which agents a transaction has removed, and forgets removals of long ago. */
export async function noteRemoved(tx: SqlQueries, revision: number, ap_id: string): Promise<void> {
  await tx.query('INSERT INTO removed_agents (revision, ap_id) VALUES (?, ?)', [revision, ap_id]);
  if (revision % forgetEvery !== 0) return;
  await tx.query('DELETE FROM removed_agents WHERE revision <= ?', [revision - rememberedRevisions]);
  await noteForgotten(tx, fleetHead, revision - rememberedRevisions);
}

/** Nobody has changed a table of this head while this stays the same. */
export async function readRevision(db: SqlQueries, { table, column }: RevisionHead<string>): Promise<number> {
  const [row] = await db.query<{ revision: number }>(`SELECT ${column} AS revision FROM ${table} WHERE id = 1`);
  return row!.revision;
}
