// Alarms: one row each, kept after it has cleared. While it is active no other alarm of the same rule and subject can exist, on
// any number of nodes.
import type { AlarmSeverity } from '@weft/contract';
import type { Alarm, AlarmState } from '@weft/contract/operations';
import type { SqlQueries, SqlRow, SqlValue } from '../../../core/base/storage/sql-database.ts';
import { toSqlValue } from '../../../core/base/storage/sql-rows.ts';
import { type InMs, RecordTable, SqlStore } from '../../../core/base/storage/sql-store.ts';
import { noteForgotten, type RevisionHead, raiseRevision } from '../../../core/base/storage/table-revision.ts';

type StoredAlarm = InMs<
  Omit<Alarm, 'inhibits' | 'may_handle'>,
  'since' | 'fired_at' | 'acknowledged_at' | 'shelved_until' | 'cleared_at'
>;

/** Their ids are ordered by time. */
export interface AlarmRecord extends StoredAlarm {
  is_announced: boolean;
  version: number;
}

/** `rules`: of the last change of rules or silences; active alarms that were removed up to `forgotten` are forgotten. */
export interface AlarmVersion {
  all: number;
  rules: number;
  forgotten: number;
}

export type AlarmChange = Partial<
  Pick<
    AlarmRecord,
    | 'state'
    | 'value'
    | 'message'
    | 'acknowledged_by'
    | 'acknowledged_at'
    | 'note'
    | 'shelved_until'
    | 'shelved_by'
    | 'silenced_by'
    | 'inhibited_by'
    | 'is_announced'
    | 'cleared_at'
    | 'cleared_by'
  >
>;

export interface AlarmFilters {
  states?: readonly AlarmState[] | undefined;
  severities?: readonly AlarmSeverity[] | undefined;
  ap_id?: string | undefined;
  rule_id?: string | undefined;
  isShelved?: boolean | undefined;
  /** Whether another alarm is their cause. */
  isCaused?: boolean | undefined;
  /** Fired from this moment on. */
  fromMs?: number | undefined;
  /** Fired before this moment. */
  untilMs?: number | undefined;
}

export interface AlarmPageOptions extends AlarmFilters {
  /** Only alarms with a lower id. */
  beforeId?: string | undefined;
  limit: number;
  nowMs: number;
}

const columns = [
  ...['id', 'rule_id', 'rule', 'subject_kind', 'subject', 'ap_id', 'site', 'severity', 'state', 'since', 'fired_at'],
  ...['value', 'message', 'labels', 'acknowledged_by', 'acknowledged_at', 'note', 'shelved_until', 'shelved_by'],
  ...['silenced_by', 'inhibited_by', 'is_announced', 'cleared_at', 'cleared_by', 'version'],
] as (keyof AlarmRecord)[];
export const alarmColumns = columns.join(', ');
const MARKS = columns.map(() => '?').join(', ');
const table = new RecordTable<AlarmRecord>('alarms', alarmColumns, { json: ['labels'], flags: ['is_announced'] });

const alarmHead: RevisionHead<'rules_version'> = { table: 'alarm_head', column: 'version', also: ['rules_version'] };

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class AlarmStore extends SqlStore {
  /** What every change of rules, alarms and silences raises. */
  async version(): Promise<AlarmVersion> {
    const [head] = await this.db.query<AlarmVersion & SqlRow>(
      'SELECT version AS "all", rules_version AS rules, forgotten FROM alarm_head WHERE id = 1',
    );
    return head!;
  }

  /** The next version, in the caller's transaction, which then is the only one that changes any of them. Call it first. */
  nextVersion(tx: SqlQueries, what?: 'rules'): Promise<number> {
    return raiseRevision(tx, alarmHead, ...(what ? (['rules_version'] as const) : []));
  }

  /** Resolves whether it was created: not if one of the same rule and subject is active. */
  async create(tx: SqlQueries, alarm: AlarmRecord): Promise<boolean> {
    const created = await tx.query(
      `INSERT INTO alarms (${alarmColumns}) VALUES (${MARKS}) ON CONFLICT DO NOTHING RETURNING id`,
      columns.map((column) => toSqlValue(alarm[column])),
    );
    return created.length > 0;
  }

  /** Resolves the alarm after the change, or undefined if there is none, or none that is active. */
  async updateActive(
    tx: SqlQueries,
    id: string,
    change: AlarmChange,
    version: number,
  ): Promise<AlarmRecord | undefined> {
    return table.change(tx, { ...change, version }, 'WHERE id = ? AND cleared_at IS NULL', [id]);
  }

  async get(id: string, tx: SqlQueries = this.db): Promise<AlarmRecord | undefined> {
    return table.get(tx, 'WHERE id = ?', [id]);
  }

  /** All that are active, oldest first. */
  async listActive(tx: SqlQueries = this.db): Promise<AlarmRecord[]> {
    return table.list(tx, 'WHERE cleared_at IS NULL ORDER BY id');
  }

  /** The active ones of a rule, oldest first. */
  async listActiveOf(tx: SqlQueries, rule_id: string): Promise<AlarmRecord[]> {
    return table.list(tx, 'WHERE rule_id = ? AND cleared_at IS NULL ORDER BY id', [rule_id]);
  }

  /** Up to `limit` alarms that changed after this version, in the order of the changes. */
  async changedAfter(version: number, limit: number): Promise<AlarmRecord[]> {
    const changed = await table.list(this.db, 'WHERE version > ? ORDER BY version, id LIMIT ?', [version, limit]);
    // One version may have changed many: it is never cut in two.
    if (changed.length < limit) return changed;
    const last = changed.at(-1)!.version;
    const whole = changed.filter((alarm) => alarm.version < last);
    return [...whole, ...(await table.list(this.db, 'WHERE version = ? ORDER BY id', [last]))];
  }

  /** Those that match all filters, newest first. */
  async list(options: AlarmPageOptions): Promise<AlarmRecord[]> {
    const { conditions, params } = toConditions(options);
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    return table.list(this.db, `${where} ORDER BY id DESC LIMIT ?`, [...params, options.limit]);
  }

  /** When the last alarm of this rule and subject was cleared by somebody, or undefined. */
  async clearedByHandAt(rule_id: string, subject: string, tx: SqlQueries = this.db): Promise<number | undefined> {
    const [row] = await tx.query<{ cleared_at: number | null }>(
      `SELECT MAX(cleared_at) AS cleared_at FROM alarms
       WHERE rule_id = ? AND subject = ? AND cleared_at IS NOT NULL AND cleared_by IS NOT NULL`,
      [rule_id, subject],
    );
    return row?.cleared_at ?? undefined;
  }

  /** Removes all alarms of an agent, with the version of the transaction; resolves those that were active. */
  async removeOf(tx: SqlQueries, ap_id: string, version: number): Promise<AlarmRecord[]> {
    const removed = await table.remove(tx, 'WHERE ap_id = ?', [ap_id]);
    const active = removed.filter(({ cleared_at }) => cleared_at === null);
    if (active.length > 0) await noteForgotten(tx, alarmHead, version);
    return active;
  }

  /**
   * Removes up to `limit` alarms that cleared before `beforeMs`, or that are not among the newest `keep` cleared ones; oldest
   * first. Resolves whether there may be more.
   */
  async prune({ beforeMs, keep, limit }: { beforeMs: number; keep: number; limit: number }): Promise<boolean> {
    const [oldest] = await this.db.query<{ cleared_at: number }>(
      'SELECT cleared_at FROM alarms WHERE cleared_at IS NOT NULL ORDER BY cleared_at DESC LIMIT 1 OFFSET ?',
      [keep],
    );
    const removed = await this.db.query(
      `DELETE FROM alarms WHERE id IN (
         SELECT id FROM alarms WHERE cleared_at IS NOT NULL AND (cleared_at < ? OR cleared_at <= ?)
         ORDER BY cleared_at LIMIT ?) RETURNING id`,
      [beforeMs, oldest?.cleared_at ?? -1, limit],
    );
    return removed.length === limit;
  }
}

function toConditions(options: AlarmPageOptions): { conditions: string[]; params: SqlValue[] } {
  const { states, severities, ap_id, rule_id, isShelved, isCaused, fromMs, untilMs, beforeId, nowMs } = options;
  const conditions: string[] = [];
  const params: SqlValue[] = [];
  const add = (condition: string, ...values: SqlValue[]) => {
    conditions.push(condition);
    params.push(...values);
  };
  const among = (column: string, list: readonly string[]) =>
    add(`${column} IN (${list.map(() => '?').join(', ')})`, ...list);
  if (states) among('state', states);
  // The index of active alarms is of few rows.
  if (states && !states.includes('cleared')) add('cleared_at IS NULL');
  if (severities) among('severity', severities);
  if (ap_id !== undefined) add('ap_id = ?', ap_id);
  if (rule_id !== undefined) add('rule_id = ?', rule_id);
  if (isShelved === true) add('shelved_until > ?', nowMs);
  if (isShelved === false) add('(shelved_until IS NULL OR shelved_until <= ?)', nowMs);
  if (isCaused !== undefined) add(`inhibited_by IS ${isCaused ? 'NOT ' : ''}NULL`);
  if (fromMs !== undefined) add('fired_at >= ?', fromMs);
  if (untilMs !== undefined) add('fired_at < ?', untilMs);
  if (beforeId !== undefined) add('id < ?', beforeId);
  return { conditions, params };
}
