// Agent records: one per access point, real or emulated.
import { ConflictError } from '../errors.ts';
import type { InSameTransaction, SqlQueries } from '../storage/sql-database.ts';
import type { VisibleAgent } from './agent-visibility.ts';

export interface AgentRecord {
  id: string;
  ap_id: string;
  password_hash: string;
  configuration: Record<string, unknown>;
  /** False until the agent's first successful login. */
  onboard: boolean;
  /** The id of the caller that created the emulated network; null for a real agent. No caller can write it. */
  emulated_for: string | null;
  ver: string;
  created_at: number;
  /** What people read instead of the ap_id. This and the next two are the administrators'; an agent cannot change them. */
  display_name: string | null;
  /** The path of its site. */
  site: string | null;
  /** Each once, ordered. */
  tags: string[];
}

export type AgentLabels = Pick<AgentRecord, 'display_name' | 'site' | 'tags'>;

export const noLabels: Readonly<AgentLabels> = { display_name: null, site: null, tags: [] };

/** What `changeLabels` throws for a site that does not exist. */
export class UnknownSite extends Error {
  override name = 'UnknownSite';
}

/** The prefix of a stored generated password, followed by its SHA-256. */
export const generatedHashPrefix = 'sha256:';
/** Matches no password. */
export const revokedHash = `${generatedHashPrefix}revoked`;

/** What `create` throws if the ap_id is taken. */
export function agentExists(): ConflictError {
  return new ConflictError('agent_exists', 'An agent with this ap_id exists');
}

export type AgentChange = Partial<Pick<AgentRecord, 'password_hash' | 'configuration' | 'onboard' | 'ver'>>;

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export interface AgentStore {
  /** The record, or undefined. */
  get(ap_id: string): Promise<AgentRecord | undefined>;
  /** Those of these ids that exist, in the caller's transaction. */
  byIds(tx: SqlQueries, ids: readonly string[]): Promise<AgentRecord[]>;
  /** All agents, ordered by ap_id. */
  list(): Promise<AgentRecord[]>;
  /**
   * Up to `limit` agents whose ap_id comes after this one, in the order of `list`. To iterate over all of them in bounded
   * memory, begin after '' and continue after the last one until the result is empty.
   */
  page(afterApId: string, limit: number): Promise<AgentRecord[]>;
  count(): Promise<number>;
  /** Every change of an agent raises it, on any node; so do changes of sites. */
  revision(): Promise<number>;
  /** What decides who may see and command these agents, of those that exist; in the caller's transaction, if one is given. */
  visible(ap_ids: readonly string[], tx?: SqlQueries): Promise<VisibleAgent[]>;
  /** Durable when it resolves. Throws ConflictError `agent_exists` if the ap_id is taken. */
  create(agent: AgentRecord, also?: InSameTransaction<AgentRecord>): Promise<void>;
  /** The same for many agents, in the caller's transaction. Throws UniqueViolation for a name that is taken. */
  createAll(tx: SqlQueries, agents: readonly AgentRecord[]): Promise<void>;
  /**
   * The same, and each gets a display name of its own: its stem and the next number that no agent has with it. There are as
   * many stems as agents.
   */
  createNamed(tx: SqlQueries, agents: readonly AgentRecord[], stems: readonly string[]): Promise<void>;
  /** Revokes the credentials and tokens of these agents, in the caller's transaction; resolves those that exist. */
  revokeAll(tx: SqlQueries, ap_ids: readonly string[], ver: string): Promise<Pick<AgentRecord, 'id' | 'ap_id'>[]>;
  /** Resolves the updated record, or undefined if there is none. */
  update(ap_id: string, change: AgentChange, also?: InSameTransaction<AgentRecord>): Promise<AgentRecord | undefined>;
  /**
   * Replaces the configuration by the result of `change`, atomically. Resolves as `update` does;
   * what `change` throws is thrown, and then nothing was changed.
   */
  changeConfiguration(
    ap_id: string,
    change: (record: AgentRecord) => Record<string, unknown>,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined>;
  /**
   * Replaces the labels by the result of `change`, atomically. Resolves as `update` does; `also` runs only if they differ. What
   * `change` throws is thrown, UnknownSite for a path without a site, and then nothing was changed.
   */
  changeLabels(
    ap_id: string,
    change: (record: AgentRecord) => AgentLabels,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined>;
  /** Resolves whether it existed. */
  remove(ap_id: string, also?: InSameTransaction<AgentRecord>): Promise<boolean>;
}
