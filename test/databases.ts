// The databases that every store has to work on. Each namespace is fresh: a file in a temporary folder, or a database of
// its own on the PostgreSQL that the run has. Both are copies of one that was migrated once, because many tests need one.
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, inject } from 'vitest';
import { openPostgres } from '../controller/src/core/base/storage/sql-database.postgres.ts';
import { openSqlite } from '../controller/src/core/base/storage/sql-database.sqlite.ts';
import type { SqlDatabase } from '../controller/src/core/base/storage/sql-database.ts';
import { countCost } from './costs/file-costs.ts';
import { addressOf, runOnServer, tablesAt } from './migrated-database.ts';
import { isLong } from './rounds.ts';

interface OpenOptions {
  migrationsFolder?: string;
}

/** A place without rows. Several databases opened on it are several nodes on one database. */
export interface DatabaseNamespace {
  /** What openSqlite or openPostgres takes. */
  address: string;
  open(options?: OpenOptions): SqlDatabase;
  /** Closes all that was opened, and removes everything. */
  remove(): Promise<void>;
}

export interface DatabaseKind {
  dialect: SqlDatabase['dialect'];
  /** With its tables, unless it is to be bare. */
  createNamespace(options?: { isBare?: boolean }): Promise<DatabaseNamespace>;
}

export const databaseKinds: Record<SqlDatabase['dialect'], DatabaseKind> = {
  sqlite: { dialect: 'sqlite', createNamespace: createSqliteNamespace },
  postgres: { dialect: 'postgres', createNamespace: createPostgresNamespace },
};

/** Describes the same suite for each database; the one that is not there is shown as skipped. */
export function eachDatabase(describeOn: (kind: DatabaseKind) => void): void {
  for (const kind of Object.values(databaseKinds)) {
    const isMissing = kind.dialect === 'postgres' && inject('postgresUrl') === undefined;
    describe.skipIf(isMissing)(`on ${kind.dialect}`, () => describeOn(kind));
  }
}

/** For stories over HTTP, whose stores have passed their own suites on each database: on the other one with the long run. */
export function eachDatabaseOfServers(describeOn: (kind: DatabaseKind) => void): void {
  if (isLong) eachDatabase(describeOn);
  else describe(`on ${databaseKinds.sqlite.dialect}`, () => describeOn(databaseKinds.sqlite));
}

/** Two nodes on one fresh, migrated database. */
export async function openTwoNodes(
  kind: DatabaseKind,
): Promise<{ nodes: [SqlDatabase, SqlDatabase]; remove(): Promise<void> }> {
  const namespace = await kind.createNamespace();
  const nodes: [SqlDatabase, SqlDatabase] = [namespace.open(), namespace.open()];
  await nodes[0].migrate();
  return { nodes, remove: () => namespace.remove() };
}

async function createSqliteNamespace({ isBare = false } = {}): Promise<DatabaseNamespace> {
  countCost('sqlite file');
  const folder = mkdtempSync(join(tmpdir(), 'weft-sqlite-'));
  const address = join(folder, 'weft.db');
  if (!isBare) copyFileSync(inject('migrated').sqliteFile, address);
  return namespaceAt(
    address,
    (options) => openSqlite(address, options),
    async () => {
      rmSync(folder, { recursive: true, force: true });
    },
  );
}

/** What tests have left, in the state of a fresh one: to make one costs more than most tests. */
const left: Record<'bare' | 'migrated', string[]> = { bare: [], migrated: [] };

/** For a machine that has much else to do; what happens after these times is tested with addresses that do not say so. */
const patience = new URLSearchParams({
  connect_timeout: '300',
  statement_timeout: '300000',
  query_timeout: '300000',
  idle_in_transaction_session_timeout: '300000',
});

async function createPostgresNamespace({ isBare = false } = {}): Promise<DatabaseNamespace> {
  const kind = isBare ? 'bare' : 'migrated';
  const name = left[kind].pop() ?? (await createPostgresDatabase(isBare));
  const address = `${addressOf(postgresUrl(), name)}?${patience}`;
  return namespaceAt(
    address,
    (options) => openPostgres(address, options),
    async () => {
      if (await makeFresh(address, isBare)) left[kind].push(name);
      else await runOnServer(postgresUrl(), `DROP DATABASE ${name} WITH (FORCE)`);
    },
  );
}

async function createPostgresDatabase(isBare: boolean): Promise<string> {
  countCost('postgres database');
  const name = `${inject('migrated').postgresName}_${randomUUID().slice(0, 8)}`;
  await runOnServer(
    postgresUrl(),
    `CREATE DATABASE ${name} TEMPLATE ${isBare ? 'template0' : inject('migrated').postgresName}`,
  );
  return name;
}

const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';`;

/** To each database that was emptied, a connection stays: to make one, and to learn of all tables, is most of the work. */
const emptiers = new Map<string, Client>();

async function emptierOf(address: string): Promise<Client> {
  const known = emptiers.get(address);
  if (known !== undefined) return known;
  const client = new Client({ connectionString: address });
  const forget = () => void emptiers.delete(address);
  client.on('error', forget).on('end', forget);
  await client.connect();
  // It ends with this process.
  (client as unknown as { connection: { stream: Socket } }).connection.stream.unref();
  emptiers.set(address, client);
  return client;
}

/** False if it cannot be: its tables are other ones now. */
async function makeFresh(address: string, isBare: boolean): Promise<boolean> {
  const client = await emptierOf(address);
  await client.query(endOthers);
  if (!isBare && (await tablesAt(client)) !== inject('migrated').postgresTables) return false;
  await client.query(isBare ? clear : 'SELECT reset.run()');
  return true;
}

const clear = 'DROP SCHEMA public CASCADE; CREATE SCHEMA public';

function namespaceAt(
  address: string,
  open: (options?: OpenOptions) => SqlDatabase,
  removeAll: () => Promise<void>,
): DatabaseNamespace {
  const opened: SqlDatabase[] = [];
  return {
    address,
    open: (options) => {
      const database = open(options);
      opened.push(database);
      return database;
    },
    remove: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await removeAll();
    },
  };
}

function postgresUrl(): string {
  const url = inject('postgresUrl');
  if (url === undefined) throw new Error('This run has no PostgreSQL');
  return url;
}
