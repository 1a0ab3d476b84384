// The event log: what happened, in one order, for people and programs. Features append in the transactions of their changes;
// the timeline, webhooks and e-mail read it by id. It is also their outbox: whoever remembers an id misses nothing.
// It relies on the one row of `event_head`: it is locked before an event gets its id, and the lock lasts
// until the transaction ends, so that the order of ids is the order of commits. A sequence would not do: ids that it gives out
// become visible when their transactions commit, in any order.
import { parseObject } from '@weft/contract/is-object';
import { afterCommit } from '../../base/storage/open-transaction.ts';
import type { SqlDatabase, SqlQueries, SqlValue } from '../../base/storage/sql-database.ts';
import { runRows, storable } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';
import { giveWay } from '../../base/time-slices.ts';
import type { AuditLog } from '../audit/audit-store.ts';
import { toConditions } from './event-conditions.ts';
import { appendMembers, pruneGroups, removeDeviceEvents } from './event-devices.ts';
import {
  type EventPage,
  type EventReadOptions,
  type LoggedEvent,
  maxDataBytes,
  maxPageBytes,
  type NewEvent,
} from './event-record.ts';

const COLUMNS = 'id, ts, kind, subject_kind, subject, ap_id, site, severity, text, data';
/** How many events one statement of a search looks at, and how many it reads: a fraction of a millisecond each. */
const stretch = 500;
const readAtOnce = 20;
/** How many events one call looks at. */
const maxScanned = 50_000;
const maxTextLength = 2_000;
const byIdsAtOnce = 100;

type Row = Omit<LoggedEvent, 'data'> & { data: string };

export interface EventLogOptions {
  auditLog: Pick<AuditLog, 'lock'>;
  /** Called once events are durable; must not throw. */
  onLogged?: () => void;
  /** The path of the site of an agent now, where an event does not say; default: none is filled in. */
  siteOf?: (ap_id: string) => string | null | undefined;
  now?: () => number;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class EventLog extends SqlStore {
  readonly #options: EventLogOptions;
  readonly #now: () => number;

  constructor(database: SqlDatabase, options: EventLogOptions) {
    super(database);
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Appends the events in order, in the transaction of the caller. Locks the end of the log until that ends, so that events become
   * visible in the order of their ids, on any number of nodes: whoever has read up to an id finds nothing below it later.
   * Append last in the transaction, because others wait meanwhile.
   */
  async append(tx: SqlQueries, events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { onLogged } = this.#options;
    const head = await this.#lockHead(tx);
    const ts = Math.max(this.#now(), head.ts);
    const rows = events.map((event, index) => this.#toColumns(event, head.newest + 1 + index, ts));
    await runRows(tx, `INSERT INTO event_log (${COLUMNS}) VALUES {{rows}}`, rows);
    await appendMembers(tx, events, head.newest + 1);
    await tx.query('UPDATE event_head SET newest = ?, ts = ? WHERE id = 1', [head.newest + events.length, ts]);
    if (onLogged) afterCommit(tx, onLogged);
  }

  /** Events that match all filters: at most `limit`, and fewer if their data exceeds `maxPageBytes`, but at least one. A long search does not block others. */
  async read(options: EventReadOptions): Promise<EventPage> {
    return this.#read(await this.#range(options), options);
  }

  /** Those of these that are kept, in the order of their ids. */
  async byIds(ids: readonly number[]): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    const sorted = [...new Set(ids)].sort((a, b) => a - b);
    for (let start = 0; start < sorted.length; start += byIdsAtOnce) {
      const part = sorted.slice(start, start + byIdsAtOnce);
      const sql = `SELECT ${COLUMNS} FROM event_log WHERE id IN (${part.map(() => '?').join(', ')}) ORDER BY id`;
      events.push(...(await this.db.query<Row>(sql, part)).map(toEvent));
    }
    return events;
  }

  /** The id of the newest event, 0 if there was none; also of one that is no longer kept. */
  async newest(): Promise<number> {
    const [head] = await this.db.query<{ newest: number }>('SELECT newest FROM event_head WHERE id = 1');
    return head?.newest ?? 0;
  }

  /** The id of the oldest event that is kept; undefined if there is none. */
  async oldest(): Promise<number | undefined> {
    const [first] = await this.db.query<{ id: number }>('SELECT id FROM event_log ORDER BY id LIMIT 1');
    return first?.id;
  }

  /** Removes all events about this device, and its name from those about many, in the transaction of the caller. */
  async removeDevice(tx: SqlQueries, device: string): Promise<void> {
    await removeDeviceEvents(tx, device);
  }

  /** Removes up to `limit` events of each kind from before these times, oldest first. Resolves whether there may be more. */
  async prune(before: { events: number; devices: number }, limit: number): Promise<boolean> {
    const areMoreGroups = await pruneGroups(this.db, before.devices);
    // Those about many devices have rows of their own, and go as above.
    const removed = await this.db.query(
      `DELETE FROM event_log WHERE id IN (
        SELECT id FROM event_log WHERE subject_kind <> 'devices' ORDER BY id LIMIT ?
      ) AND ts < ? RETURNING id`,
      [limit, before.events],
    );
    const removedDevices = await this.db.query(
      `DELETE FROM event_log WHERE id IN (
        SELECT id FROM event_log WHERE subject_kind = 'device' ORDER BY id LIMIT ?
      ) AND ts < ? RETURNING id`,
      [limit, before.devices],
    );
    return areMoreGroups || removed.length === limit || removedDevices.length === limit;
  }

  async #lockHead(tx: SqlQueries): Promise<{ newest: number; ts: number }> {
    const isPostgres = this.db.dialect === 'postgres';
    // Always in this order: transactions that lock both logs would otherwise wait for one another. SQLite has one writer at a time.
    if (isPostgres) await this.#options.auditLog.lock(tx);
    const [head] = await tx.query<{ newest: number; ts: number }>(
      `SELECT newest, ts FROM event_head WHERE id = 1${isPostgres ? ' FOR UPDATE' : ''}`,
    );
    if (!head) throw new Error('The event log is damaged: its end is not known any more');
    return head;
  }

  #toColumns(event: NewEvent, id: number, ts: number): SqlValue[] {
    const { kind, subject_kind, subject, severity = 'info', text, data = {}, ts: happenedMs } = event;
    const ap_id = agentOf(event);
    const site = event.site === undefined && ap_id !== null ? this.#options.siteOf?.(ap_id) : event.site;
    const isEarlier = happenedMs !== undefined && happenedMs < ts;
    const whole = isEarlier ? { ...data, at: new Date(happenedMs).toISOString() } : data;
    return [
      id,
      ts,
      kind,
      subject_kind,
      storable(subject),
      ap_id,
      site === null || site === undefined ? null : storable(site),
      severity,
      storable(text.length > maxTextLength ? `${text.slice(0, maxTextLength - 1)}…` : text),
      toDataText(whole),
    ];
  }

  /** The ids between which events may match; both belong to it. */
  async #range({ after = 0, before, fromMs, untilMs }: EventReadOptions): Promise<{ low: number; high: number }> {
    const newest = await this.newest();
    let low = after + 1;
    let high = Math.min(newest, (before ?? Number.POSITIVE_INFINITY) - 1);
    if (fromMs !== undefined) low = Math.max(low, await this.#firstSince(fromMs, newest));
    if (untilMs !== undefined) high = Math.min(high, (await this.#firstSince(untilMs, newest)) - 1);
    // Without this, a search would go through the ids of events that are no longer kept.
    if (low <= high) low = Math.max(low, (await this.oldest()) ?? low);
    return { low, high };
  }

  /** A lower bound of the ids of all events from this moment on, such that every event below it is older. Times grow with ids. */
  async #firstSince(ms: number, newest: number): Promise<number> {
    let [low, high] = [1, newest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [event] = await this.db.query<{ id: number; ts: number }>(
        'SELECT id, ts FROM event_log WHERE id >= ? ORDER BY id LIMIT 1',
        [middle],
      );
      if (event === undefined || event.ts >= ms) high = middle;
      else low = event.id + 1;
    }
    return low;
  }

  /** In parts, because a statement of the embedded database blocks the whole process. */
  async #read(range: Range, options: EventReadOptions): Promise<EventPage> {
    const { conditions, params } = toConditions(options);
    const isUp = options.order !== 'newest_first';
    const [from, to, order] = isUp ? ['>=', '<=', ''] : ['<=', '>=', ' DESC'];
    const sql = `SELECT ${COLUMNS} FROM event_log WHERE id ${from} ? AND id ${to} ?${conditions} ORDER BY id${order} LIMIT ?`;
    const page = new PageInMaking(options.limit);
    const step = stepOf(options);
    const isLeft = (id: number) => id >= range.low && id <= range.high;
    const past = isUp ? 1 : -1;
    let start = isUp ? range.low : range.high;
    for (let scanned = 0; isLeft(start) && scanned < maxScanned; ) {
      const end = Math.max(range.low, Math.min(range.high, start + past * (step - 1)));
      const wanted = Math.min(page.room, readAtOnce);
      const rows = await this.db.query<Row>(sql, [start, end, ...params, wanted]);
      const last = page.add(rows);
      if (last !== undefined) return page.endingAt(isLeft(last + past) ? last : null);
      const isThrough = rows.length < wanted;
      scanned += isThrough ? step : wanted;
      start = (isThrough ? end : rows.at(-1)!.id) + past;
      await giveWay();
    }
    return page.endingAt(isLeft(start) ? start - past : null);
  }
}

type Range = { low: number; high: number };

/** One agent's events have an index of their own, and one device's. */
function stepOf({ ap_id, subject_kind, subject }: EventReadOptions): number {
  const hasIndex = ap_id !== undefined || (subject_kind === 'device' && subject !== undefined);
  return hasIndex ? Number.POSITIVE_INFINITY : stretch;
}

class PageInMaking {
  readonly #limit: number;
  readonly #events: LoggedEvent[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get room(): number {
    return this.#limit - this.#events.length;
  }

  /** The id of the last event that it took, if there is no room for more. */
  add(rows: readonly Row[]): number | undefined {
    for (const row of rows) {
      this.#bytes += Buffer.byteLength(row.data);
      if (this.#bytes > maxPageBytes && this.#events.length > 0) return this.#events.at(-1)!.id;
      this.#events.push(toEvent(row));
    }
    return this.room === 0 ? this.#events.at(-1)?.id : undefined;
  }

  endingAt(next: number | null): EventPage {
    return { events: this.#events, next };
  }
}

function agentOf({ subject_kind, subject, data }: NewEvent): string | null {
  if (subject_kind === 'agent') return storable(subject);
  return typeof data?.ap_id === 'string' ? storable(data.ap_id) : null;
}

function toDataText(data: Record<string, unknown>): string {
  const text = JSON.stringify(data);
  const omitted_bytes = text.length > maxDataBytes / 4 ? Buffer.byteLength(text) : text.length;
  return omitted_bytes <= maxDataBytes ? text : JSON.stringify({ omitted_bytes });
}

function toEvent(row: Row): LoggedEvent {
  return { ...row, data: parseObject(row.data) ?? {} };
}
