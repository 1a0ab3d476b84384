// Incidents, and which of them each alarm belongs to. What is known of an alarm's past is written with it, so that the same rows
// say the same later.

import type { SqlQueries, SqlValue } from '../../core/base/storage/sql-database.ts';
import { inParts, insertRecord, runList, runRows } from '../../core/base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../core/base/storage/sql-store.ts';
import { type AlarmRecord, alarmColumns } from '../alarms/store/alarm-store.ts';
import { ABOUT_ENDED, BY_ENDED } from '../alarms/store/ended-alarms.ts';
import type { AlarmContext, GroupedAlarm } from './grouping/grouped-alarm.ts';
import { impactOf, type Losses, mergeLosses } from './grouping/lost-service.ts';

export interface IncidentRecord {
  id: string;
  started_at: number;
  ended_at: number | null;
  merged_into: string | null;
  is_told: boolean;
  losses: Losses;
}

/** With the key of the rule that comes with Weft; null: not grouped yet. */
export type StoredContext = AlarmContext & { product: string | null };

export interface IncidentAlarm extends AlarmRecord {
  incident_id: string | null;
  incident_context: StoredContext | null;
}

export interface Impact {
  incident_id: string;
  ap_id: string;
  devices: number;
  lost_ms: number;
}

/** Where a page begins: right before this one, newest first. */
export interface PageStart {
  started_at: number;
  id: string;
}

const COLUMNS = 'id, started_at, ended_at, merged_into, is_told, losses';
const table = new RecordTable<IncidentRecord>('incidents', COLUMNS, { json: ['losses'], flags: ['is_told'] });
const alarms = new RecordTable<IncidentAlarm>('alarms', `${alarmColumns}, incident_id, incident_context`, {
  json: ['labels', 'incident_context'],
  flags: ['is_announced'],
});

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class IncidentStore extends SqlStore {
  /**
   * Access points have ended, and with them these alarms of sites and storms: what is in no incident yet stands alone, and incidents
   * without an active alarm end. Resolves those of which somebody was told. In the transaction that clears the alarms.
   */
  async closeEnded(tx: SqlQueries, others: readonly string[], nowMs: number): Promise<string[]> {
    const about = await alarms.list(tx, `WHERE incident_id IS NULL AND ${ABOUT_ENDED}`);
    const lone = new Map([...about, ...(await alarms.byIds(tx, others))].map((alarm) => [alarm.id, alarm]));
    for (const { id, since, incident_id } of lone.values()) {
      if (incident_id !== null) continue;
      const ended = { ended_at: nowMs, merged_into: null, is_told: true, losses: {} };
      await this.create(tx, { id, started_at: since, ...ended });
      await this.assign(tx, id, id, { product: null });
    }
    const isQuiet = 'NOT EXISTS (SELECT 1 FROM alarms WHERE incident_id = incidents.id AND cleared_at IS NULL)';
    const quiet = `WHERE ended_at IS NULL AND ${isQuiet} AND EXISTS (SELECT 1 FROM alarms WHERE incident_id = incidents.id AND`;
    const over = await table.list(tx, `${quiet} ${ABOUT_ENDED})`);
    for (const id of others) over.push(...(await table.list(tx, `${quiet} id = ?)`, [id])));
    for (const { id } of over) await this.update(tx, id, { ended_at: nowMs, is_told: true });
    return [...new Set(over.filter(({ is_told }) => is_told).map(({ id }) => id))];
  }

  /** Alarms of no incident yet, oldest first. */
  ungrouped(limit: number): Promise<IncidentAlarm[]> {
    return alarms.list(this.db, 'WHERE incident_id IS NULL ORDER BY id LIMIT ?', [limit]);
  }

  /**
   * Alarms of incidents that were active at this time or later, and the first one of each of those incidents. What comes later has
   * nothing to do with access points that have ended.
   */
  async near(sinceMs: number, limit: number): Promise<IncidentAlarm[]> {
    const near = await alarms.list(
      this.db,
      `WHERE incident_id IS NOT NULL AND (cleared_at IS NULL OR cleared_at >= ?)
       AND NOT ${ABOUT_ENDED} ORDER BY id DESC LIMIT ?`,
      [sinceMs, limit],
    );
    const have = new Set(near.map(({ id }) => id));
    const firsts = new Set(near.map(({ incident_id }) => incident_id!).filter((id) => !have.has(id)));
    return [...near, ...(await alarms.byIds(this.db, [...firsts]))];
  }

  /** Those of these incidents, in the order of time. */
  async alarmsOf(ids: readonly string[], tx: SqlQueries = this.db): Promise<Map<string, IncidentAlarm[]>> {
    const found = new Map<string, IncidentAlarm[]>(ids.map((id) => [id, []]));
    for (const { marks, values } of inParts(ids, 64)) {
      const list = await alarms.list(tx, `WHERE incident_id IN (${marks}) ORDER BY incident_id, id`, values);
      for (const alarm of list) found.get(alarm.incident_id!)!.push(alarm);
    }
    return found;
  }

  async alarm(id: string): Promise<IncidentAlarm | undefined> {
    return alarms.get(this.db, 'WHERE id = ?', [id]);
  }

  async get(id: string, tx: SqlQueries = this.db): Promise<IncidentRecord | undefined> {
    return table.get(tx, 'WHERE id = ?', [id]);
  }

  /** Newest first; those that were open at `sinceMs` or later, and not those that belong to others. */
  async page(options: { before?: PageStart; sinceMs: number; isOpen?: boolean; limit: number }) {
    const conditions = ['merged_into IS NULL', '(ended_at IS NULL OR ended_at >= ?)'];
    const params: SqlValue[] = [options.sinceMs];
    if (options.isOpen !== undefined) conditions.push(`ended_at IS ${options.isOpen ? '' : 'NOT '}NULL`);
    if (options.before) {
      conditions.push('(started_at < ? OR (started_at = ? AND id < ?))');
      params.push(options.before.started_at, options.before.started_at, options.before.id);
    }
    const rest = `WHERE ${conditions.join(' AND ')} ORDER BY started_at DESC, id DESC LIMIT ?`;
    return table.list(this.db, rest, [...params, options.limit]);
  }

  /** Those that have not ended, oldest first. */
  open(limit: number): Promise<IncidentRecord[]> {
    return table.list(this.db, 'WHERE ended_at IS NULL ORDER BY id LIMIT ?', [limit]);
  }

  /** Those of which nothing was told, although somebody was told of one of their alarms. */
  untold(limit: number): Promise<IncidentRecord[]> {
    const announced = 'SELECT 1 FROM alarms WHERE incident_id = incidents.id AND is_announced = 1';
    const rest = `WHERE is_told = 0 AND merged_into IS NULL AND EXISTS (${announced}) ORDER BY id LIMIT ?`;
    return table.list(this.db, rest, [limit]);
  }

  /** Open ones without an active alarm, with when the last one cleared: before this time, or nobody present is in them. */
  quiet(beforeMs: number, limit: number): Promise<{ id: string; last: number | null }[]> {
    return this.db.query<{ id: string; last: number | null }>(
      `SELECT id, last FROM (SELECT incidents.id AS id, MAX(alarms.cleared_at) AS last FROM incidents
       LEFT JOIN alarms ON alarms.incident_id = incidents.id WHERE incidents.ended_at IS NULL GROUP BY incidents.id
       HAVING COUNT(alarms.id) = COUNT(alarms.cleared_at)) AS quiet
       WHERE COALESCE(last, 0) < ? OR NOT EXISTS (SELECT 1 FROM alarms WHERE incident_id = quiet.id AND NOT ${BY_ENDED}) LIMIT ?`,
      [beforeMs, limit],
    );
  }

  async create(tx: SqlQueries, incident: IncidentRecord): Promise<void> {
    await insertRecord(tx, 'incidents', COLUMNS, incident);
  }

  /** Puts an alarm that is in none into an incident; resolves whether it did. */
  async assign(tx: SqlQueries, alarm_id: string, incident_id: string, context: StoredContext): Promise<boolean> {
    const sql =
      'UPDATE alarms SET incident_id = ?, incident_context = ? WHERE id = ? AND incident_id IS NULL RETURNING id';
    return (await tx.query(sql, [incident_id, JSON.stringify(context), alarm_id])).length > 0;
  }

  async setContext(alarm_id: string, context: StoredContext): Promise<void> {
    await this.db.query('UPDATE alarms SET incident_context = ? WHERE id = ?', [JSON.stringify(context), alarm_id]);
  }

  async update(
    tx: SqlQueries,
    id: string,
    change: Partial<Pick<IncidentRecord, 'started_at' | 'ended_at' | 'is_told'>>,
  ): Promise<IncidentRecord | undefined> {
    return table.change(tx, change, 'WHERE id = ?', [id]);
  }

  /** All that one has is the other's from now on. */
  async merge(tx: SqlQueries, from: string, into: string, nowMs: number): Promise<void> {
    await tx.query('UPDATE alarms SET incident_id = ? WHERE incident_id = ?', [into, from]);
    await tx.query('UPDATE incidents SET merged_into = ? WHERE merged_into = ?', [into, from]);
    const [one, other] = [await this.get(from, tx), await this.get(into, tx)];
    const losses = mergeLosses(other?.losses ?? {}, one?.losses ?? {});
    await this.saveLosses(tx, into, losses, toImpact(into, losses));
    await tx.query('DELETE FROM incident_impact WHERE incident_id = ?', [from]);
    await tx.query(`UPDATE incidents SET merged_into = ?, ended_at = ?, losses = '{}' WHERE id = ?`, [
      into,
      nowMs,
      from,
    ]);
  }

  async impactOf(ids: readonly string[]): Promise<Impact[]> {
    const sql = 'SELECT incident_id, ap_id, devices, lost_ms FROM incident_impact WHERE incident_id IN ({{list}})';
    return runList<Impact & Record<string, string | number>>(this.db, sql, ids);
  }

  /** By access point, in incidents that are open. */
  async devicesAffected(): Promise<Map<string, number>> {
    const rows = await this.db.query<{ ap_id: string; devices: number }>(
      `SELECT ap_id, SUM(devices) AS devices FROM incident_impact JOIN incidents ON incidents.id = incident_id
       WHERE ended_at IS NULL GROUP BY ap_id`,
    );
    return new Map(rows.map(({ ap_id, devices }) => [ap_id, Number(devices)]));
  }

  /** Who has lost what in an incident, in place of what was known. */
  async saveLosses(tx: SqlQueries, id: string, losses: Losses, impact: readonly Impact[]): Promise<void> {
    await tx.query('UPDATE incidents SET losses = ? WHERE id = ?', [JSON.stringify(losses), id]);
    await runRows(
      tx,
      `INSERT INTO incident_impact (incident_id, ap_id, devices, lost_ms) VALUES {{rows}}
       ON CONFLICT (incident_id, ap_id) DO UPDATE SET devices = excluded.devices, lost_ms = excluded.lost_ms`,
      impact.map(({ incident_id, ap_id, devices, lost_ms }) => [incident_id, ap_id, devices, Math.round(lost_ms)]),
    );
  }

  /** In the transaction that erases devices. */
  async forgetDevices(tx: SqlQueries, names: readonly string[]): Promise<void> {
    for (const { id, losses } of await table.list(tx, `WHERE losses <> '{}'`)) {
      const kept = Object.entries(losses).filter(([device]) => !names.includes(device));
      if (kept.length === Object.keys(losses).length) continue;
      await tx.query('UPDATE incidents SET losses = ? WHERE id = ?', [JSON.stringify(Object.fromEntries(kept)), id]);
    }
  }

  async removeAgent(ap_id: string): Promise<void> {
    await this.db.query('DELETE FROM incident_impact WHERE ap_id = ?', [ap_id]);
  }

  /** Removes up to `limit` that ended before `keptMs`, and of those before `devicesMs` who the devices were. */
  async prune(keptMs: number, devicesMs: number, limit: number): Promise<boolean> {
    await this.db.query(`UPDATE incidents SET losses = '{}' WHERE losses <> '{}' AND ended_at < ?`, [devicesMs]);
    return this.db.transaction(async (tx) => {
      const removed = await tx.query<{ id: string }>(
        'DELETE FROM incidents WHERE id IN (SELECT id FROM incidents WHERE ended_at < ? LIMIT ?) RETURNING id',
        [keptMs, limit],
      );
      for (const { id } of removed) await tx.query('DELETE FROM incident_impact WHERE incident_id = ?', [id]);
      return removed.length === limit;
    });
  }
}

export function toImpact(incident_id: string, losses: Losses): Impact[] {
  return [...impactOf(losses)].map(([ap_id, sums]) => ({ incident_id, ap_id, ...sums }));
}

export function toGrouped({ incident_context, ...alarm }: IncidentAlarm): GroupedAlarm {
  const { product, ...context } = incident_context ?? { product: null };
  return { ...alarm, product, context };
}
