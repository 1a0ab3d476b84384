// Databases with Weft's tables and no rows, made once for a run: tests copy them, which costs a fraction of migrating.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type QueryResult } from 'pg';
import { openPostgres } from '../controller/src/core/base/storage/sql-database.postgres.ts';
import { openSqlite } from '../controller/src/core/base/storage/sql-database.sqlite.ts';
import { memoryFolder } from './memory-folder.ts';

export interface MigratedDatabases {
  sqliteFile: string;
  /** The name of one on the run's PostgreSQL, if there is one. Its copies are named after it, and go with it. */
  postgresName: string | undefined;
  /** Changes with any of its tables. */
  postgresTables: string;
}

export async function createMigratedDatabases(
  server: string | undefined,
): Promise<MigratedDatabases & { remove(): Promise<void> }> {
  const folder = await mkdtemp(join(memoryFolder(), 'weft-migrated-'));
  const sqliteFile = join(folder, 'weft.db');
  const sqlite = openSqlite(sqliteFile);
  await sqlite.migrate();
  // Whoever closes last leaves one file.
  await sqlite.close();
  const postgresName = server === undefined ? undefined : await createOnServer(server);
  // Copies are made from now on, which nobody may look at what they are copied from.
  const postgresTables = server === undefined ? '' : await onServer(addressOf(server, postgresName!), tablesAt);
  return {
    sqliteFile,
    postgresName,
    postgresTables,
    async remove() {
      await rm(folder, { recursive: true, force: true });
      if (server === undefined) return;
      const like = `SELECT datname FROM pg_database WHERE datname LIKE '${postgresName}%'`;
      for (const { datname } of (await runOnServer(server, like)).rows) {
        await runOnServer(server, `DROP DATABASE ${datname} WITH (FORCE)`);
      }
    },
  };
}

/** A schema beside the tables: what their first rows are, and a function that brings back that state, for which it is asked often. */
const resetting = `
  CREATE SCHEMA reset;
  CREATE FUNCTION reset.run() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE name text;
    BEGIN
      -- Those that have ever had a row; by name, agents come before the sites that they name.
      FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname <> 'schema_migrations' AND pg_relation_size(oid) > 0 ORDER BY 1 LOOP
        EXECUTE format('DELETE FROM public.%I', name);
      END LOOP;
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'reset' LOOP
        EXECUTE format('INSERT INTO public.%I SELECT * FROM reset.%I', name, name);
      END LOOP;
    END $$;
  DO $$
    DECLARE name text; has_rows boolean;
    BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations' LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', name) INTO has_rows;
        IF has_rows THEN EXECUTE format('CREATE TABLE reset.%I AS TABLE public.%I', name, name); END IF;
      END LOOP;
    END $$`;

async function createOnServer(server: string): Promise<string> {
  const name = `migrated_${randomUUID().replaceAll('-', '')}`;
  await runOnServer(server, `CREATE DATABASE ${name}`);
  const url = addressOf(server, name);
  const database = openPostgres(url);
  await database.migrate();
  await database.close();
  await runOnServer(url, resetting);
  return name;
}

const tables = `SELECT md5(string_agg(each, ',' ORDER BY each)) AS tables FROM (
  SELECT oid || ' ' || xmin FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT attrelid || ' ' || attnum || ' ' || xmin FROM pg_attribute
    WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
  UNION ALL SELECT oid::text FROM pg_trigger UNION ALL SELECT oid::text FROM pg_constraint
  UNION ALL SELECT oid::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace) AS all_of_them (each)`;

/** The same for copies of one database until somebody changes something about the tables, not only in them. */
export async function tablesAt(client: Client): Promise<string> {
  return (await client.query(tables)).rows[0].tables;
}

export function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

export async function runOnServer(server: string, sql: string): Promise<QueryResult> {
  return await onServer(server, (client) => client.query(sql));
}

export async function onServer<T>(server: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
