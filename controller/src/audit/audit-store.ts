// The audit log: who changed what, as one chain of entries that only grows. Written inside the transactions of the
// changes it tells of; read by administrators, checked by anybody who has the database.
import type { Actor } from '../caller.ts';
import type { SqlQueries } from '../storage/sql-database.ts';

export interface NewAuditEntry {
  actor: Actor;
  /** A stable snake_case word, such as `user_updated`. */
  action: string;
  target: { kind: string; name: string };
  /** What changed, by name; never a secret. */
  detail: Record<string, unknown>;
}

export interface AuditRecord {
  /** Counts from 1 without a gap. */
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
}

export interface AuditFilters {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
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
      /** How many entries were looked at. */
      count: number;
      /** The newest entry; 0 and zeros when there is none. */
      seq: number;
      head: string;
    }
  | {
      isWhole: false;
      /** The first number at which the chain is not what it should be. */
      seq: number;
      reason: string;
    };

/** More than that is replaced by its size and SHA-256. */
export const maxDetailBytes = 96 * 1024;

/** Details beyond this are left to the next page. */
export const maxPageBytes = 4 * 1024 * 1024;

/** Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. */
export interface AuditLog {
  /**
   * Holds the end of the log until the transaction is over: others who append, or lock, wait. For whoever must decide
   * something before it writes; `append` does it by itself.
   */
  lock(tx: SqlQueries): Promise<void>;
  /**
   * Adds the entries in their order, inside the transaction of the caller: they stand or fall with it. Of any number of
   * transactions, on any number of nodes, no two get the same number and none leaves a gap. Throws TryLaterError (503,
   * `audit_log_damaged`) when somebody has been at the log and it cannot go on where it ended.
   */
  append(tx: SqlQueries, entries: readonly NewAuditEntry[]): Promise<void>;
  /**
   * Entries that fit all filters, newest first: at most `limit`, and fewer when their details grow beyond `maxPageBytes`
   * together, but never none while there are any. A long search does not hold up anybody else.
   */
  list(options: AuditPageOptions): Promise<{ entries: AuditRecord[]; has_more: boolean }>;
  /** Up to `limit` entries from this number on, oldest first. */
  page(fromSeq: number, limit: number): Promise<AuditRecord[]>;
  /**
   * Walks the chain in bounded memory, from the entry `fromSeq` or from the beginning, to the newest. Finds every entry that was
   * changed, removed, moved or put in, and an end that was cut off. With `notedHash`, one of the entries walked (or the empty
   * beginning) must have that hash: so it also finds a log that was written anew as a whole.
   */
  verify(options?: { fromSeq?: number; notedHash?: string }): Promise<AuditVerification>;
}
