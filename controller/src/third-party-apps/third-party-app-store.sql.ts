// Third-party apps in SQL.
import { ConflictError } from '../errors.ts';
import { type SqlDatabase, UniqueViolation } from '../storage/sql-database.ts';
import type { ThirdPartyAppChange, ThirdPartyAppRecord, ThirdPartyAppStore } from './third-party-app-store.ts';

type AppRow = {
  id: string;
  app_name: string;
  api_key_encrypted: string;
  permissions: string;
  ver: string;
  created_at: number;
};

const COLUMNS = 'id, app_name, api_key_encrypted, permissions, ver, created_at';

export function createThirdPartyAppStore(db: SqlDatabase): ThirdPartyAppStore {
  return new SqlThirdPartyAppStore(db);
}

class SqlThirdPartyAppStore implements ThirdPartyAppStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async get(app_name: string): Promise<ThirdPartyAppRecord | undefined> {
    const [row] = await this.#db.query<AppRow>(`SELECT ${COLUMNS} FROM third_party_apps WHERE app_name = ?`, [
      app_name,
    ]);
    return row && toRecord(row);
  }

  async list(): Promise<ThirdPartyAppRecord[]> {
    const rows = await this.#db.query<AppRow>(`SELECT ${COLUMNS} FROM third_party_apps ORDER BY app_name`);
    return rows.map(toRecord);
  }

  async count(): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>('SELECT COUNT(*) AS count FROM third_party_apps');
    return row?.count ?? 0;
  }

  async create(app: ThirdPartyAppRecord): Promise<void> {
    const values = [app.id, app.app_name, app.api_key_encrypted, JSON.stringify(app.permissions), app.ver];
    try {
      await this.#db.query(`INSERT INTO third_party_apps (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, [
        ...values,
        app.created_at,
      ]);
    } catch (error) {
      if (error instanceof UniqueViolation) throw new ConflictError('app_exists', 'An app with this app_name exists');
      throw error;
    }
  }

  async update(
    app_name: string,
    change: ThirdPartyAppChange,
    onlyVer: string | null = null,
  ): Promise<ThirdPartyAppRecord | undefined> {
    const { api_key_encrypted = null, permissions, ver = null } = change;
    const [row] = await this.#db.query<AppRow>(
      `UPDATE third_party_apps SET api_key_encrypted = COALESCE(?, api_key_encrypted),
         permissions = COALESCE(?, permissions), ver = COALESCE(?, ver)
       WHERE app_name = ? AND ver = COALESCE(?, ver) RETURNING ${COLUMNS}`,
      [api_key_encrypted, permissions === undefined ? null : JSON.stringify(permissions), ver, app_name, onlyVer],
    );
    return row && toRecord(row);
  }

  async remove(app_name: string): Promise<boolean> {
    const rows = await this.#db.query('DELETE FROM third_party_apps WHERE app_name = ? RETURNING id', [app_name]);
    return rows.length === 1;
  }
}

function toRecord(row: AppRow): ThirdPartyAppRecord {
  const { id, app_name, api_key_encrypted, ver, created_at } = row;
  const permissions = JSON.parse(row.permissions) as Record<string, unknown>;
  return { id, app_name, api_key_encrypted, permissions, ver, created_at };
}
