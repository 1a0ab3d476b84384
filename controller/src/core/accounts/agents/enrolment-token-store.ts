// Enrolment tokens, with which access points register themselves. Only their SHA-256 is stored.
// One statement checks that a use is left and counts it.
import type { EnrolmentToken } from '@weft/contract';
import type { Actor } from '../../base/caller.ts';
import { TotalShare } from '../../base/shares/total-share.ts';
import type { InSameTransaction } from '../../base/storage/sql-database.ts';
import { valuesOf } from '../../base/storage/sql-rows.ts';
import { type InMs, ifTaken, RecordTable, SqlStore } from '../../base/storage/sql-store.ts';
import { type AgentRecord, agentExists, insertAgent } from './agent-record.ts';
import { UnknownSite } from './agent-store.ts';

type StoredToken = InMs<Omit<EnrolmentToken, 'token' | 'urls'>, 'expires_at'>;

/** `created_by` of older versions is an id; a site that is removed meanwhile is null. */
export interface EnrolmentTokenRecord extends StoredToken {
  token_hash: string;
  created_at: number;
  /** The id of the user who created it by a grant; null for those of administrators. */
  managed_by: string | null;
}

const MADE = `SELECT CASE WHEN managed_by IS NULL THEN NULL ELSE 'user' END AS kind, managed_by AS id
  FROM enrolment_tokens WHERE expires_at > ?`;
const share = new TotalShare('too_many_enrolment_tokens', 'enrolment tokens', 10_000, MADE, 3600);

const OWN = 'id, token_hash, ap_id_pattern, created_by, created_at, expires_at, max_uses, uses, tags, managed_by';
const COLUMNS = `${OWN}, (SELECT sites.path FROM sites WHERE sites.id = enrolment_tokens.site_id) AS site`;
const table = new RecordTable<EnrolmentTokenRecord>('enrolment_tokens', COLUMNS, { json: ['tags'] });
const INSERT = `INSERT INTO enrolment_tokens (${OWN}, site_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT sites.id FROM sites WHERE sites.path = ?))
  RETURNING site_id`;

/** `also` runs with the change, see InSameTransaction. */
export class EnrolmentTokenStore extends SqlStore {
  /** The token with this hash if it can still be used at `now`, else undefined. */
  async getUsable(tokenHash: string, now: number): Promise<EnrolmentTokenRecord | undefined> {
    return table.get(this.db, 'WHERE token_hash = ? AND expires_at > ? AND uses < max_uses', [tokenHash, now]);
  }

  /** All tokens not yet expired at `now`, newest first. */
  async list(now: number): Promise<EnrolmentTokenRecord[]> {
    return table.list(this.db, 'WHERE expires_at > ? ORDER BY created_at DESC, id DESC', [now]);
  }

  /** Durable when it resolves. Throws UnknownSite for a site that does not exist, TryLaterError `too_many_enrolment_tokens`. */
  async create(token: EnrolmentTokenRecord, by: Actor, also?: InSameTransaction<EnrolmentTokenRecord>): Promise<void> {
    await this.db.transaction(async (tx) => {
      await share.take(tx, by, [token.created_at]);
      const values = [...valuesOf(token, OWN), token.site];
      const [row] = await tx.query<{ site_id: string | null }>(INSERT, values);
      if (token.site !== null && row?.site_id == null) throw new UnknownSite(token.site);
      await also?.(tx, { after: token });
    });
  }

  /** Resolves whether it existed. */
  async remove(id: string, also?: InSameTransaction<EnrolmentTokenRecord>): Promise<boolean> {
    return this.removeRecord(table, 'WHERE id = ?', [id], also);
  }

  /**
   * Counts one use and creates the agent, both or neither. Resolves false when the token can no longer be used at
   * `now`. Throws ConflictError `agent_exists` if the ap_id is taken; then no use is counted.
   */
  async redeem(
    tokenHash: string,
    now: number,
    agent: AgentRecord,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<boolean> {
    return this.db
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
      .catch(ifTaken(agentExists));
  }

  /** Removes tokens expired at `now`; resolves how many. */
  async removeExpired(now: number): Promise<number> {
    const rows = await this.db.query('DELETE FROM enrolment_tokens WHERE expires_at <= ? RETURNING id', [now]);
    return rows.length;
  }
}
