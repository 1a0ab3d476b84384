// Starting on a database that is empty, half way, ahead, changed, or being migrated by somebody else right now.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatabaseKind, type DatabaseNamespace, eachDatabase } from '../../../../../test/databases.ts';
import { UserStore } from '../../accounts/users/user-store.ts';
import { MIGRATIONS_FOLDER } from './migrations.ts';
import { openSqlite } from './sql-database.sqlite.ts';
import type { SqlDatabase } from './sql-database.ts';

eachDatabase((kind: DatabaseKind) => {
  let namespace: DatabaseNamespace;
  let folder: string;
  let children: ChildProcess[];
  /** A folder with these migrations, the first being 0001. */
  const folderOf = (...files: string[]) => {
    const path = mkdtempSync(join(folder, 'migrations-'));
    for (const [index, sql] of files.entries()) writeFileSync(join(path, `000${index + 1}_step.sql`), sql);
    return path;
  };
  const openWith = (...files: string[]) => namespace.open({ migrationsFolder: folderOf(...files) });
  const versionsIn = async (db: SqlDatabase) =>
    (await db.query<{ version: number }>('SELECT version FROM schema_migrations ORDER BY version')).map(
      ({ version }) => version,
    );
  const FIRST = 'CREATE TABLE first (a {{key}} PRIMARY KEY); INSERT INTO first (a) VALUES (1);';
  const SECOND = 'CREATE TABLE second (a INTEGER);';

  beforeEach(async () => {
    namespace = await kind.createNamespace({ isBare: true });
    folder = mkdtempSync(join(tmpdir(), 'weft-migrations-'));
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await namespace.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the real migrations give working stores, and applying them again changes nothing', async () => {
    const db = namespace.open();
    await db.migrate();
    const before = await db.query('SELECT * FROM schema_migrations');
    await db.migrate();
    expect(await db.query('SELECT * FROM schema_migrations')).toEqual(before);
    expect(before[0]).toMatchObject({ version: 1, name: '0001_accounts' });
    expect(await new UserStore(db).count()).toBe(0);
  });

  test('the places of telemetry go if all agents lie on one server; if not, nothing is changed, and it says what to do', async () => {
    const path = mkdtempSync(join(folder, 'migrations-'));
    const files = readdirSync(MIGRATIONS_FOLDER).filter((file) => file < '0038');
    for (const file of files) copyFileSync(join(MIGRATIONS_FOLDER, file), join(path, file));
    const old = namespace.open({ migrationsFolder: path });
    await old.migrate();
    await old.query(
      `INSERT INTO telemetry_servers (id, place, is_drained) VALUES ('a', 'a:5432/weft', 0), ('b', 'b:5432/weft', 0)`,
    );
    await old.query(`INSERT INTO telemetry_places (ap_id, server) VALUES ('x', 'b'), ('y', 'a'), ('z', 'b')`);
    const db = namespace.open();
    await expect(db.migrate()).rejects.toThrow(
      'the telemetry of access points lies on 2 servers (a:5432/weft: 1; b:5432/weft: 2), and this version knows one: ' +
        'with Weft 0.2.0 move everything to one of them with weft rebalance --drain',
    );
    expect(await versionsIn(db)).toHaveLength(37);
    expect(await db.query('SELECT ap_id FROM telemetry_places')).toHaveLength(3);
    await db.query(`UPDATE telemetry_places SET server = 'a'`);
    await db.migrate();
    await expect(db.query('SELECT ap_id FROM telemetry_places')).rejects.toThrow('telemetry_places');
  });

  test('four nodes that start at once on an empty database all come up', async () => {
    const nodes = Array.from({ length: 4 }, () => namespace.open());
    await Promise.all(nodes.map((node) => node.migrate()));
    for (const node of nodes) expect(await new UserStore(node).count()).toBe(0);
  });

  test('four processes that start at once on an empty database all come up', async () => {
    const path = folderOf(FIRST, SECOND);
    children = Array.from({ length: 4 }, () => startMigrating(namespace.address, path));
    const ends = await Promise.all(children.map((child) => once(child, 'exit')));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
    expect(await versionsIn(namespace.open())).toEqual([1, 2]);
  });

  test('only what is missing is applied', async () => {
    await openWith(FIRST).migrate();
    const db = openWith(FIRST, SECOND);
    await db.migrate();
    expect(await versionsIn(db)).toEqual([1, 2]);
    expect(await db.query('SELECT a FROM first')).toEqual([{ a: '1' }]);
  });

  test('a migration that fails leaves nothing of itself, and those before it stay', async () => {
    const db = openWith(FIRST, `${SECOND} INSERT INTO nowhere VALUES (1);`);
    await expect(db.migrate()).rejects.toThrow('nowhere');
    expect(await versionsIn(db)).toEqual([1]);
    await openWith(FIRST, SECOND).migrate();
    expect(await versionsIn(db)).toEqual([1, 2]);
  });

  test('a database that is newer than the code is refused', async () => {
    await openWith(FIRST, SECOND).migrate();
    await expect(openWith(FIRST).migrate()).rejects.toThrow(/newer version: it has migration 0002_step.*0001_step/);
  });

  test('a file that changed after it was applied is refused; other line ends are no change', async () => {
    await openWith(`${FIRST}\n-- end\n`, SECOND).migrate();
    await openWith(`${FIRST}\r\n-- end\r\n`, SECOND).migrate();
    await expect(openWith(`${FIRST}\n-- END\n`, SECOND).migrate()).rejects.toThrow('0001_step is not the one');
  });

  test('a gap in the numbers is refused', async () => {
    const path = folderOf(FIRST);
    writeFileSync(join(path, '0003_late.sql'), SECOND);
    await expect(namespace.open({ migrationsFolder: path }).migrate()).rejects.toThrow('0003_late.sql is out of place');
  });

  test('killed in the middle of a migration, the next start finishes it', async () => {
    const db = openWith(FIRST, SECOND);
    const hold = await holdMigration(kind.dialect, db);
    const child = startMigrating(namespace.address, folderOf(FIRST, `${SECOND} ${hold.sql}`));
    children.push(child);
    await expect.poll(() => hold.isInside(namespace.address)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await hold.release();
    expect(await versionsIn(db)).toEqual([1]);
    await db.migrate();
    expect(await versionsIn(db)).toEqual([1, 2]);
    expect(await db.query('SELECT a FROM second')).toEqual([]);
  });
});

function startMigrating(address: string, folder: string): ChildProcess {
  const program = new URL('../../../../../test/migrate-once.ts', import.meta.url).pathname;
  return spawn(process.execPath, [program, address, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
}

interface Hold {
  /** A statement that does not come to its end. */
  sql: string;
  isInside(address: string): Promise<boolean>;
  release(): Promise<void>;
}

async function holdMigration(dialect: SqlDatabase['dialect'], db: SqlDatabase): Promise<Hold> {
  await db.query('CREATE TABLE gate (a INTEGER)');
  if (dialect === 'sqlite') {
    return {
      sql: `INSERT INTO second WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
        SELECT i FROM n WHERE i < 0;`,
      isInside: async (address) => isFirstAppliedAndLocked(address),
      release: async () => undefined,
    };
  }
  // The gate is locked by a transaction of ours that stays open until the end.
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const { promise: locked, resolve: tellLocked } = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.query('LOCK TABLE gate');
    tellLocked();
    await opened;
  });
  await locked;
  return {
    sql: 'INSERT INTO gate VALUES (1);',
    isInside: async () => {
      const waiting = await db.query(`SELECT 1 AS one FROM pg_locks WHERE NOT granted AND relation = 'gate'::regclass`);
      return waiting.length > 0;
    },
    release: async () => {
      open();
      await holding;
    },
  };
}

async function isFirstAppliedAndLocked(file: string): Promise<boolean> {
  const probe = openSqlite(file, { busyTimeoutMs: 0 });
  try {
    const applied = await probe.query('SELECT version FROM schema_migrations').catch(() => []);
    const isLocked = await probe.check().then(
      () => false,
      () => true,
    );
    return applied.length === 1 && isLocked;
  } finally {
    await probe.close();
  }
}
