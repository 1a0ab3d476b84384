// Third-party app records. The api_key is ciphertext here; only the service holds the key to it.
import type { InSameTransaction } from '../storage/sql-database.ts';

export interface ThirdPartyAppRecord {
  id: string;
  app_name: string;
  api_key_encrypted: string;
  permissions: Record<string, unknown>;
  /** Random; renewed whenever the api_key changes. Tokens carry it. */
  ver: string;
  created_at: number;
}

export type ThirdPartyAppChange = Partial<Pick<ThirdPartyAppRecord, 'api_key_encrypted' | 'permissions' | 'ver'>>;

/**
 * Every method throws TryLaterError (503) while the database is out of reach; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export interface ThirdPartyAppStore {
  /** The record, or undefined. */
  get(app_name: string): Promise<ThirdPartyAppRecord | undefined>;
  /** All apps, ordered by app_name. */
  list(): Promise<ThirdPartyAppRecord[]>;
  count(): Promise<number>;
  /** Durable when it resolves. Throws ConflictError `app_exists` if the app_name is taken. */
  create(app: ThirdPartyAppRecord, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<void>;
  /** Resolves the record as it is now, or undefined if there is none, or none of the version `onlyVer` if that is given. */
  update(
    app_name: string,
    change: ThirdPartyAppChange,
    options?: { onlyVer?: string; also?: InSameTransaction<ThirdPartyAppRecord> },
  ): Promise<ThirdPartyAppRecord | undefined>;
  /** Resolves whether there was one to remove. */
  remove(app_name: string, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<boolean>;
}
