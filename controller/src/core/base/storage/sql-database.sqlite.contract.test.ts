// What only the embedded database can get wrong: the file, its mode, full disks, other processes, sudden death.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserStore } from '../../accounts/users/user-store.ts';
import { openSqlite } from './sql-database.sqlite.ts';

const OUT_OF_REACH = { name: 'TryLaterError', status: 503, code: 'database_unavailable' };
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-sqlite-'));
  file = join(folder, 'weft.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the file and its companions are readable by the owner only, even if they were not before', async () => {
  writeFileSync(file, '', { mode: 0o644 });
  const db = openSqlite(file);
  await db.query('CREATE TABLE t (a INTEGER)');
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  await db.close();
});

test('commits are synced to a write-ahead log, and foreign keys hold', async () => {
  const db = openSqlite(file);
  expect(await db.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  expect(await db.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
  expect(await db.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
  await db.close();
});

test('what a statement needs to undo itself is kept in memory, not in files elsewhere', async () => {
  const db = openSqlite(file);
  await db.migrate();
  expect(await db.query('PRAGMA temp_store')).toEqual([{ temp_store: 2 }]);
  await db.close();
});

test('works in memory', async () => {
  const db = openSqlite(':memory:');
  await db.migrate();
  expect(await new UserStore(db).count()).toBe(0);
  await db.close();
});

test('a full disk is an outage that passes; nothing of the transaction stays', async () => {
  const db = openSqlite(file);
  await db.query('CREATE TABLE t (a TEXT)');
  await db.query('PRAGMA max_page_count = 4');
  const call = db.transaction(async (tx) => {
    await tx.query('INSERT INTO t VALUES (?)', ['small']);
    await tx.query('INSERT INTO t VALUES (?)', ['x'.repeat(100_000)]);
  });
  await expect(call).rejects.toMatchObject({ ...OUT_OF_REACH, code: 'disk_full' });
  expect(await db.query('SELECT a FROM t')).toEqual([]);
  await db.query('PRAGMA max_page_count = 1000000');
  await db.query('INSERT INTO t VALUES (?)', ['x'.repeat(100_000)]);
  await db.close();
});

test('when the disk is full for one of several at once, exactly those are there that were acknowledged', async () => {
  const db = openSqlite(file);
  await db.query('CREATE TABLE t (a TEXT)');
  await db.query('PRAGMA max_page_count = 4');
  const texts = ['one', 'x'.repeat(100_000), 'three'];
  const calls = texts.map((text) => db.transaction((tx) => tx.query('INSERT INTO t VALUES (?)', [text])));
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { ...OUT_OF_REACH, code: 'disk_full' } });
  const acknowledged = texts.filter((_, index) => outcomes[index]!.status === 'fulfilled');
  expect((await db.query('SELECT a FROM t')).map(({ a }) => a)).toEqual(acknowledged);
  await db.close();
});

test('a database that is read-only is an outage', async () => {
  const db = openSqlite(file);
  await db.query('CREATE TABLE t (a TEXT)');
  await db.query('PRAGMA query_only = 1');
  await expect(db.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject(OUT_OF_REACH);
  await db.close();
});

test('a file that cannot be opened is an outage, and check says so; it is tried again', async () => {
  const db = openSqlite(join(folder, 'missing', 'weft.db'));
  await expect(db.query('SELECT 1 AS one')).rejects.toMatchObject(OUT_OF_REACH);
  await expect(db.check()).rejects.toThrow('cannot be opened');
  mkdirSync(join(folder, 'missing'));
  expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await db.close();
});

test('check notices that the file was removed', async () => {
  const db = openSqlite(file);
  await db.check();
  unlinkSync(file);
  await expect(db.check()).rejects.toThrow('the file was deleted');
  await db.close();
});

test('another writer is waited for, up to the limit, and the process goes on meanwhile', async () => {
  const other = new DatabaseSync(file);
  const patient = openSqlite(file);
  const hasty = openSqlite(file, { busyTimeoutMs: 50 });
  await patient.query('CREATE TABLE t (a INTEGER)');
  await hasty.query('SELECT 1 AS one');
  other.exec('BEGIN IMMEDIATE');
  const waiting = patient.query('INSERT INTO t VALUES (1)');
  await expect(hasty.query('INSERT INTO t VALUES (2)')).rejects.toMatchObject(OUT_OF_REACH);
  await expect(hasty.check()).rejects.toThrow('another process holds its lock');
  other.exec('COMMIT');
  await waiting;
  expect(await hasty.query('SELECT a FROM t')).toEqual([{ a: 1 }]);
  other.close();
  await patient.close();
  await hasty.close();
});

test('killed at any moment, whatever was acknowledged is there, and what was removed stays away', async () => {
  const program = new URL('../../../../../test/user-churn.ts', import.meta.url).pathname;
  const expected = new Map<string, boolean>();
  for (let round = 0; round < 10; round += 1) {
    const child = spawn(process.execPath, [program, file, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const killAfter = 5 + round * 7;
    let seen = 0;
    // The lines that are in the pipe when it dies count as well: they were printed after the promise resolved.
    for await (const line of createInterface({ input: child.stdout })) {
      const [what, username] = line.split(' ');
      if (username !== undefined) expected.set(username, what === 'created');
      if (++seen === killAfter) child.kill('SIGKILL');
    }
    expect(seen).toBeGreaterThanOrEqual(killAfter);

    const db = openSqlite(file);
    await db.migrate();
    const present = new Set((await new UserStore(db).list()).map((user) => user.username));
    const wrong = [...expected].filter(([username, isThere]) => present.has(username) !== isThere);
    // What the child had under way but never got to print may or may not have happened: at most one user, the last.
    const inFlight = wrong.filter(([username, isThere]) => isThere && username === [...expected.keys()].at(-1));
    expect(wrong).toEqual(inFlight);
    for (const [username] of inFlight) expected.set(username, false);
    expect(await db.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    await db.close();
  }
});
