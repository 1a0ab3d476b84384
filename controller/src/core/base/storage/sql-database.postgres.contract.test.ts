// What only a server somewhere else can do: be down, come back, fall silent, cut a connection at the worst moment.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from '../../../../../test/postgres.ts';
import { endProcess, findFreePort } from '../../../../../test/server-process.ts';
import { startTcpProxy, type TcpProxy } from '../../../../../test/tcp-proxy.ts';
import { openPostgres, type PostgresOptions } from './sql-database.postgres.ts';
import type { SqlDatabase } from './sql-database.ts';

const OUT_OF_REACH = { name: 'TryLaterError', status: 503, code: 'database_unavailable' };

test('an address that cannot be read is refused without repeating it', () => {
  expect(() => openPostgres('postgres://weft:s3cret@[bad/x')).toThrow('format is postgres://');
  expect(() => openPostgres('postgres://weft:s3cret@[bad/x')).not.toThrow('s3cret');
});

test.skipIf(!existsSync('/usr/sbin/pgbouncer'))('PgBouncer is recognised, and what to do instead is said', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const file = join(folder, 'pgbouncer.ini');
  const settings = `listen_addr=127.0.0.1\nlisten_port=${port}\nauth_type=any\npool_mode=transaction\nunix_socket_dir=`;
  writeFileSync(file, `[databases]\nweft = host=127.0.0.1 port=1\n[pgbouncer]\n${settings}\n`);
  const isRoot = process.getuid?.() === 0;
  const child = spawn('/usr/sbin/pgbouncer', ['-q', ...(isRoot ? ['-u', 'postgres'] : []), file], { stdio: 'ignore' });
  const db = openPostgres(`postgres://weft:weft@127.0.0.1:${port}/weft`);
  try {
    const said = () => db.check().catch((error: Error) => error.message);
    await expect.poll(said).toContain('This looks like PgBouncer: give the address of PostgreSQL itself');
  } finally {
    await db.close();
    await endProcess(child, 'SIGTERM');
    rmSync(folder, { recursive: true });
  }
});

describe.skipIf(findPostgres() === undefined)('with a server of its own', () => {
  let server: TestPostgres;
  let proxy: TcpProxy;
  let opened: SqlDatabase[];
  const open = (options: PostgresOptions = {}) => {
    const url = new URL(server.url);
    url.port = String(proxy.port);
    url.password = 's3cret';
    const db = openPostgres(url.href, options);
    opened.push(db);
    return db;
  };
  const backendOf = (db: SqlDatabase) => db.query('SELECT pg_backend_pid() AS pid');
  const rows = (db: SqlDatabase) => db.query('SELECT a FROM t ORDER BY a');

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    opened = [];
    proxy = await startTcpProxy(Number(new URL(server.url).port));
    await open().query('CREATE TABLE t (a INTEGER PRIMARY KEY)');
  });
  afterEach(async () => {
    await open().query('DROP TABLE t');
    await Promise.all(opened.map((db) => db.close()));
    await proxy.close();
  });

  test('a server that stops is an outage, whether connections are idle, busy or new; then all goes on', async () => {
    const db = open();
    const fresh = open();
    let isInside: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => {
      isInside = resolve;
    });
    const interrupted = db.transaction(async (tx) => {
      await tx.query('INSERT INTO t VALUES (1)');
      isInside();
      return tx.query('SELECT pg_sleep(60) IS NULL AS slept');
    });
    const outcome = expect(interrupted).rejects.toMatchObject(OUT_OF_REACH);
    await inside;
    await server.pause();
    await outcome;
    await expect(db.query('INSERT INTO t VALUES (2)')).rejects.toMatchObject(OUT_OF_REACH);
    await expect(fresh.transaction((tx) => tx.query('INSERT INTO t VALUES (3)'))).rejects.toMatchObject(OUT_OF_REACH);
    await server.start();
    expect(await rows(db)).toEqual([]);
    expect(await rows(fresh)).toEqual([]);
  });

  test('check says in one sentence what is wrong, without the password', async () => {
    const db = open();
    await db.check();
    await server.pause();
    const failure = await db.check().catch((error: unknown) => error);
    await server.start();
    expect(failure).toMatchObject(OUT_OF_REACH);
    expect(String(failure)).toContain(`127.0.0.1:${proxy.port}/postgres is unavailable: `);
    expect(JSON.stringify(failure) + String(failure)).not.toContain('s3cret');
  });

  test('check notices a read-only server, and writing to it is an outage', async () => {
    const url = new URL(server.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const db = openPostgres(url.href);
    opened.push(db);
    await expect(db.check()).rejects.toThrow('is read-only');
    await expect(db.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject(OUT_OF_REACH);
  });

  test('a connection cut in the middle of a transaction is an outage, and nothing of it stays', async () => {
    const db = open();
    const call = db.transaction(async (tx) => {
      await tx.query('INSERT INTO t VALUES (1)');
      proxy.cutAll();
      await tx.query('INSERT INTO t VALUES (2)');
    });
    await expect(call).rejects.toMatchObject(OUT_OF_REACH);
    expect(await rows(db)).toEqual([]);
  });

  test('a connection lost during COMMIT is an outage, not a success', async () => {
    const db = open();
    let sawCommit = false;
    proxy.onClientBytes = (bytes, cut) => {
      // With its end: BEGIN says COMMITTED.
      if (!bytes.includes('COMMIT\0')) return;
      sawCommit = true;
      cut();
    };
    const call = db.transaction((tx) => tx.query('INSERT INTO t VALUES (1)'));
    await expect(call).rejects.toMatchObject(OUT_OF_REACH);
    expect(sawCommit).toBe(true);
    proxy.onClientBytes = undefined;
    expect(await rows(db)).toEqual([]);
  });

  test('tables are not changed while nodes of another version use them', async () => {
    const migrationsFolder = mkdtempSync(join(tmpdir(), 'weft-migrations-'));
    const write = (n: number) =>
      writeFileSync(join(migrationsFolder, `000${n}_step.sql`), `CREATE TABLE s${n} (a INTEGER);`);
    write(1);
    const db = open({ migrationsFolder });
    await db.migrate();
    write(2);
    const older = new Client({ connectionString: server.url, application_name: 'weft' });
    older.on('error', () => {});
    await older.connect();
    older.query('SELECT pg_sleep(3600)').catch(() => {});
    const isAtWork = `SELECT 1 AS one FROM pg_stat_activity WHERE application_name = 'weft' AND state = 'active'`;
    await expect.poll(() => db.query(isAtWork)).toHaveLength(1);
    const refused = /another version of Weft runs on this database \(from 127\.0\.0\.1\).*stop all nodes/;
    await expect(db.migrate()).rejects.toThrow(refused);
    await db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'weft'`);
    await expect.poll(() => db.query(isAtWork)).toHaveLength(0);
    // Others of this version may be there.
    await open().query('SELECT 1 AS one');
    await db.migrate();
    expect(await db.query('SELECT a FROM s2')).toEqual([]);
    rmSync(migrationsFolder, { recursive: true });
  });

  test('idle connections that break do not hurt', async () => {
    const db = open();
    await Promise.all(Array.from({ length: 5 }, () => db.query('SELECT pg_sleep(0.01) IS NULL AS slept')));
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'weft %'`);
    await admin.end();
    // The news may still be on its way to us: an outage is allowed, a wrong answer or a crash is not.
    await expect.poll(() => rows(db).catch(() => 'outage')).toEqual([]);
  });

  test('a server that accepts and never answers is an outage after the timeout', async () => {
    const db = open({ connectTimeoutMs: 100 });
    proxy.isSilent = true;
    await expect(db.query('SELECT 1 AS one')).rejects.toMatchObject(OUT_OF_REACH);
    proxy.isSilent = false;
    // A busy machine may take longer than that for a connection.
    await expect.poll(() => rows(db).catch(String)).toEqual([]);
  });

  test('a network that falls silent is an outage long before statements time out, and its old connections are not used again', async () => {
    const db = open({ statementTimeoutMs: 3_600_000 });
    const several = () =>
      Promise.all(Array.from({ length: 5 }, () => db.query('SELECT pg_sleep(0.01) IS NULL AS slept')));
    await several();
    proxy.freeze();
    proxy.isSilent = true;
    await expect(db.query('SELECT 1 AS one')).rejects.toMatchObject(OUT_OF_REACH);
    proxy.isSilent = false;
    expect(await several()).toHaveLength(5);
  });

  test('a pool with no connection left is an outage', async () => {
    const db = open({ connectTimeoutMs: 100, maxConnections: 1 });
    // Once it is there it stays: a busy machine may take longer than that for it.
    await expect.poll(() => rows(db).catch(String)).toEqual([]);
    await db.transaction(async () => {
      await expect(db.query('SELECT 1 AS one')).rejects.toMatchObject(OUT_OF_REACH);
    });
    expect(await rows(db)).toEqual([]);
  });

  test('how long to wait for a connection may be said in the address', async () => {
    const db = openPostgres(`${server.url}?connect_timeout=300`, { maxConnections: 1 });
    opened.push(db);
    // Longer than without it.
    const held = db.transaction((tx) => tx.query('SELECT pg_sleep(3.5) IS NULL AS slept'));
    expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await held;
  });

  test('a statement that takes too long is an outage; the connection can be used again', async () => {
    const db = open({ statementTimeoutMs: 1000, maxConnections: 1 });
    const before = await backendOf(db);
    await expect(db.query('SELECT pg_sleep(60) IS NULL AS slept')).rejects.toMatchObject(OUT_OF_REACH);
    await expect.poll(() => backendOf(db).catch(String)).toEqual(before);
  });

  test('whoever stands still inside a transaction keeps others waiting no longer than three seconds, and repeats it', async () => {
    const [db, other] = [open(), open()];
    const backends: unknown[] = [];
    const isThere = async (pid: unknown) =>
      (await other.query('SELECT 1 AS one FROM pg_stat_activity WHERE pid = ?', [pid as number])).length > 0;
    await db.transaction(async (tx) => {
      const [{ pid } = {}] = await tx.query('SELECT pg_backend_pid() AS pid');
      await tx.query('INSERT INTO t VALUES (1)');
      backends.push(pid);
      if (backends.length > 1) return;
      while (await isThere(pid)) await other.query('SELECT pg_sleep(0.05) IS NULL AS slept');
      await tx.query('INSERT INTO t VALUES (2)');
    });
    expect(new Set(backends).size).toBe(2);
    expect(await rows(db)).toEqual([{ a: 1 }]);
    const [limit] = await db.query(
      `SELECT current_setting('idle_in_transaction_session_timeout')::interval < '3 s' AS ok`,
    );
    expect(limit).toEqual({ ok: true });
  });

  test('a wrong password or database is an outage that check explains', async () => {
    const url = new URL(server.url);
    url.pathname = '/nowhere';
    const db = openPostgres(url.href);
    opened.push(db);
    await expect(db.query('SELECT 1 AS one')).rejects.toMatchObject(OUT_OF_REACH);
    await expect(db.check()).rejects.toThrow('database "nowhere" does not exist');
  });

  test('an error of the work leaves the connection in the pool', async () => {
    const db = open({ maxConnections: 1 });
    const before = await backendOf(db);
    await expect(
      db.transaction(async () => {
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await db.query('INSERT INTO t VALUES (1)');
    await expect(db.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ name: 'UniqueViolation' });
    expect(await backendOf(db)).toEqual(before);
  });
});
