// What is remembered of the agents' presence across restarts.
import type { PresenceRecord } from './presence.ts';

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface PresenceStore {
  /** All records, ordered by ap_id. */
  list(): Promise<PresenceRecord[]>;
  /** Those that another node has written and that were seen at this time or later. */
  listSince(lastSeenMs: number): Promise<PresenceRecord[]>;
  /**
   * Creates or replaces these records, all of them or none; durable when it resolves. A record that is older than the
   * stored one (another node has heard of the agent since) is left out.
   */
  update(records: readonly PresenceRecord[]): Promise<void>;
  /** Forgets these agents; repeated calls are harmless. */
  remove(ap_ids: readonly string[]): Promise<void>;
}
