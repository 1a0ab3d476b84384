// Sessions: what users have logged in to, and the ids of all sessions (of users, agents and apps) that were ended
// before their tokens expire. A session is a login and the tokens that it was renewed with. Transactions lock the user
// first, so that logins at the same time keep to the maximum.
import type { Session } from '@weft/contract';
import { Replica, ReplicaHead } from '../../base/storage/replica.ts';
import type { InSameTransaction, SqlQueries } from '../../base/storage/sql-database.ts';
import { insertRecord } from '../../base/storage/sql-rows.ts';
import { type InMs, RecordTable, SqlStore } from '../../base/storage/sql-store.ts';
import { noteForgotten, raiseRevision } from '../../base/storage/table-revision.ts';

type StoredSession = InMs<Omit<Session, 'is_current'>, 'created_at' | 'renewed_at' | 'expires_at' | 'ends_at'>;

export interface SessionRecord extends StoredSession {
  user_id: string;
  /** The user's; once the user has another one, the session has ended. */
  ver: string;
}

export type Renewal = Pick<SessionRecord, 'renewed_at' | 'expires_at' | 'address' | 'client'>;

export interface EndedSession {
  id: string;
  /** When it was ended. */
  ended_at: number;
  /** From then on its tokens are refused anyway. */
  expires_at: number;
}

const endedHead = { table: 'session_head', column: 'revision' };

const COLUMNS = 'id, user_id, ver, created_at, renewed_at, expires_at, ends_at, address, client';

const sessions = new RecordTable<SessionRecord>('sessions', COLUMNS);
const endedSessions = new RecordTable<EndedSession>('ended_sessions', 'id, ended_at, expires_at');

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class SessionStore extends SqlStore {
  /**
   * Durable when it resolves. If the user has more than `max` sessions then, those that were renewed longest ago are
   * ended; resolves them. Creates nothing if the user does not exist any more.
   */
  async create(session: SessionRecord, max: number): Promise<EndedSession[]> {
    const { user_id, ver, created_at } = session;
    return this.db.transaction(async (tx) => {
      // First, also where none will end: who ends one has this before the audit log, and others that before the user.
      const revision = await raiseRevision(tx, endedHead);
      const users = await tx.query('UPDATE users SET ver = ver WHERE id = ? RETURNING id', [user_id]);
      if (users.length === 0) return [];
      await tx.query('DELETE FROM sessions WHERE user_id = ? AND ver <> ?', [user_id, ver]);
      const beyond = 'WHERE user_id = ? AND expires_at > ? ORDER BY renewed_at DESC, id LIMIT 1000000 OFFSET ?';
      const oldest = await sessions.list(tx, beyond, [user_id, created_at, max - 1]);
      const ended = oldest.map((row) => ({ id: row.id, ended_at: created_at, expires_at: row.expires_at }));
      for (const each of ended) await markEnded(tx, each, revision);
      await insertRecord(tx, 'sessions', COLUMNS, session);
      return ended;
    });
  }

  /** The sessions of the user with that `ver` that have not expired, newest first. */
  async list({ id, ver }: { id: string; ver: string }, now: number): Promise<SessionRecord[]> {
    const open = 'WHERE user_id = ? AND ver = ? AND expires_at > ? ORDER BY created_at DESC, id';
    return sessions.list(this.db, open, [id, ver, now]);
  }

  /** Resolves the updated record, or undefined if there is none with that `ver`. */
  async renew(id: string, ver: string, renewal: Renewal): Promise<SessionRecord | undefined> {
    const { renewed_at, expires_at, address, client } = renewal;
    const change = { renewed_at, expires_at, address, client };
    return sessions.change(this.db, change, 'WHERE id = ? AND ver = ?', [id, ver]);
  }

  /** Changes `ends_at` of a session of the user; resolves the record, or undefined if there is none. */
  async extend(
    id: string,
    userId: string,
    ends_at: number,
    also?: InSameTransaction<SessionRecord>,
  ): Promise<SessionRecord | undefined> {
    return this.db.transaction(async (tx) => {
      const after = await sessions.update(tx, 'ends_at = ? WHERE id = ? AND user_id = ?', [ends_at, id, userId]);
      if (after) await also?.(tx, { after });
      return after;
    });
  }

  /** Durable when it resolves; repeated, it resolves false and changes nothing, and `also` does not run. */
  async end(ended: EndedSession, also?: InSameTransaction<SessionRecord>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      if (!(await markEnded(tx, ended, await raiseRevision(tx, endedHead)))) return false;
      await also?.(tx, {});
      return true;
    });
  }

  /** In a transaction that gives the user another `ver`: this session of the user gets it too, the others end. */
  async keepOnly(
    tx: SqlQueries,
    session: { id: string; user_id: string; ver: string; expires_at: number },
  ): Promise<void> {
    const { id, user_id, ver, expires_at } = session;
    await tx.query('DELETE FROM sessions WHERE user_id = ? AND id <> ?', [user_id, id]);
    await sessions.change(tx, { ver, expires_at }, 'WHERE id = ? AND user_id = ?', [id, user_id]);
  }

  /** Removals of ended sessions up to the revision `forgotten` are forgotten. */
  async head() {
    const sql = 'SELECT revision, forgotten FROM session_head';
    return (await this.db.query<Record<'revision' | 'forgotten', number>>(sql))[0]!;
  }

  /** Those that were ended after this revision; default: all whose tokens have not expired, and some more. */
  async listEnded(after = 0): Promise<EndedSession[]> {
    return endedSessions.list(this.db, 'WHERE revision > ?', [after]);
  }

  /** Removes what has expired. */
  async removeExpired(now: number): Promise<void> {
    await this.db.query('DELETE FROM sessions WHERE expires_at <= ?', [now]);
    await this.db.transaction(async (tx) => {
      const revision = await raiseRevision(tx, endedHead);
      const gone = await tx.query('DELETE FROM ended_sessions WHERE expires_at <= ? RETURNING id', [now]);
      if (gone.length > 0) await noteForgotten(tx, endedHead, revision);
    });
  }
}

/** Resolves whether it had not ended before. */
async function markEnded(tx: SqlQueries, ended: EndedSession, revision: number): Promise<boolean> {
  const { id, ended_at, expires_at } = ended;
  const rows = await tx.query(
    `INSERT INTO ended_sessions (id, ended_at, expires_at, revision) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING RETURNING id`,
    [id, ended_at, expires_at, revision],
  );
  await tx.query('DELETE FROM sessions WHERE id = ?', [id]);
  return rows.length === 1;
}

type Head = Awaited<ReturnType<SessionStore['head']>>;

/**
 * The ids of ended sessions in memory, because they are looked at for every request. What was ended elsewhere is read
 * again at most `freshMs` after the last time, like the records of callers.
 */
export class EndedSessions {
  readonly #freshMs: number;
  readonly head: ReplicaHead<Head>;
  readonly #ended: Replica<Head, true, Pick<EndedSession, 'id'>>;
  #forgottenAt = Number.NEGATIVE_INFINITY;

  constructor({ sessions, freshMs }: { sessions: Pick<SessionStore, 'head' | 'listEnded'>; freshMs: number }) {
    this.#freshMs = freshMs;
    this.head = new ReplicaHead(() => sessions.head());
    this.#ended = new Replica(this.head, {
      revision: ({ revision }) => revision,
      forgotten: ({ forgotten }) => forgotten,
      read: async (after) => ({ rows: await sessions.listEnded(after), ...(after !== undefined && { gone: [] }) }),
      keyOf: ({ id }) => id,
      toRow: () => true,
    });
  }

  isFresh(now = performance.now()): boolean {
    const { trueAt } = this.head;
    return trueAt > this.#forgottenAt && now - trueAt < this.#freshMs;
  }

  has(id: string): boolean {
    return this.#ended.now.has(id);
  }

  /** The next `isFresh` is false. */
  forget(): void {
    this.#forgottenAt = performance.now();
  }
}
