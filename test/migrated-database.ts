// Databases with Weft's tables and no rows, made once for a run: tests copy them, which costs a fraction of migrating.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openPostgres } from '../controller/src/storage/sql-database.postgres.ts';
import { openSqlite } from '../controller/src/storage/sql-database.sqlite.ts';

export interface MigratedDatabases {
  sqliteFile: string;
  /** The name of one on the run's PostgreSQL, if there is one. */
  postgresName: string | undefined;
}

export async function createMigratedDatabases(
  server: string | undefined,
): Promise<MigratedDatabases & { remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-migrated-'));
  const sqliteFile = join(folder, 'weft.db');
  const sqlite = openSqlite(sqliteFile);
  await sqlite.migrate();
  // Whoever closes last leaves one file.
  await sqlite.close();
  const postgresName = server === undefined ? undefined : await createOnServer(server);
  return {
    sqliteFile,
    postgresName,
    async remove() {
      await rm(folder, { recursive: true, force: true });
      if (server !== undefined) await runOnServer(server, `DROP DATABASE ${postgresName} WITH (FORCE)`);
    },
  };
}

async function createOnServer(server: string): Promise<string> {
  const name = `migrated_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = openPostgres(url.href);
  await database.migrate();
  await database.close();
  return name;
}

export async function runOnServer(server: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
