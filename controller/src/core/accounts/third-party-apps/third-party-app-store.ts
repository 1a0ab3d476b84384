// Third-party app records. The api_key is encrypted; only the service can decrypt it.
import { ConflictError } from '../../base/errors.ts';
import type { InSameTransaction, SqlQueries } from '../../base/storage/sql-database.ts';
import { insertRecord } from '../../base/storage/sql-rows.ts';
import { ifTaken, RecordTable, SqlStore } from '../../base/storage/sql-store.ts';

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

const COLUMNS = 'id, app_name, api_key_encrypted, permissions, ver, created_at';
const table = new RecordTable<ThirdPartyAppRecord>('third_party_apps', COLUMNS, { json: ['permissions'] });

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export class ThirdPartyAppStore extends SqlStore {
  /** The record, or undefined. */
  async get(app_name: string): Promise<ThirdPartyAppRecord | undefined> {
    return table.get(this.db, 'WHERE app_name = ?', [app_name]);
  }

  /** Those of these ids that exist, in the caller's transaction. */
  async byIds(tx: SqlQueries, refs: readonly { id: string }[]): Promise<ThirdPartyAppRecord[]> {
    return table.byIds(
      tx,
      refs.map(({ id }) => id),
    );
  }

  /** All apps, ordered by app_name. */
  async list(): Promise<ThirdPartyAppRecord[]> {
    return table.list(this.db, 'ORDER BY app_name');
  }

  async count(): Promise<number> {
    return this.countRows('third_party_apps');
  }

  /** Durable when it resolves. Throws ConflictError `app_exists` if the app_name is taken. */
  async create(app: ThirdPartyAppRecord, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<void> {
    await this.db
      .transaction(async (tx) => {
        await insertRecord(tx, 'third_party_apps', COLUMNS, app);
        await also?.(tx, { after: app });
      })
      .catch(ifTaken(() => new ConflictError('app_exists', 'An app with this app_name exists')));
  }

  /** Resolves the updated record, or undefined if there is none, or if its version is not `onlyVer` (if given). */
  async update(
    app_name: string,
    change: ThirdPartyAppChange,
    { onlyVer, also }: { onlyVer?: string; also?: InSameTransaction<ThirdPartyAppRecord> } = {},
  ): Promise<ThirdPartyAppRecord | undefined> {
    return this.db.transaction(async (tx) => {
      // An update instead of a select, because it locks the row until the end of the transaction on both databases.
      const isOne = 'ver = ver WHERE app_name = ? AND ver = COALESCE(?, ver)';
      const before = await table.update(tx, isOne, [app_name, onlyVer ?? null]);
      if (before === undefined) return undefined;
      const { api_key_encrypted, permissions, ver } = change;
      const columns = { api_key_encrypted, permissions, ver };
      const after = await table.change(tx, columns, 'WHERE app_name = ?', [app_name]);
      await also?.(tx, { before, after: after! });
      return after;
    });
  }

  /** Resolves whether it existed. */
  async remove(app_name: string, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<boolean> {
    return this.removeRecord(table, 'WHERE app_name = ?', [app_name], also);
  }
}
