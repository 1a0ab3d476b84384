// Where devices are attached, as it outlives a restart and as other nodes read it: under pseudonyms, never addresses.
import { endedAmong } from '../../base/storage/ended-agents.ts';
import type { SqlDatabase, SqlQueries, SqlRow } from '../../base/storage/sql-database.ts';
import { inParts, runRows } from '../../base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../base/storage/sql-store.ts';

export interface DeviceLinkRecord {
  device: string;
  ap_id: string;
  since: number;
  /** The time of the newest list that decided about it. */
  seen: number;
  /** Null while it is attached. */
  left_at: number | null;
  is_randomised: boolean;
}

export interface StoredDeviceLink extends DeviceLinkRecord {
  /** When the row was written, by the clock of the node that did. */
  updated_at: number;
}

/** The newest list of an access point, with the values of its devices. */
export interface DeviceListRecord {
  ap_id: string;
  /** By the clock of the access point, or of its model. */
  ts: number;
  /** When Weft heard it, by its own clock. */
  heard_at: number;
  /** JSON; written and read by `registry/device-values`. */
  device_values: string;
}

const LINK = 'device, ap_id, since, seen, left_at, is_randomised';
const LIST = 'ap_id, ts, heard_at, device_values';

const linkTable = new RecordTable<StoredDeviceLink>('device_links', `${LINK}, updated_at`, {
  flags: ['is_randomised'],
});
const listTable = new RecordTable<DeviceListRecord>('device_lists', LIST);

export interface DeviceStoreOptions {
  /** The name of this process among those that use the database. */
  node: string;
  now?: () => number;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class DeviceStore extends SqlStore {
  readonly #node: string;
  readonly #now: () => number;

  constructor(database: SqlDatabase, { node, now = Date.now }: DeviceStoreOptions) {
    super(database);
    this.#node = node;
    this.#now = now;
  }

  /** All links, also those that have ended; ordered by device and ap_id; at most `limit` after the given one. */
  async links(after: { device: string; ap_id: string } | undefined, limit: number): Promise<StoredDeviceLink[]> {
    const next = 'WHERE (device, ap_id) > (?, ?) ORDER BY device, ap_id LIMIT ?';
    return linkTable.list(this.db, next, [after?.device ?? '', after?.ap_id ?? '', limit]);
  }

  /** All lists, ordered by ap_id; at most `limit` after the given one. */
  async lists(after: string, limit: number): Promise<DeviceListRecord[]> {
    return listTable.list(this.db, 'WHERE ap_id > ? ORDER BY ap_id LIMIT ?', [after, limit]);
  }

  /** The links that were written at this time or later, and the lists that other nodes wrote then. */
  async changedSince(updatedMs: number): Promise<{ links: StoredDeviceLink[]; lists: DeviceListRecord[] }> {
    return {
      links: await linkTable.list(this.db, 'WHERE updated_at >= ?', [updatedMs]),
      lists: await listTable.list(this.db, 'WHERE updated_at >= ? AND node <> ?', [updatedMs, this.#node]),
    };
  }

  /**
   * Creates or replaces these links, in the transaction of the caller. One that is older than what is stored is left out.
   * Resolves those that were in the same state already, attached or not, as another node has written it.
   */
  async write(tx: SqlQueries, links: readonly DeviceLinkRecord[]): Promise<DeviceLinkRecord[]> {
    const stored = await runRows<Pick<DeviceLinkRecord, 'device' | 'ap_id' | 'left_at'> & SqlRow>(
      tx,
      'SELECT device, ap_id, left_at FROM device_links WHERE (device, ap_id) IN (VALUES {{rows}})',
      links.map(({ device, ap_id }) => [device, ap_id]),
    );
    const leftAt = new Map(stored.map((row) => [keyOf(row), row.left_at]));
    const now = this.#now();
    await runRows(
      tx,
      `INSERT INTO device_links (${LINK}, updated_at) VALUES {{rows}}
       ON CONFLICT (device, ap_id) DO UPDATE SET since = excluded.since, seen = excluded.seen, left_at = excluded.left_at,
         is_randomised = excluded.is_randomised, updated_at = excluded.updated_at
       WHERE excluded.seen >= device_links.seen`,
      links.map(({ device, ap_id, since, seen, left_at, is_randomised }) => [
        ...[device, ap_id, Math.round(since), Math.round(seen), left_at === null ? null : Math.round(left_at)],
        ...[Number(is_randomised), now],
      ]),
    );
    return links.filter((link) => {
      const before = leftAt.get(keyOf(link));
      return before !== undefined && (before === null) === (link.left_at === null);
    });
  }

  /**
   * Creates or replaces these lists; durable when it resolves. One that is older than what is stored is left out, and so is
   * one with a device that was erased after it came, and one of an access point whose network has ended.
   */
  async saveLists(lists: readonly DeviceListRecord[]): Promise<void> {
    if (lists.length === 0) return;
    const now = this.#now();
    await this.db.transaction(async (tx) => {
      const names = lists.map(({ ap_id }) => ap_id);
      const ended = await endedAmong(tx, names);
      const erased = await tx.query<{ device: string; at_ms: number }>('SELECT device, at_ms FROM device_erasures');
      const isErasedSince = ({ heard_at, device_values }: DeviceListRecord) =>
        erased.some(({ device, at_ms }) => heard_at <= at_ms && device_values.includes(JSON.stringify(device)));
      await runRows(
        tx,
        `INSERT INTO device_lists (${LIST}, node, updated_at) VALUES {{rows}}
         ON CONFLICT (ap_id) DO UPDATE SET ts = excluded.ts, heard_at = excluded.heard_at,
           device_values = excluded.device_values, node = excluded.node,
           updated_at = excluded.updated_at
         WHERE excluded.ts >= device_lists.ts`,
        lists
          .filter((list) => !ended.has(list.ap_id) && !isErasedSince(list))
          .map(({ ap_id, ts, heard_at, device_values }) => {
            return [ap_id, Math.round(ts), Math.round(heard_at), device_values, this.#node, now];
          }),
      );
    });
  }

  /** Forgets everything that an access point said; repeated calls are harmless. */
  async removeAgent(ap_id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query('DELETE FROM device_links WHERE ap_id = ?', [ap_id]);
      await tx.query('DELETE FROM device_lists WHERE ap_id = ?', [ap_id]);
    });
  }

  /** Forgets a device and the lists it is in, in the transaction of the caller; repeated calls are harmless. */
  async remove(tx: SqlQueries, devices: readonly string[]): Promise<void> {
    for (const { marks, values } of inParts(devices)) {
      // What else is in those lists is written down again in a few seconds.
      const attached = `SELECT ap_id FROM device_links WHERE device IN (${marks})`;
      await tx.query(`DELETE FROM device_lists WHERE ap_id IN (${attached})`, values);
      await tx.query(`DELETE FROM device_links WHERE device IN (${marks})`, values);
    }
  }

  /**
   * Removes ended links: those that were written before `goneMs`, and those from before `movedMs` of devices that were seen
   * elsewhere since. At most `limit`; resolves whether there may be more.
   */
  async prune({ goneMs, movedMs }: { goneMs: number; movedMs: number }, limit: number): Promise<boolean> {
    const removed = await this.db.query(
      `DELETE FROM device_links WHERE (device, ap_id) IN (
         SELECT device, ap_id FROM device_links AS ended WHERE left_at IS NOT NULL AND updated_at < ? AND (updated_at < ? OR EXISTS (
           SELECT 1 FROM device_links AS other WHERE other.device = ended.device AND other.seen > ended.seen
         )) LIMIT ?
       ) RETURNING ap_id`,
      [movedMs, goneMs, limit],
    );
    return removed.length === limit;
  }
}

function keyOf({ device, ap_id }: { device: string; ap_id: string }): string {
  return `${device} ${ap_id}`;
}
