// Sessions in SQL. Transactions lock the user first, so that logins at the same time keep to the maximum.
import type { InSameTransaction, SqlDatabase, SqlQueries } from '../storage/sql-database.ts';
import type { EndedSession, Renewal, SessionRecord, SessionStore } from './session-store.ts';

const COLUMNS = 'id, user_id, ver, created_at, renewed_at, expires_at, ends_at, address, client';

type Row = { [Column in keyof SessionRecord]: SessionRecord[Column] };
type EndedRow = { [Column in keyof EndedSession]: EndedSession[Column] };

export function createSessionStore(db: SqlDatabase): SessionStore {
  return new SqlSessionStore(db);
}

class SqlSessionStore implements SessionStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async create(session: SessionRecord, max: number): Promise<EndedSession[]> {
    const { id, user_id, ver, created_at, renewed_at, expires_at, ends_at, address, client } = session;
    return this.#db.transaction(async (tx) => {
      const users = await tx.query('UPDATE users SET ver = ver WHERE id = ? RETURNING id', [user_id]);
      if (users.length === 0) return [];
      await tx.query('DELETE FROM sessions WHERE user_id = ? AND (ver <> ? OR expires_at <= ?)', [
        user_id,
        ver,
        created_at,
      ]);
      const oldest = await tx.query<Row>(
        `SELECT ${COLUMNS} FROM sessions WHERE user_id = ? ORDER BY renewed_at DESC, id LIMIT 1000000 OFFSET ?`,
        [user_id, max - 1],
      );
      const ended = oldest.map((row) => ({ id: row.id, ended_at: created_at, expires_at: row.expires_at }));
      for (const each of ended) await markEnded(tx, each);
      await tx.query(`INSERT INTO sessions (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
        id,
        user_id,
        ver,
        created_at,
        renewed_at,
        expires_at,
        ends_at,
        address,
        client,
      ]);
      return ended;
    });
  }

  async list({ id, ver }: { id: string; ver: string }, now: number): Promise<SessionRecord[]> {
    const rows = await this.#db.query<Row>(
      `SELECT ${COLUMNS} FROM sessions WHERE user_id = ? AND ver = ? AND expires_at > ?
       ORDER BY created_at DESC, id`,
      [id, ver, now],
    );
    return rows.map((row) => ({ ...row }));
  }

  async renew(id: string, ver: string, renewal: Renewal): Promise<SessionRecord | undefined> {
    const { renewed_at, expires_at, address, client } = renewal;
    const [row] = await this.#db.query<Row>(
      `UPDATE sessions SET renewed_at = ?, expires_at = ?, address = ?, client = ? WHERE id = ? AND ver = ?
       RETURNING ${COLUMNS}`,
      [renewed_at, expires_at, address, client, id, ver],
    );
    return row && { ...row };
  }

  async extend(
    id: string,
    userId: string,
    ends_at: number,
    also?: InSameTransaction<SessionRecord>,
  ): Promise<SessionRecord | undefined> {
    return this.#db.transaction(async (tx) => {
      const [row] = await tx.query<Row>(
        `UPDATE sessions SET ends_at = ? WHERE id = ? AND user_id = ? RETURNING ${COLUMNS}`,
        [ends_at, id, userId],
      );
      if (row === undefined) return undefined;
      await also?.(tx, { after: { ...row } });
      return { ...row };
    });
  }

  async end(ended: EndedSession, also?: InSameTransaction<SessionRecord>): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (!(await markEnded(tx, ended))) return false;
      await also?.(tx, {});
      return true;
    });
  }

  async keepOnly(
    tx: SqlQueries,
    session: { id: string; user_id: string; ver: string; expires_at: number },
  ): Promise<void> {
    const { id, user_id, ver, expires_at } = session;
    await tx.query('DELETE FROM sessions WHERE user_id = ? AND id <> ?', [user_id, id]);
    await tx.query('UPDATE sessions SET ver = ?, expires_at = ? WHERE id = ? AND user_id = ?', [
      ver,
      expires_at,
      id,
      user_id,
    ]);
  }

  async listEnded(sinceMs: number, now: number): Promise<EndedSession[]> {
    const rows = await this.#db.query<EndedRow>(
      'SELECT id, ended_at, expires_at FROM ended_sessions WHERE ended_at >= ? AND expires_at > ?',
      [sinceMs, now],
    );
    return rows.map((row) => ({ ...row }));
  }

  async removeExpired(now: number): Promise<void> {
    await this.#db.query('DELETE FROM sessions WHERE expires_at <= ?', [now]);
    await this.#db.query('DELETE FROM ended_sessions WHERE expires_at <= ?', [now]);
  }
}

/** Resolves whether it had not ended before. */
async function markEnded(tx: SqlQueries, { id, ended_at, expires_at }: EndedSession): Promise<boolean> {
  const rows = await tx.query(
    'INSERT INTO ended_sessions (id, ended_at, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id',
    [id, ended_at, expires_at],
  );
  await tx.query('DELETE FROM sessions WHERE id = ?', [id]);
  return rows.length === 1;
}
