// A primary and its synchronous standby behind one address: the connections find the one that takes writes, whatever
// happens to the other.
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres, urlOfAll } from '../../../../../test/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../../../../../test/tcp-proxy.ts';
import { openPostgres } from './sql-database.postgres.ts';
import type { SqlDatabase } from './sql-database.ts';

const outage = { name: 'TryLaterError', status: 503, code: 'database_unavailable' };

test('an address with several servers that cannot be read is refused without repeating it', () => {
  const open = () => openPostgres('postgres://weft:s3cret@good:5432,[bad/x');
  expect(open).toThrow('format is postgres://');
  expect(open).not.toThrow('s3cret');
});

describe.skipIf(findPostgres() === undefined)('with a standby', () => {
  let servers: [TestPostgres, TestPostgres];
  let proxies: [TcpProxy, TcpProxy];
  const opened: SqlDatabase[] = [];
  const throughProxies = () =>
    urlOfAll(...proxies.map(({ port }) => ({ url: `postgres://weft:s3cret@127.0.0.1:${port}/postgres` })));
  const open = (url?: string) => {
    const database = openPostgres(url ?? throughProxies());
    opened.push(database);
    return database;
  };
  const on = async (server: TestPostgres, sql: string) => {
    // What it changes is also seen on the standby when it returns.
    const client = new Client({ connectionString: server.url, options: '-c synchronous_commit=remote_apply' });
    await client.connect();
    return (await client.query(sql).finally(() => client.end())).rows;
  };
  const numbers = async (database: SqlDatabase) =>
    (await database.query<{ n: number }>('SELECT n FROM kept ORDER BY n')).map(({ n }) => n);

  beforeAll(async () => {
    servers = [await startPostgres(), await startPostgres()];
    await servers[1].standBy(servers[0]);
    proxies = [await startTcpProxy(portOf(servers[0])), await startTcpProxy(portOf(servers[1]))];
    await on(servers[0], 'CREATE TABLE kept (n INTEGER PRIMARY KEY)');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });
  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(servers.map((server) => server.stop()));
  });

  test('the one that takes writes is found, in whatever order they are named', async () => {
    const [primary, standby] = servers;
    for (const [n, url] of [urlOfAll(primary, standby), urlOfAll(standby, primary)].entries()) {
      const database = open(url);
      await database.check();
      await database.query('INSERT INTO kept VALUES (?)', [n]);
      expect(await numbers(database)).toContain(n);
    }
    const alone = open(standby.url);
    await expect(alone.check()).rejects.toThrow('read-only');
    await expect(alone.query('INSERT INTO kept VALUES (9)')).rejects.toMatchObject(outage);
  });

  test('a server that does not tell its timeline is used all the same', async () => {
    const [primary, standby] = servers;
    await on(primary, 'REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC');
    await on(primary, 'CREATE ROLE plain LOGIN');
    await open(urlOfAll(standby, primary).replace('weft:weft@', 'plain@')).check();
    await on(primary, 'GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) TO PUBLIC');
  });

  test('a commit that only the primary has is not acknowledged', async () => {
    const [primary, standby] = servers;
    await standby.pause();
    const database = open();
    const writing = database.query('INSERT INTO kept VALUES (100)');
    const outcome = expect(writing).rejects.toMatchObject(outage);
    const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    await expect.poll(() => on(primary, `SELECT 1 ${waiting}`)).toHaveLength(1);
    await on(primary, `SELECT pg_cancel_backend(pid) ${waiting}`);
    await outcome;
    await standby.start();
  });

  test('a primary that falls silent holds up what is under way only until another has taken over; it is never used again', async () => {
    const database = open();
    const other = open();
    await Promise.all([database.check(), other.check()]);
    proxies[0].freeze();
    proxies[0].isSilent = true;
    const stuck = database.query('INSERT INTO kept VALUES (200)');
    const outcome = expect(stuck).rejects.toMatchObject(outage);
    await servers[1].promote();
    await outcome;
    await database.query('INSERT INTO kept VALUES (201)');
    expect(await numbers(database)).toContain(201);

    // The first one is back, still takes itself for the primary, and knows nothing of 201.
    proxies[0].isSilent = false;
    proxies[0].cutAll();
    await servers[0].pause();
    await servers[0].start();
    expect(await numbers(open())).toContain(201);
    await servers[1].pause();
    const failure = await database.check().catch((error: unknown) => error);
    expect(failure).toMatchObject(outage);
    expect(String(failure)).toContain('was replaced by another server');
    expect(JSON.stringify(failure) + String(failure)).not.toContain('s3cret');
    await servers[1].start();
    await expect.poll(() => numbers(database).catch(() => [])).toContain(201);
  });
});

function portOf({ url }: TestPostgres): number {
  return Number(new URL(url).port);
}
