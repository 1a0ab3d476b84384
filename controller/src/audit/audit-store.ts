// The audit log: who changed what, as one append-only hash chain of entries. Written in the transactions of the
// changes; read by administrators, verified by anyone with access to the database.
import type { Actor } from '../caller.ts';
import type { SqlQueries } from '../storage/sql-database.ts';

export interface NewAuditEntry {
  actor: Actor;
  /** Stable and in snake_case, such as `user_updated`. */
  action: string;
  target: { kind: string; name: string };
  /** What changed, by name; never a secret. */
  detail: Record<string, unknown>;
}

export interface AuditRecord {
  /** Counts from 1 without gaps. */
  seq: number;
  /** By the clock of the node that wrote it. */
  ts: number;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string;
  action: string;
  target_kind: string;
  target: string;
  /** JSON, at most `maxDetailBytes`. */
  detail: string;
  hash: string;
  /** The seal of its hash, with the key of the installation; null for entries from before there were any. */
  mac: string | null;
}

export interface AuditFilters {
  /** One of these names. */
  actor?: readonly string[] | undefined;
  action?: string | undefined;
  target?: readonly string[] | undefined;
  /** From this moment on. */
  sinceMs?: number | undefined;
  /** Until right before this moment. */
  untilMs?: number | undefined;
}

export interface AuditPageOptions extends AuditFilters {
  /** Only entries older than this one. */
  beforeSeq?: number | undefined;
  limit: number;
}

export type AuditVerification =
  | {
      isWhole: true;
      /** How many entries were checked. */
      count: number;
      /** The newest entry; 0 and zeros if there is none. */
      seq: number;
      head: string;
      /** How many entries have a seal that was checked, none (they are older), or one of a secret that is not configured. */
      seals: { checked: number; without: number; unknown: number };
    }
  | {
      isWhole: false;
      /** The number of the first invalid entry. */
      seq: number;
      reason: string;
    };

/** A longer detail is replaced by its size and SHA-256. */
export const maxDetailBytes = 96 * 1024;

/** A page ends when its details exceed this. */
export const maxPageBytes = 4 * 1024 * 1024;

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface AuditLog {
  /**
   * Locks the end of the log until the transaction ends: other transactions that append or lock wait. For callers that must decide
   * something before they write; `append` locks by itself.
   */
  lock(tx: SqlQueries): Promise<void>;
  /**
   * Appends the entries in order, in the transaction of the caller. Of any number of
   * transactions, on any number of nodes, no two use the same number and none leaves a gap. Throws TryLaterError (503,
   * `audit_log_damaged`) if the end of the log was changed, so that it cannot be continued.
   */
  append(tx: SqlQueries, entries: readonly NewAuditEntry[]): Promise<void>;
  /**
   * Entries that match all filters, newest first: at most `limit`, and fewer if their details exceed `maxPageBytes`
   * together, but at least one if there are any. A long search does not block others.
   */
  list(options: AuditPageOptions): Promise<{ entries: AuditRecord[]; has_more: boolean }>;
  /** Up to `limit` entries from this number on, oldest first. */
  page(fromSeq: number, limit: number): Promise<AuditRecord[]>;
  /**
   * Verifies the chain in bounded memory, from the entry `fromSeq` or from the beginning, to the newest. Detects every entry that was
   * changed, removed, moved or inserted, and a truncated end. With `notedHash`, one of the verified entries (or the empty
   * beginning) must have that hash: this also detects a log that was rewritten as a whole. With the key of the installation the seals are
   * checked too, which detects that without a noted hash.
   */
  verify(options?: { fromSeq?: number; notedHash?: string }): Promise<AuditVerification>;
}
