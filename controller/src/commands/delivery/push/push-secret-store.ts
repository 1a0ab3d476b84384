// The secrets of agents that commands are pushed to: at most one an agent.
import type { InSameTransaction } from '../../../storage/sql-database.ts';

export interface PushSecretRecord {
  ap_id: string;
  /** The record that it was minted for: an agent that gets the name later must not inherit it. */
  agent_id: string;
  secret_encrypted: string;
  created_at: number;
}

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface PushSecretStore {
  /** The record, or undefined. */
  get(ap_id: string): Promise<PushSecretRecord | undefined>;
  /** All of them, ordered by ap_id. */
  list(): Promise<PushSecretRecord[]>;
  /** Durable when it resolves; takes the place of an earlier one. `also` runs with it, see InSameTransaction. */
  put(record: PushSecretRecord, also?: InSameTransaction<PushSecretRecord>): Promise<void>;
  /** Replaces the ciphertext if it is still `before`. */
  reencrypt(ap_id: string, before: string, after: string): Promise<void>;
  /** Removing what is not there changes nothing. */
  remove(ap_id: string): Promise<void>;
  /**
   * Resolves whether this node may push to the agent until then: false while another node may, or without a secret. A
   * node that may already is given more time.
   */
  claim(ap_id: string, node: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Ends what `claim` gave to this node; else changes nothing. */
  release(ap_id: string, node: string): Promise<void>;
}
