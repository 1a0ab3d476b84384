// The secrets of agents that commands are pushed to: at most one an agent.
import type { InSameTransaction } from '../../../base/storage/sql-database.ts';
import { RecordTable, SqlStore } from '../../../base/storage/sql-store.ts';

export interface PushSecretRecord {
  ap_id: string;
  /** The record that it was minted for: an agent that gets the name later must not inherit it. */
  agent_id: string;
  secret_encrypted: string;
  created_at: number;
}

const columns = 'ap_id, agent_id, secret_encrypted, created_at';
const table = new RecordTable<PushSecretRecord>('push_secrets', columns);

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class PushSecretStore extends SqlStore {
  /** The record, or undefined. */
  async get(ap_id: string): Promise<PushSecretRecord | undefined> {
    return table.get(this.db, 'WHERE ap_id = ?', [ap_id]);
  }

  /** All of them, ordered by ap_id. */
  async list(): Promise<PushSecretRecord[]> {
    return table.list(this.db, 'ORDER BY ap_id');
  }

  /** Durable when it resolves; takes the place of an earlier one. `also` runs with it, see InSameTransaction. */
  async put(record: PushSecretRecord, also?: InSameTransaction<PushSecretRecord>): Promise<void> {
    const { ap_id, agent_id, secret_encrypted, created_at } = record;
    await this.db.transaction(async (tx) => {
      const before = await table.get(tx, 'WHERE ap_id = ?', [ap_id]);
      await tx.query(
        `INSERT INTO push_secrets (${columns}, claimed_by, claimed_until) VALUES (?, ?, ?, ?, NULL, 0)
         ON CONFLICT (ap_id) DO UPDATE SET
           agent_id = excluded.agent_id, secret_encrypted = excluded.secret_encrypted, created_at = excluded.created_at`,
        [ap_id, agent_id, secret_encrypted, created_at],
      );
      await also?.(tx, { ...(before && { before }), after: record });
    });
  }

  /** Replaces the ciphertext if it is still `before`. */
  async reencrypt(ap_id: string, before: string, after: string): Promise<void> {
    await this.db.query('UPDATE push_secrets SET secret_encrypted = ? WHERE ap_id = ? AND secret_encrypted = ?', [
      after,
      ap_id,
      before,
    ]);
  }

  /** Removing what is not there changes nothing. */
  async remove(ap_id: string): Promise<void> {
    await this.db.query('DELETE FROM push_secrets WHERE ap_id = ?', [ap_id]);
  }

  /**
   * Resolves whether this node may push to the agent until then: false while another node may, or without a secret. A
   * node that may already is given more time.
   */
  async claim(ap_id: string, node: string, nowMs: number, untilMs: number): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE push_secrets SET claimed_by = ?, claimed_until = ?
       WHERE ap_id = ? AND (claimed_by IS NULL OR claimed_by = ? OR claimed_until <= ?) RETURNING ap_id`,
      [node, untilMs, ap_id, node, nowMs],
    );
    return rows.length > 0;
  }

  /** Ends what `claim` gave to this node; else changes nothing. */
  async release(ap_id: string, node: string): Promise<void> {
    await this.db.query(
      'UPDATE push_secrets SET claimed_by = NULL, claimed_until = 0 WHERE ap_id = ? AND claimed_by = ?',
      [ap_id, node],
    );
  }
}
