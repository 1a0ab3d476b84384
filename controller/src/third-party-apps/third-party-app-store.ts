// Third-party app records. The api_key is encrypted; only the service can decrypt it.
import type { InSameTransaction, SqlQueries } from '../storage/sql-database.ts';

export interface ThirdPartyAppRecord {
  id: string;
  app_name: string;
  api_key_encrypted: string;
  permissions: Record<string, unknown>;
  /** Random; changes whenever the api_key changes. Tokens carry it. */
  ver: string;
  created_at: number;
}

export type ThirdPartyAppChange = Partial<Pick<ThirdPartyAppRecord, 'api_key_encrypted' | 'permissions' | 'ver'>>;

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export interface ThirdPartyAppStore {
  /** The record, or undefined. */
  get(app_name: string): Promise<ThirdPartyAppRecord | undefined>;
  /** Those of these ids that exist, in the caller's transaction. */
  byIds(tx: SqlQueries, ids: readonly string[]): Promise<ThirdPartyAppRecord[]>;
  /** All apps, ordered by app_name. */
  list(): Promise<ThirdPartyAppRecord[]>;
  count(): Promise<number>;
  /** Durable when it resolves. Throws ConflictError `app_exists` if the app_name is taken. */
  create(app: ThirdPartyAppRecord, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<void>;
  /** Resolves the updated record, or undefined if there is none, or if its version is not `onlyVer` (if given). */
  update(
    app_name: string,
    change: ThirdPartyAppChange,
    options?: { onlyVer?: string; also?: InSameTransaction<ThirdPartyAppRecord> },
  ): Promise<ThirdPartyAppRecord | undefined>;
  /** Resolves whether it existed. */
  remove(app_name: string, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<boolean>;
}
