// Alarms: one row each, kept after it has cleared. While it is active no other alarm of the same rule and subject can exist, on
// any number of nodes.
import type { AlarmSeverity, AlarmState } from '@weft/contract';
import type { SqlQueries } from '../../storage/sql-database.ts';

export interface AlarmRecord {
  /** Ordered by time. */
  id: string;
  rule_id: string;
  rule: string;
  /** `agent`, `site`, `storm`, or what of Weft itself it is about. */
  subject_kind: string;
  subject: string;
  ap_id: string | null;
  site: string | null;
  severity: AlarmSeverity;
  state: AlarmState;
  since: number;
  fired_at: number;
  value: number | null;
  message: string;
  labels: Record<string, string>;
  acknowledged_by: string | null;
  acknowledged_at: number | null;
  note: string | null;
  shelved_until: number | null;
  shelved_by: string | null;
  silenced_by: string | null;
  inhibited_by: string | null;
  is_announced: boolean;
  cleared_at: number | null;
  /** Null if it cleared by itself. */
  cleared_by: string | null;
  version: number;
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

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface AlarmStore {
  /** Grows with every change of rules, alarms and silences; `rules` is that of the last change of rules or silences. */
  version(): Promise<{ all: number; rules: number }>;
  /**
   * The next version, in the caller's transaction, which then is the only one that changes any of them until it ends. Call it
   * first.
   */
  nextVersion(tx: SqlQueries, what?: 'rules'): Promise<number>;
  /** Resolves whether it was created: not if one of the same rule and subject is active. */
  create(tx: SqlQueries, alarm: AlarmRecord): Promise<boolean>;
  /** Resolves the alarm after the change, or undefined if there is none, or none that is active. */
  updateActive(tx: SqlQueries, id: string, change: AlarmChange, version: number): Promise<AlarmRecord | undefined>;
  get(id: string, tx?: SqlQueries): Promise<AlarmRecord | undefined>;
  /** All that are active, oldest first. */
  listActive(tx?: SqlQueries): Promise<AlarmRecord[]>;
  /** Up to `limit` alarms that changed after this version, in the order of the changes. */
  changedAfter(version: number, limit: number): Promise<AlarmRecord[]>;
  /** Those that match all filters, newest first. */
  list(options: AlarmPageOptions): Promise<AlarmRecord[]>;
  /** When the last alarm of this rule and subject was cleared by somebody, or undefined. */
  clearedByHandAt(rule_id: string, subject: string): Promise<number | undefined>;
  /** Removes all alarms of an agent; resolves those that were active. */
  removeOf(tx: SqlQueries, ap_id: string): Promise<AlarmRecord[]>;
  /**
   * Removes up to `limit` alarms that cleared before `beforeMs`, or that are not among the newest `keep` cleared ones; oldest
   * first. Resolves whether there may be more.
   */
  prune(options: { beforeMs: number; keep: number; limit: number }): Promise<boolean>;
}
