// Agent records: one per access point, real or emulated.
import { ConflictError } from '../errors.ts';
import type { InSameTransaction, SqlQueries } from '../storage/sql-database.ts';

export interface AgentRecord {
  id: string;
  ap_id: string;
  password_hash: string;
  configuration: Record<string, unknown>;
  /** False until the agent's first successful login. */
  onboard: boolean;
  /** The id of the caller an emulated agent was spun up for; null for a real one. No caller can write it. */
  emulated_for: string | null;
  ver: string;
  created_at: number;
}

/** What a password that Weft has made itself is kept as: this, and one SHA-256. */
export const generatedHashPrefix = 'sha256:';
/** Fits no password. */
export const revokedHash = `${generatedHashPrefix}revoked`;

/** What `create` throws if the ap_id is taken. */
export function agentExists(): ConflictError {
  return new ConflictError('agent_exists', 'An agent with this ap_id exists');
}

export type AgentChange = Partial<Pick<AgentRecord, 'password_hash' | 'configuration' | 'onboard' | 'ver'>>;

/**
 * Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export interface AgentStore {
  /** The record, or undefined. */
  get(ap_id: string): Promise<AgentRecord | undefined>;
  /** All agents, ordered by ap_id. */
  list(): Promise<AgentRecord[]>;
  /**
   * Up to `limit` agents whose ap_id comes after this one, in the order of `list`: to walk through all of them in bounded
   * memory, begin after '' and go on after the last one until none comes.
   */
  page(afterApId: string, limit: number): Promise<AgentRecord[]>;
  count(): Promise<number>;
  /** Durable when it resolves. Throws ConflictError `agent_exists` if the ap_id is taken. */
  create(agent: AgentRecord, also?: InSameTransaction<AgentRecord>): Promise<void>;
  /** The same for many inside the caller's transaction: they stand or fall with it. Throws UniqueViolation for a name. */
  createAll(tx: SqlQueries, agents: readonly AgentRecord[]): Promise<void>;
  /** Makes what these agents log in with, and the tokens they have, useless, inside the caller's transaction. */
  revokeAll(tx: SqlQueries, ap_ids: readonly string[], ver: string): Promise<void>;
  /** Resolves the record as it is now, or undefined if there is none. */
  update(ap_id: string, change: AgentChange, also?: InSameTransaction<AgentRecord>): Promise<AgentRecord | undefined>;
  /**
   * Replaces the configuration by what `change` makes of it, and nothing gets in between. Resolves as `update` does;
   * what `change` throws is thrown, and then nothing was changed.
   */
  changeConfiguration(
    ap_id: string,
    change: (record: AgentRecord) => Record<string, unknown>,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined>;
  /** Resolves whether there was one to remove. */
  remove(ap_id: string, also?: InSameTransaction<AgentRecord>): Promise<boolean>;
}
