// What people and Weft note about single devices: who would not be moved, whose history is kept, which names are one device, and
// whether clear addresses are allowed. All of it is small and held in memory by every node.
import type { Actor } from '../../base/caller.ts';
import { ConflictError } from '../../base/errors.ts';
import { toTime } from '../../base/input/date-time.ts';
import { TotalShare } from '../../base/shares/total-share.ts';
import { ENDED } from '../../base/storage/ended-agents.ts';
import type { SqlQueries, SqlRow } from '../../base/storage/sql-database.ts';
import { countRows, putRecord, runList } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';
import { raiseRevision } from '../../base/storage/table-revision.ts';

export interface StickyDevice {
  device: string;
  reason: 'refused' | 'moved_back';
  /** Where it would not stay. */
  target: string;
  until: number;
}

export interface DeviceWatch {
  device: string;
  until: number;
  /** Who asked for it; it ends with them. */
  caller_kind: string;
  caller_id: string;
}

export interface DeviceIdentity {
  /** A pseudonym that stands for the device. */
  identity: string;
  device: string;
}

type Row<Stored> = Stored & SqlRow;

export const devicesHead = { table: 'device_extras_head', column: 'version' };

/** Every node has looked by then. */
const erasureKeptMs = 600_000;
/** Rows that have ended are not in the way of a node whose clock is behind. */
const steeredKeptMs = 60_000;

const STICKY = 'device, reason, target, until_ms AS until';
const WATCH = 'device, until_ms AS until, caller_kind, caller_id';
const OTHERS = 'SELECT caller_kind AS kind, caller_id AS id FROM device_watches WHERE device <> ? AND until_ms > ?';
const watchShare = new TotalShare('too_many_watches', 'watched devices', 1_000, OTHERS);

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class DeviceExtrasStore extends SqlStore {
  readonly sticky = () => this.db.query<Row<StickyDevice>>(`SELECT ${STICKY} FROM device_sticky`);
  readonly watches = () => this.db.query<Row<DeviceWatch>>(`SELECT ${WATCH} FROM device_watches`);
  readonly identities = () => this.db.query<Row<DeviceIdentity>>('SELECT identity, device FROM device_identities');
  /** Those that were erased a moment ago, and when. */
  readonly erasures = () =>
    this.db.query<{ device: string; at: number }>('SELECT device, at_ms AS at FROM device_erasures');
  /** One row if an administrator has allowed clear addresses, else none. */
  readonly allowances = () => this.db.query('SELECT id FROM device_extras_head WHERE clear_addresses = 1');

  async putSticky(tx: SqlQueries, { device, reason, target, until }: StickyDevice): Promise<void> {
    await this.#changed(tx);
    const row = { device, reason, target, until_ms: Math.round(until) };
    await putRecord(tx, 'device_sticky', 'device, reason, target, until_ms', row);
  }

  /** Begins a watch, or changes its end: it stays its maker's. Throws ConflictError `watched_by_another`, `too_many_watches`. */
  async putWatch(tx: SqlQueries, watch: DeviceWatch, by: Actor, nowMs: number): Promise<void> {
    const { device, until } = watch;
    await this.#changed(tx);
    const running = await this.#watchOf(tx, device, nowMs);
    if (!running) await watchShare.take(tx, by, [device, nowMs]);
    else if (Math.round(until) < running.until) requireOwn(running, by);
    const { caller_kind, caller_id } = running ?? watch;
    const row = { device, until_ms: Math.round(until), caller_kind, caller_id };
    await putRecord(tx, 'device_watches', 'device, until_ms, caller_kind, caller_id', row);
  }

  /** Resolves whether there was one. Throws ConflictError `watched_by_another`. */
  async removeWatch(tx: SqlQueries, device: string, by: Actor, nowMs: number): Promise<boolean> {
    await this.#changed(tx);
    const running = await this.#watchOf(tx, device, nowMs);
    if (running) requireOwn(running, by);
    const removed = await tx.query('DELETE FROM device_watches WHERE device = ? RETURNING device', [device]);
    return removed.length > 0;
  }

  async #watchOf(tx: SqlQueries, device: string, nowMs: number): Promise<DeviceWatch | undefined> {
    const sql = `SELECT ${WATCH} FROM device_watches WHERE device = ? AND until_ms > ?`;
    return (await tx.query<DeviceWatch & SqlRow>(sql, [device, nowMs]))[0];
  }

  /** Ends what a caller asked for that is gone. */
  async removeWatchesOf(tx: SqlQueries, caller_kind: string, caller_id: string): Promise<void> {
    const removed = await tx.query(
      'DELETE FROM device_watches WHERE caller_kind = ? AND caller_id = ? RETURNING device',
      [caller_kind, caller_id],
    );
    if (removed.length > 0) await this.#changed(tx);
  }

  /** Ends those of devices that no access point serves but these, whose network has ended. */
  async removeWatchesAt(tx: SqlQueries, agents: readonly { ap_id: string }[]): Promise<void> {
    const elsewhere = `SELECT 1 FROM device_links JOIN agents USING (ap_id)
      WHERE device_links.device = device_watches.device AND left_at IS NULL AND NOT ${ENDED}`;
    const removed = await runList(
      tx,
      `DELETE FROM device_watches WHERE device IN (SELECT device FROM device_links WHERE ap_id IN ({{list}}))
       AND NOT EXISTS (${elsewhere}) RETURNING device`,
      agents.map(({ ap_id }) => ap_id),
    );
    if (removed.length > 0) await this.#changed(tx);
  }

  /** `identity` and all that stood for it stand for `device` from now on, links too. Throws ConflictError `too_many_identities`. */
  async link(tx: SqlQueries, identity: string, device: string, max: number): Promise<void> {
    await this.#changed(tx);
    if ((await countRows(tx, 'device_identities')) >= max) {
      throw new ConflictError('too_many_identities', `At most ${max} identities are linked`);
    }
    await tx.query('DELETE FROM device_identities WHERE identity = ?', [device]);
    await tx.query('UPDATE device_identities SET device = ? WHERE device = ?', [device, identity]);
    await putRecord(tx, 'device_identities', 'identity, device', { identity, device });
    // Where both are attached one row is enough.
    await tx.query(
      `DELETE FROM device_links WHERE device = ? AND ap_id IN (SELECT ap_id FROM device_links WHERE device = ?)`,
      [identity, device],
    );
    await tx.query('UPDATE device_links SET device = ? WHERE device = ?', [device, identity]);
  }

  async setClearAddresses(tx: SqlQueries, isAllowed: boolean): Promise<void> {
    await this.#changed(tx);
    await tx.query('UPDATE device_extras_head SET clear_addresses = ? WHERE id = 1', [isAllowed ? 1 : 0]);
  }

  /** Forgets a device in all of it, and that it was erased `at` is known for a while; resolves the names that stood for it. */
  async remove(tx: SqlQueries, device: string, at: number): Promise<string[]> {
    // In the order of whoever notes that a device went back, or the two would wait for one another.
    await tx.query('DELETE FROM device_steered WHERE device = ?', [device]);
    await this.#changed(tx);
    await putRecord(tx, 'device_erasures', 'device, at_ms', { device, at_ms: Math.round(at) });
    const names = await tx.query<{ identity: string }>(
      'DELETE FROM device_identities WHERE device = ? RETURNING identity',
      [device],
    );
    await tx.query('DELETE FROM device_watches WHERE device = ?', [device]);
    await tx.query('DELETE FROM device_sticky WHERE device = ?', [device]);
    return names.map(({ identity }) => identity);
  }

  /** Removes what has ended. */
  async prune(nowMs: number): Promise<void> {
    await this.db.query('DELETE FROM device_steered WHERE until_ms <= ?', [nowMs - steeredKeptMs]);
    await this.db.transaction(async (tx) => {
      const sticky = await tx.query('DELETE FROM device_sticky WHERE until_ms <= ? RETURNING device', [nowMs]);
      const watches = await tx.query('DELETE FROM device_watches WHERE until_ms <= ? RETURNING device', [nowMs]);
      await tx.query('DELETE FROM device_erasures WHERE at_ms <= ?', [nowMs - erasureKeptMs]);
      if (sticky.length + watches.length > 0) await this.#changed(tx);
    });
  }

  /** First in a transaction: it also locks the others out. */
  async #changed(tx: SqlQueries): Promise<void> {
    await raiseRevision(tx, devicesHead);
  }
}

/** Its maker's and administrators' to end. Who made it is no one else's to know. */
function requireOwn({ caller_kind, caller_id, until }: DeviceWatch, by: Actor): void {
  if ((by.kind === caller_kind && by.id === caller_id) || (by.kind === 'user' && by.isAdmin)) return;
  const detail = `Somebody else watches this device; it ends at ${toTime(until)}, or earlier if they or an administrator end it. You can only prolong it.`;
  throw new ConflictError('watched_by_another', detail);
}
