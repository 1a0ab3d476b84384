// Which states of agents were told as events last.
import type { SqlQueries } from '../../storage/sql-database.ts';

export interface ToldState {
  ap_id: string;
  state: string | null;
  power: string | null;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface AgentStateStore {
  list(): Promise<ToldState[]>;
  /** Those of these agents that are known, in the caller's transaction. */
  find(tx: SqlQueries, ap_ids: readonly string[]): Promise<ToldState[]>;
  /** In the caller's transaction; what an agent's row says about the other field stays. */
  setStates(tx: SqlQueries, states: ReadonlyMap<string, string>, nowMs: number): Promise<void>;
  setPowers(tx: SqlQueries, powers: ReadonlyMap<string, string>, nowMs: number): Promise<void>;
  remove(ap_ids: readonly string[]): Promise<void>;
  /** Emulated agents whose run is over. */
  listEnded(): Promise<string[]>;
}
