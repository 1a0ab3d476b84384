// The places of agents' telemetry, in the database of accounts.
import type { SqlDatabase } from '../../../storage/sql-database.ts';
import { inParts, runRows } from '../../../storage/sql-rows.ts';
import type { PlaceStore } from './place-store.ts';

export function createPlaceStore(database: SqlDatabase): PlaceStore {
  return {
    async servers() {
      const rows = await database.query<{ id: string; place: string; is_drained: number }>(
        'SELECT id, place, is_drained FROM telemetry_servers ORDER BY id',
      );
      return rows.map(({ id, place, is_drained }) => ({ id, place, isDrained: is_drained === 1 }));
    },

    async seen(id, place) {
      await database.query(
        `INSERT INTO telemetry_servers (id, place, is_drained) VALUES (?, ?, 0)
         ON CONFLICT (id) DO UPDATE SET place = excluded.place`,
        [id, place],
      );
    },

    async setDrained(id, isDrained) {
      await database.query('UPDATE telemetry_servers SET is_drained = ? WHERE id = ?', [isDrained ? 1 : 0, id]);
    },

    async get(ap_ids) {
      const found = new Map<string, string>();
      for (const { marks, values } of inParts(ap_ids)) {
        const rows = await database.query<{ ap_id: string; server: string }>(
          `SELECT ap_id, server FROM telemetry_places WHERE ap_id IN (${marks})`,
          values,
        );
        for (const { ap_id, server } of rows) found.set(ap_id, server);
      }
      return found;
    },

    place: (ap_id, choose) =>
      database.transaction(async (tx) => {
        const drained = await tx.query<{ id: string }>('SELECT id FROM telemetry_servers WHERE is_drained = 1');
        await tx.query('INSERT INTO telemetry_places (ap_id, server) VALUES (?, ?) ON CONFLICT (ap_id) DO NOTHING', [
          ap_id,
          choose(new Set(drained.map(({ id }) => id))),
        ]);
        const sql = 'SELECT server FROM telemetry_places WHERE ap_id = ?';
        return (await tx.query<{ server: string }>(sql, [ap_id]))[0]!.server;
      }),

    async adopt(ap_ids, server) {
      const sql = 'INSERT INTO telemetry_places (ap_id, server) VALUES {{rows}} ON CONFLICT (ap_id) DO NOTHING';
      const rows = ap_ids.map((ap_id) => [ap_id, server]);
      await database.transaction((tx) => runRows(tx, sql, rows));
    },

    async move(ap_id, from, to) {
      const sql = 'UPDATE telemetry_places SET server = ? WHERE ap_id = ? AND server = ? RETURNING ap_id';
      return (await database.query(sql, [to, ap_id, from])).length > 0;
    },

    async remove(ap_id) {
      await database.query('DELETE FROM telemetry_places WHERE ap_id = ?', [ap_id]);
    },

    after: (ap_id, limit) =>
      database.query<{ ap_id: string; server: string }>(
        'SELECT ap_id, server FROM telemetry_places WHERE ap_id > ? ORDER BY ap_id LIMIT ?',
        [ap_id, limit],
      ),

    async counts() {
      const rows = await database.query<{ server: string; n: number }>(
        'SELECT server, count(*) AS n FROM telemetry_places GROUP BY server',
      );
      return new Map(rows.map(({ server, n }) => [server, n]));
    },
  };
}
