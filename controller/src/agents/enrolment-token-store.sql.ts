// Enrolment tokens in SQL. One statement checks that a use is left and counts it.
import type { InSameTransaction, SqlDatabase } from '../storage/sql-database.ts';
import { insertAgent, throwAgentExists } from './agent-store.sql.ts';
import { type AgentRecord, UnknownSite } from './agent-store.ts';
import type { EnrolmentTokenRecord, EnrolmentTokenStore } from './enrolment-token-store.ts';

type TokenRow = {
  id: string;
  token_hash: string;
  ap_id_pattern: string;
  created_by: string;
  created_at: number;
  expires_at: number;
  max_uses: number;
  uses: number;
  site: string | null;
  tags: string;
  managed_by: string | null;
};

const OWN = 'id, token_hash, ap_id_pattern, created_by, created_at, expires_at, max_uses, uses, tags, managed_by';
const COLUMNS = `${OWN}, (SELECT sites.path FROM sites WHERE sites.id = enrolment_tokens.site_id) AS site`;
const INSERT = `INSERT INTO enrolment_tokens (${OWN}, site_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT sites.id FROM sites WHERE sites.path = ?))
  RETURNING site_id`;

export function createEnrolmentTokenStore(db: SqlDatabase): EnrolmentTokenStore {
  return new SqlEnrolmentTokenStore(db);
}

class SqlEnrolmentTokenStore implements EnrolmentTokenStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async getUsable(tokenHash: string, now: number): Promise<EnrolmentTokenRecord | undefined> {
    const [row] = await this.#db.query<TokenRow>(
      `SELECT ${COLUMNS} FROM enrolment_tokens WHERE token_hash = ? AND expires_at > ? AND uses < max_uses`,
      [tokenHash, now],
    );
    return row && toRecord(row);
  }

  async list(now: number): Promise<EnrolmentTokenRecord[]> {
    const rows = await this.#db.query<TokenRow>(
      `SELECT ${COLUMNS} FROM enrolment_tokens WHERE expires_at > ? ORDER BY created_at DESC, id DESC`,
      [now],
    );
    return rows.map(toRecord);
  }

  async count(now: number): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM enrolment_tokens WHERE expires_at > ?',
      [now],
    );
    return row?.count ?? 0;
  }

  async create(token: EnrolmentTokenRecord, also?: InSameTransaction<EnrolmentTokenRecord>): Promise<void> {
    await this.#db.transaction(async (tx) => {
      const [row] = await tx.query<{ site_id: string | null }>(INSERT, [
        token.id,
        token.token_hash,
        token.ap_id_pattern,
        token.created_by,
        token.created_at,
        token.expires_at,
        token.max_uses,
        token.uses,
        JSON.stringify(token.tags),
        token.managed_by,
        token.site,
      ]);
      if (token.site !== null && row?.site_id == null) throw new UnknownSite(token.site);
      await also?.(tx, { after: token });
    });
  }

  async remove(id: string, also?: InSameTransaction<EnrolmentTokenRecord>): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const [row] = await tx.query<TokenRow>(`DELETE FROM enrolment_tokens WHERE id = ? RETURNING ${COLUMNS}`, [id]);
      if (row === undefined) return false;
      await also?.(tx, { before: toRecord(row) });
      return true;
    });
  }

  async redeem(
    tokenHash: string,
    now: number,
    agent: AgentRecord,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<boolean> {
    return this.#db
      .transaction(async (tx) => {
        const counted = await tx.query(
          `UPDATE enrolment_tokens SET uses = uses + 1
           WHERE token_hash = ? AND expires_at > ? AND uses < max_uses RETURNING id`,
          [tokenHash, now],
        );
        if (counted.length === 0) return false;
        await insertAgent(tx, agent);
        await also?.(tx, { after: agent });
        return true;
      })
      .catch(throwAgentExists);
  }

  async removeExpired(now: number): Promise<number> {
    const rows = await this.#db.query('DELETE FROM enrolment_tokens WHERE expires_at <= ? RETURNING id', [now]);
    return rows.length;
  }
}

function toRecord(row: TokenRow): EnrolmentTokenRecord {
  return { ...row, tags: JSON.parse(row.tags) as string[] };
}
