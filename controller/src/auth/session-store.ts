// Sessions: what users have logged in to, and the ids of all sessions (of users, agents and apps) that were ended before
// their tokens expire. A session is a login and the tokens that it was renewed with.
import type { InSameTransaction, SqlQueries } from '../storage/sql-database.ts';

export interface SessionRecord {
  id: string;
  user_id: string;
  /** The user's; once the user has another one, the session has ended. */
  ver: string;
  created_at: number;
  renewed_at: number;
  /** When its newest token expires. */
  expires_at: number;
  /** Until then it can be renewed. */
  ends_at: number;
  address: string;
  client: string;
}

export type Renewal = Pick<SessionRecord, 'renewed_at' | 'expires_at' | 'address' | 'client'>;

export interface EndedSession {
  id: string;
  /** When it was ended, by the clock of the node that did it. */
  ended_at: number;
  /** From then on its tokens are refused anyway. */
  expires_at: number;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface SessionStore {
  /**
   * Durable when it resolves. If the user has more than `max` sessions then, those that were renewed longest ago are ended;
   * resolves them. Creates nothing if the user does not exist any more.
   */
  create(session: SessionRecord, max: number): Promise<EndedSession[]>;
  /** The sessions of the user with that `ver` that have not expired, newest first. */
  list(user: { id: string; ver: string }, now: number): Promise<SessionRecord[]>;
  /** Resolves the updated record, or undefined if there is none with that `ver`. */
  renew(id: string, ver: string, renewal: Renewal): Promise<SessionRecord | undefined>;
  /** Changes `ends_at` of a session of the user; resolves the record, or undefined if there is none. */
  extend(
    id: string,
    userId: string,
    ends_at: number,
    also?: InSameTransaction<SessionRecord>,
  ): Promise<SessionRecord | undefined>;
  /** Durable when it resolves; repeated, it resolves false and changes nothing, and `also` does not run. */
  end(ended: EndedSession, also?: InSameTransaction<SessionRecord>): Promise<boolean>;
  /** In a transaction that gives the user another `ver`: this session of the user gets it too, the others end. */
  keepOnly(tx: SqlQueries, session: { id: string; user_id: string; ver: string; expires_at: number }): Promise<void>;
  /** Those that were ended from that moment on and whose tokens have not expired. */
  listEnded(sinceMs: number, now: number): Promise<EndedSession[]>;
  /** Removes what has expired. */
  removeExpired(now: number): Promise<void>;
}
