// Presence in SQL.
import { randomUUID } from 'node:crypto';
import type { SqlDatabase, SqlRow } from '../../storage/sql-database.ts';
import { inParts, runRows } from '../../storage/sql-rows.ts';
import type { PresenceRecord } from './presence.ts';
import type { PresenceStore } from './presence-store.ts';

const COLUMNS = 'ap_id, last_seen, online_since, returned_at, learned_interval_ms';

export function createPresenceStore(db: SqlDatabase): PresenceStore {
  return new SqlPresenceStore(db);
}

class SqlPresenceStore implements PresenceStore {
  readonly #db: SqlDatabase;
  /** Who wrote a record; another one after a restart. */
  readonly #node = randomUUID();

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async list(): Promise<PresenceRecord[]> {
    return this.#db.query<PresenceRecord & SqlRow>(`SELECT ${COLUMNS} FROM presence ORDER BY ap_id`);
  }

  async listSince(lastSeenMs: number): Promise<PresenceRecord[]> {
    return this.#db.query<PresenceRecord & SqlRow>(
      `SELECT ${COLUMNS} FROM presence WHERE last_seen >= ? AND node IS DISTINCT FROM ?`,
      [Math.round(lastSeenMs), this.#node],
    );
  }

  async update(records: readonly PresenceRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.#db.transaction((tx) =>
      runRows(
        tx,
        `INSERT INTO presence (${COLUMNS}, node) VALUES {{rows}}
         ON CONFLICT (ap_id) DO UPDATE SET last_seen = excluded.last_seen, online_since = excluded.online_since,
           returned_at = excluded.returned_at, learned_interval_ms = excluded.learned_interval_ms,
           node = excluded.node
         WHERE excluded.last_seen >= presence.last_seen`,
        records.map((record) => [
          record.ap_id,
          Math.round(record.last_seen),
          roundOrNull(record.online_since),
          roundOrNull(record.returned_at),
          roundOrNull(record.learned_interval_ms),
          this.#node,
        ]),
      ),
    );
  }

  async remove(ap_ids: readonly string[]): Promise<void> {
    for (const { marks, values } of inParts(ap_ids)) {
      await this.#db.query(`DELETE FROM presence WHERE ap_id IN (${marks})`, values);
    }
  }
}

function roundOrNull(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
