// Third-party app records. The api_key is encrypted; only the service can decrypt it.
import { ConflictError } from '../errors.ts';
import { type InSameTransaction, type SqlQueries, UniqueViolation } from '../storage/sql-database.ts';
import { inParts, insertRecord, type RowOf } from '../storage/sql-rows.ts';
import { SqlStore } from '../storage/sql-store.ts';

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

type AppRow = RowOf<ThirdPartyAppRecord, 'permissions'>;

const COLUMNS = 'id, app_name, api_key_encrypted, permissions, ver, created_at';

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export class ThirdPartyAppStore extends SqlStore {
  /** The record, or undefined. */
  async get(app_name: string): Promise<ThirdPartyAppRecord | undefined> {
    const [row] = await this.db.query<AppRow>(`SELECT ${COLUMNS} FROM third_party_apps WHERE app_name = ?`, [app_name]);
    return row && toRecord(row);
  }

  /** Those of these ids that exist, in the caller's transaction. */
  async byIds(tx: SqlQueries, ids: readonly string[]): Promise<ThirdPartyAppRecord[]> {
    const found: ThirdPartyAppRecord[] = [];
    for (const { marks, values } of inParts(ids)) {
      const rows = await tx.query<AppRow>(`SELECT ${COLUMNS} FROM third_party_apps WHERE id IN (${marks})`, values);
      found.push(...rows.map(toRecord));
    }
    return found;
  }

  /** All apps, ordered by app_name. */
  async list(): Promise<ThirdPartyAppRecord[]> {
    const rows = await this.db.query<AppRow>(`SELECT ${COLUMNS} FROM third_party_apps ORDER BY app_name`);
    return rows.map(toRecord);
  }

  async count(): Promise<number> {
    return this.countRows('third_party_apps');
  }

  /** Durable when it resolves. Throws ConflictError `app_exists` if the app_name is taken. */
  async create(app: ThirdPartyAppRecord, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<void> {
    try {
      await this.db.transaction(async (tx) => {
        await insertRecord(tx, 'third_party_apps', COLUMNS, app);
        await also?.(tx, { after: app });
      });
    } catch (error) {
      if (error instanceof UniqueViolation) throw new ConflictError('app_exists', 'An app with this app_name exists');
      throw error;
    }
  }

  /** Resolves the updated record, or undefined if there is none, or if its version is not `onlyVer` (if given). */
  async update(
    app_name: string,
    change: ThirdPartyAppChange,
    { onlyVer, also }: { onlyVer?: string; also?: InSameTransaction<ThirdPartyAppRecord> } = {},
  ): Promise<ThirdPartyAppRecord | undefined> {
    const { api_key_encrypted = null, permissions, ver = null } = change;
    return this.db.transaction(async (tx) => {
      // An update instead of a select, because it locks the row until the end of the transaction on both databases.
      const [before] = await tx.query<AppRow>(
        `UPDATE third_party_apps SET ver = ver WHERE app_name = ? AND ver = COALESCE(?, ver) RETURNING ${COLUMNS}`,
        [app_name, onlyVer ?? null],
      );
      if (before === undefined) return undefined;
      const [row] = await tx.query<AppRow>(
        `UPDATE third_party_apps SET api_key_encrypted = COALESCE(?, api_key_encrypted),
           permissions = COALESCE(?, permissions), ver = COALESCE(?, ver)
         WHERE app_name = ? RETURNING ${COLUMNS}`,
        [api_key_encrypted, permissions === undefined ? null : JSON.stringify(permissions), ver, app_name],
      );
      const after = toRecord(row!);
      await also?.(tx, { before: toRecord(before), after });
      return after;
    });
  }

  /** Resolves whether it existed. */
  async remove(app_name: string, also?: InSameTransaction<ThirdPartyAppRecord>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [row] = await tx.query<AppRow>(`DELETE FROM third_party_apps WHERE app_name = ? RETURNING ${COLUMNS}`, [
        app_name,
      ]);
      if (row === undefined) return false;
      await also?.(tx, { before: toRecord(row) });
      return true;
    });
  }
}

function toRecord(row: AppRow): ThirdPartyAppRecord {
  return { ...row, permissions: JSON.parse(row.permissions) as Record<string, unknown> };
}
