// Migrates a database to the schema of this code: numbered SQL files, applied forward only, each in one transaction
// that also records it. The files are shared by both databases; `{{key}}` stands for text that is looked up or sorted.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../errors.ts';
import type { SqlDatabase, SqlQueries } from './sql-database.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../../migrations/', import.meta.url));
/** The newest schema that this code knows; connections carry it, so that others see which version is running. */
export const schemaVersion = readdirSync(MIGRATIONS_FOLDER).filter((file) => file.endsWith('.sql')).length;

interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

/** Those of this code, once they were read. */
const own: Partial<Record<SqlDatabase['dialect'], Migration[]>> = {};

type AppliedRow = { version: number; name: string; checksum: string };

/** The transaction of a migration, exclusive among all nodes. */
export interface MigrationSession extends SqlQueries {
  /** Runs a whole file of statements. */
  runScript(sql: string): Promise<void>;
  /** Throws if nodes of another version use the database: they would not know what changes. */
  assertAlone?(): Promise<void>;
}

// Byte order, so that lists have the same order on both databases and in every locale.
const KEY_TYPE: Record<SqlDatabase['dialect'], string> = { postgres: 'TEXT COLLATE "C"', sqlite: 'TEXT' };

const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL
)`;

/** What must hold before a migration removes something, by its name. Throws StartError that says what to do. */
const conditions: Record<string, (session: SqlQueries) => Promise<void>> = {
  '0038_one_telemetry_server': async (session) => {
    const servers = await session.query<{ place: string | null; agents: number }>(
      `SELECT max(telemetry_servers.place) AS place, count(*) AS agents
       FROM telemetry_places LEFT JOIN telemetry_servers ON id = server GROUP BY server ORDER BY server`,
    );
    if (servers.length < 2) return;
    throw new StartError(
      `the telemetry of access points lies on ${servers.length} servers ` +
        `(${servers.map(({ place, agents }) => `${place ?? 'unknown'}: ${agents}`).join('; ')}), and this version ` +
        'knows one: with Weft 0.2.0 move everything to one of them with weft rebalance --drain, then start this version ' +
        '(if that telemetry is not used any more, empty the table telemetry_places)',
    );
  },
};

/**
 * Applies missing migrations, one exclusive session for each file. Throws an Error that says what to do if the database
 * is newer than this code or was created by other files; then it is not changed.
 */
export async function applyMigrations(
  dialect: SqlDatabase['dialect'],
  folder: string,
  exclusively: (work: (session: MigrationSession) => Promise<boolean>) => Promise<boolean>,
): Promise<void> {
  const isOwn = folder === MIGRATIONS_FOLDER;
  const migrations = (isOwn && own[dialect]) || readMigrations(dialect, folder);
  if (isOwn) own[dialect] = migrations;
  let isComplete = false;
  while (!isComplete) isComplete = await exclusively((session) => applyNext(session, migrations));
}

/** Resolves whether nothing was left to do. */
async function applyNext(session: MigrationSession, migrations: Migration[]): Promise<boolean> {
  await session.query(CREATE_LEDGER);
  const applied = await session.query<AppliedRow>(
    'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
  );
  for (const [index, row] of applied.entries()) assertSame(row, migrations[index], migrations.at(-1));
  const next = migrations[applied.length];
  if (next === undefined) return true;
  if (applied.length > 0) await session.assertAlone?.();
  await conditions[next.name]?.(session);
  await session.runScript(next.sql);
  await session.query('INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)', [
    next.version,
    next.name,
    next.checksum,
    Date.now(),
  ]);
  return false;
}

function assertSame(row: AppliedRow, known: Migration | undefined, newest: Migration | undefined): void {
  if (row.version > (newest?.version ?? 0)) {
    throw new Error(
      `The database was written by a newer version: it has migration ${row.name}, and this version ends at ` +
        `${newest?.name ?? 'none'}. Start the newer version, or restore a backup made by this one.`,
    );
  }
  if (known?.version !== row.version || known.checksum !== row.checksum) {
    throw new Error(
      `Migration ${row.name} is not the one that was applied to this database: applied files are never changed, ` +
        'removed or put in between. Restore the file, and make the change in a new one.',
    );
  }
}

function readMigrations(dialect: SqlDatabase['dialect'], folder: string): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, index) => {
    const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1]);
    if (version !== index + 1) {
      throw new Error(`Migration ${file} is out of place: files are 0001_name.sql, 0002_name.sql and so on, no gaps`);
    }
    // A checkout may have converted the line ends; that does not change the content.
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n');
    return {
      version,
      name: file.slice(0, -'.sql'.length),
      sql: text.replaceAll('{{key}}', KEY_TYPE[dialect]),
      checksum: createHash('sha256').update(text).digest('hex'),
    };
  });
}
