// A database that one test has left is for the next one as if it were new.
import { describe, expect, inject, test } from 'vitest';
import { UserStore } from '../controller/src/core/accounts/users/user-store.ts';
import type { SqlDatabase } from '../controller/src/core/base/storage/sql-database.ts';
import { databaseKinds } from './databases.ts';

/** How many rows each table has. */
async function rowsIn(database: SqlDatabase): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    counts[name] = Number((await database.query<{ rows: number }>(`SELECT count(*) AS rows FROM ${name}`))[0]!.rows);
  }
  return counts;
}

describe.skipIf(inject('postgresUrl') === undefined)('a database on PostgreSQL', () => {
  const { createNamespace } = databaseKinds.postgres;

  test('has no rows of who had it before, and those that all have', async () => {
    const first = await createNamespace();
    const database = first.open();
    const empty = await rowsIn(database);
    expect(Object.keys(empty).length).toBeGreaterThan(30);
    const enabled = { disabled_at: null, disabled_by: null, waiting_since: null, grants: [] };
    const user = { id: '1', username: 'ada@weft.test', password_hash: '', roles: ['user'], ver: '', created_at: 0 };
    await new UserStore(database).create({ ...user, ...enabled });
    await database.query('UPDATE fleet_revision SET revision = 7 WHERE id = 1');
    expect(await rowsIn(database)).not.toEqual(empty);
    await first.remove();
    const second = await createNamespace();
    expect(second.address).toBe(first.address);
    expect(await rowsIn(second.open())).toEqual(empty);
    expect(await second.open().query('SELECT revision FROM fleet_revision')).not.toEqual([{ revision: 7 }]);
    await second.remove();
  });

  test('whose tables were changed goes to nobody else', async () => {
    const first = await createNamespace();
    await first.open().query('ALTER TABLE users ADD COLUMN more text');
    await first.remove();
    const second = await createNamespace();
    expect(second.address).not.toBe(first.address);
    await second.remove();
  });
});
