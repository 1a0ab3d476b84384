// What is remembered of the agents' presence across restarts.

import { randomUUID } from 'node:crypto';
import { endedAmong } from '../../base/storage/ended-agents.ts';
import type { SqlRow } from '../../base/storage/sql-database.ts';
import { runList, runRows } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';
import { maxAheadMs } from '../store/telemetry-store.ts';
import type { PresenceRecord } from './presence.ts';

const hourMs = 3_600_000;
const COLUMNS = 'ap_id, last_seen, online_since, returned_at, learned_interval_ms';

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class PresenceStore extends SqlStore {
  /** Who wrote a record; another one after a restart. */
  readonly #node = randomUUID();

  /** All records, ordered by ap_id. */
  async list(): Promise<PresenceRecord[]> {
    return this.db.query<PresenceRecord & SqlRow>(`SELECT ${COLUMNS} FROM presence ORDER BY ap_id`);
  }

  /** Those that another node has written and that were seen at this time or later. */
  async listSince(lastSeenMs: number): Promise<PresenceRecord[]> {
    return this.db.query<PresenceRecord & SqlRow>(
      `SELECT ${COLUMNS} FROM presence WHERE last_seen >= ? AND node IS DISTINCT FROM ?`,
      [Math.round(lastSeenMs), this.#node],
    );
  }

  /**
   * Creates or replaces these records, all of them or none; durable when it resolves. A record that is older than the
   * stored one (another node has heard of the agent since) is left out, unless that one is of the future: a clock was wrong.
   * So are those of agents whose network has ended.
   */
  async update(records: readonly PresenceRecord[]): Promise<void> {
    if (records.length === 0) return;
    // In whole hours, so that the statement stays the same.
    const aheadMs = Math.ceil((Date.now() + maxAheadMs) / hourMs) * hourMs;
    await this.db.transaction(async (tx) => {
      const names = records.map(({ ap_id }) => ap_id);
      const ended = await endedAmong(tx, names);
      const present = records.filter(({ ap_id }) => !ended.has(ap_id));
      await runRows(
        tx,
        `INSERT INTO presence (${COLUMNS}, node) VALUES {{rows}}
         ON CONFLICT (ap_id) DO UPDATE SET last_seen = excluded.last_seen, online_since = excluded.online_since,
           returned_at = excluded.returned_at, learned_interval_ms = excluded.learned_interval_ms,
           node = excluded.node
         WHERE excluded.last_seen >= presence.last_seen OR presence.last_seen > ${aheadMs}`,
        present.map((record) => [
          record.ap_id,
          Math.round(record.last_seen),
          roundOrNull(record.online_since),
          roundOrNull(record.returned_at),
          roundOrNull(record.learned_interval_ms),
          this.#node,
        ]),
      );
    });
  }

  /** Forgets these agents; repeated calls are harmless. */
  async remove(ap_ids: readonly string[]): Promise<void> {
    await runList(this.db, 'DELETE FROM presence WHERE ap_id IN ({{list}})', ap_ids);
  }
}

function roundOrNull(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
