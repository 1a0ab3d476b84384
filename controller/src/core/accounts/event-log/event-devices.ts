// The devices of events that are about many devices at once: rows beside the log, by which each device finds its events. The
// event itself has their number only.
import type { SqlDatabase, SqlQueries, SqlValue } from '../../base/storage/sql-database.ts';
import { runRows } from '../../base/storage/sql-rows.ts';
import type { NewEvent } from './event-record.ts';

/** Each may be about thousands of devices. */
const groupsAtOnce = 20;

/** `firstId`: the id of the first event. */
export async function appendMembers(tx: SqlQueries, events: readonly NewEvent[], firstId: number): Promise<void> {
  const rows: SqlValue[][] = [];
  for (const [index, { devices = [] }] of events.entries()) {
    for (const device of new Set(devices)) rows.push([firstId + index, device]);
  }
  await runRows(tx, 'INSERT INTO grouped_devices (event_id, device) VALUES {{rows}}', rows);
}

export async function removeDeviceEvents(tx: SqlQueries, device: string): Promise<void> {
  await tx.query("DELETE FROM event_log WHERE subject_kind = 'device' AND subject = ?", [device]);
  await tx.query('DELETE FROM grouped_devices WHERE device = ?', [device]);
}

/** Removes some events about many devices from before this time; resolves whether there may be more. */
export function pruneGroups(database: Pick<SqlDatabase, 'transaction'>, beforeMs: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const removed = await tx.query<{ id: number }>(
      `DELETE FROM event_log WHERE id IN (
        SELECT id FROM event_log WHERE subject_kind = 'devices' ORDER BY id LIMIT ?
      ) AND ts < ? RETURNING id`,
      [groupsAtOnce, beforeMs],
    );
    for (const { id } of removed) await tx.query('DELETE FROM grouped_devices WHERE event_id = ?', [id]);
    return removed.length === groupsAtOnce;
  });
}
