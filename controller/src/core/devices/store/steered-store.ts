// Devices that were moved by a command a moment ago, as it outlives a restart and as every node reads it.
import type { SqlQueries, SqlRow } from '../../base/storage/sql-database.ts';
import { runRows } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';

export interface SteeredRecord {
  device: string;
  /** The access point that it was attached to. */
  ap_id: string;
  target: string;
  /** Whether it comes back is watched until then. */
  until: number;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class SteeredStore extends SqlStore {
  /** Creates or replaces what is known about these devices, in the transaction of the caller. */
  async put(tx: SqlQueries, steered: readonly SteeredRecord[]): Promise<void> {
    // The last one of a device counts; a statement must not meet a row twice.
    const byDevice = new Map(steered.map((each) => [each.device, each]));
    await runRows(
      tx,
      `INSERT INTO device_steered (device, ap_id, target, until_ms) VALUES {{rows}}
       ON CONFLICT (device) DO UPDATE SET ap_id = excluded.ap_id, target = excluded.target, until_ms = excluded.until_ms`,
      [...byDevice.values()].map(({ device, ap_id, target, until }) => [device, ap_id, target, Math.round(until)]),
    );
  }

  /** Those that have not ended; the one that ends first comes first. */
  list(nowMs: number): Promise<SteeredRecord[]> {
    return this.db.query<SteeredRecord & SqlRow>(
      'SELECT device, ap_id, target, until_ms AS until FROM device_steered WHERE until_ms > ? ORDER BY until_ms, device',
      [nowMs],
    );
  }

  /** In the transaction of the caller; resolves whether this very move was known, so that one of several nodes tells of it. */
  async remove(tx: SqlQueries, { device, until }: SteeredRecord): Promise<boolean> {
    const sql = 'DELETE FROM device_steered WHERE device = ? AND until_ms = ? RETURNING device';
    return (await tx.query(sql, [device, Math.round(until)])).length > 0;
  }
}
