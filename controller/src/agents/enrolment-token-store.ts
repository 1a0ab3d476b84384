// Enrolment tokens, with which access points register themselves. Only their SHA-256 is stored.
import type { InSameTransaction } from '../storage/sql-database.ts';
import type { AgentRecord } from './agent-store.ts';

export interface EnrolmentTokenRecord {
  id: string;
  token_hash: string;
  ap_id_pattern: string;
  /** The name of the administrator; the id in tokens of older versions. */
  created_by: string;
  created_at: number;
  expires_at: number;
  max_uses: number;
  uses: number;
  /** The labels of what it registers. A site that is removed meanwhile is null. */
  site: string | null;
  tags: string[];
  /** The id of the user who created it by a grant; null for those of administrators. */
  managed_by: string | null;
}

/** `also` runs with the change, see InSameTransaction. */
export interface EnrolmentTokenStore {
  /** The token with this hash if it can still be used at `now`, else undefined. */
  getUsable(tokenHash: string, now: number): Promise<EnrolmentTokenRecord | undefined>;
  /** All tokens not yet expired at `now`, newest first. */
  list(now: number): Promise<EnrolmentTokenRecord[]>;
  /** How many have not expired at `now`. */
  count(now: number): Promise<number>;
  /** Durable when it resolves. Throws UnknownSite for a site that does not exist. */
  create(token: EnrolmentTokenRecord, also?: InSameTransaction<EnrolmentTokenRecord>): Promise<void>;
  /** Resolves whether it existed. */
  remove(id: string, also?: InSameTransaction<EnrolmentTokenRecord>): Promise<boolean>;
  /**
   * Counts one use and creates the agent, both or neither. Resolves false when the token can no longer be used at
   * `now`. Throws ConflictError `agent_exists` if the ap_id is taken; then no use is counted.
   */
  redeem(tokenHash: string, now: number, agent: AgentRecord, also?: InSameTransaction<AgentRecord>): Promise<boolean>;
  /** Removes tokens expired at `now`; resolves how many. */
  removeExpired(now: number): Promise<number>;
}
