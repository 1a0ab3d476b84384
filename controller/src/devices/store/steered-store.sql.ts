// Devices that were moved a moment ago, in SQL.
import type { SqlDatabase, SqlQueries, SqlRow } from '../../storage/sql-database.ts';
import { runRows } from '../../storage/sql-rows.ts';
import type { SteeredRecord, SteeredStore } from './steered-store.ts';

export function createSteeredStore(database: Pick<SqlDatabase, 'query'>): SteeredStore {
  return {
    async put(tx, steered) {
      // The last one of a device counts; a statement must not meet a row twice.
      const byDevice = new Map(steered.map((each) => [each.device, each]));
      await runRows(
        tx,
        `INSERT INTO device_steered (device, ap_id, target, until_ms) VALUES {{rows}}
         ON CONFLICT (device) DO UPDATE SET ap_id = excluded.ap_id, target = excluded.target, until_ms = excluded.until_ms`,
        [...byDevice.values()].map(({ device, ap_id, target, until }) => [device, ap_id, target, Math.round(until)]),
      );
    },

    list: (nowMs) =>
      database.query<SteeredRecord & SqlRow>(
        'SELECT device, ap_id, target, until_ms AS until FROM device_steered WHERE until_ms > ? ORDER BY until_ms, device',
        [nowMs],
      ),

    async remove(tx: SqlQueries, { device, until }) {
      const sql = 'DELETE FROM device_steered WHERE device = ? AND until_ms = ? RETURNING device';
      return (await tx.query(sql, [device, Math.round(until)])).length > 0;
    },
  };
}
