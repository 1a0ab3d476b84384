// Which states of agents were told as events last.
import { endedAmong } from '../../base/storage/ended-agents.ts';
import type { SqlQueries, SqlRow, SqlValue } from '../../base/storage/sql-database.ts';
import { runList, runRows } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';

export interface ToldState {
  ap_id: string;
  state: string | null;
  power: string | null;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class AgentStateStore extends SqlStore {
  async list(): Promise<ToldState[]> {
    return this.db.query<ToldState & SqlRow>('SELECT ap_id, state, power FROM agent_states');
  }

  /** Those of these agents that are known, in the caller's transaction. */
  async find(tx: SqlQueries, ap_ids: readonly string[]): Promise<ToldState[]> {
    return runList<ToldState & SqlRow>(
      tx,
      'SELECT ap_id, state, power FROM agent_states WHERE ap_id IN ({{list}})',
      ap_ids,
    );
  }

  /** In the caller's transaction; what an agent's row says about the other field stays. */
  async setStates(tx: SqlQueries, states: ReadonlyMap<string, string>, nowMs: number): Promise<void> {
    await set(tx, 'state', states, nowMs);
  }

  async setPowers(tx: SqlQueries, powers: ReadonlyMap<string, string>, nowMs: number): Promise<void> {
    await set(tx, 'power', powers, nowMs);
  }

  async remove(ap_ids: readonly string[]): Promise<void> {
    await runList(this.db, 'DELETE FROM agent_states WHERE ap_id IN ({{list}})', ap_ids);
  }

  /** Those of these that are emulated and whose run is over. */
  async endedAmong(ap_ids: readonly string[]): Promise<Set<string>> {
    return endedAmong(this.db, ap_ids);
  }
}

async function set(
  tx: SqlQueries,
  column: 'state' | 'power',
  values: ReadonlyMap<string, string>,
  nowMs: number,
): Promise<void> {
  // In one order, so that transactions side by side do not wait for one another.
  const rows = [...values]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([ap_id, value]): SqlValue[] => [ap_id, value, nowMs]);
  await runRows(
    tx,
    `INSERT INTO agent_states (ap_id, ${column}, changed_at) VALUES {{rows}}
     ON CONFLICT (ap_id) DO UPDATE SET ${column} = excluded.${column}, changed_at = excluded.changed_at`,
    rows,
  );
}
