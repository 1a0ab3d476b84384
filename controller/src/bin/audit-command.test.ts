import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chainHash, genesisHash } from '../core/accounts/audit/audit-chain.ts';
import type { AuditRecord } from '../core/accounts/audit/audit-entry.ts';
import { openSqlite } from '../core/base/storage/sql-database.sqlite.ts';
import { runCommand } from './commands.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function weft(args: string[], input = '') {
  let [out, err] = ['', ''];
  const stdin = new PassThrough();
  stdin.end(input);
  const code = await runCommand(args, {
    env: { WEFT_DATA_DIR: join(folder, 'data') },
    stdin,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

const addUser = async (name: string) => {
  const { code } = await weft(['user', 'add', `${name}@weft.test`, '--password-stdin'], 'a long password\n');
  expect(code).toBe(0);
};

async function tamper(sql: string): Promise<void> {
  const database = openSqlite(join(folder, 'data', 'weft.db'));
  await database.query(sql);
  await database.close();
}

test('a log that is whole: how many, the newest hash, exit code 0', async () => {
  await addUser('ada');
  await addUser('bob');
  const { code, out, err } = await weft(['audit', 'verify']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^The audit log is intact: 2 entries\.\n[0-9a-f]{64}\nHashes and seals checked: 2 seals\.\n$/);
  const json = await weft(['audit', 'verify', '--json']);
  expect(JSON.parse(json.out)).toEqual({
    is_whole: true,
    count: 2,
    seq: 2,
    head: out.split('\n')[1],
    seals: { checked: 2, without: 0, unknown: 0 },
  });
});

test('a log that somebody has been at: where, exit code 1', async () => {
  await addUser('ada');
  await addUser('bob');
  await tamper("UPDATE audit_log SET target = 'eve@weft.test' WHERE seq = 1");
  const { code, out } = await weft(['audit', 'verify']);
  expect(code).toBe(1);
  expect(out).toMatch(/^The audit log is broken at entry 1: .*\.\n$/);
  const json = await weft(['audit', 'verify', '--json']);
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { is_whole: false, seq: 1 }]);
});

test('a hash that was noted must still be there', async () => {
  await addUser('ada');
  const noted = (await weft(['audit', 'verify'])).out.split('\n')[1]!;
  await addUser('bob');
  expect((await weft(['audit', 'verify', '--head', noted.toUpperCase()])).code).toBe(0);
  const { code, out } = await weft(['audit', 'verify', '--head', 'ab'.repeat(32)]);
  expect([code, out]).toEqual([1, expect.stringContaining('no entry has the hash that was noted')]);
});

test('a folder without a database is a failure, and stays without one', async () => {
  const { code, out, err } = await weft(['audit', 'verify']);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^weft: there is no database in .*\n$/);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

/** As somebody would who has the file and not the secret: entry 1 is another one, and all hashes fit again. */
async function recomputeHashes(): Promise<void> {
  const database = openSqlite(join(folder, 'data', 'weft.db'));
  await database.query("UPDATE audit_log SET target = 'eve@weft.test' WHERE seq = 1");
  const rows = (await database.query('SELECT * FROM audit_log ORDER BY seq')) as unknown as AuditRecord[];
  let hash = genesisHash;
  for (const row of rows) {
    hash = chainHash(hash, row);
    await database.query('UPDATE audit_log SET hash = ? WHERE seq = ?', [hash, row.seq]);
  }
  await database.query('UPDATE audit_head SET hash = ?', [hash]);
  await database.close();
}

test('a chain that was computed anew is found out by its seals; without the secret only hashes are checked, which is said', async () => {
  await addUser('ada');
  await addUser('bob');
  await recomputeHashes();
  const found = await weft(['audit', 'verify']);
  expect([found.code, found.out]).toEqual([1, expect.stringContaining('without the secret of this installation')]);
  // Without seals it would look like an old log, but for the sealed end.
  await tamper('UPDATE audit_log SET mac = NULL');
  expect((await weft(['audit', 'verify'])).out).toContain('the seal of the entry is missing');
  rmSync(join(folder, 'data', 'secret'));
  await tamper("UPDATE audit_log SET mac = 'other.code'");
  const blind = await weft(['audit', 'verify']);
  expect([blind.code, blind.out]).toEqual([
    0,
    expect.stringContaining('2 not, because their secret is not configured'),
  ]);
  expect(existsSync(join(folder, 'data', 'secret'))).toBe(false);
});

test('entries from before there were seals stay valid, and the next ones have seals', async () => {
  await addUser('ada');
  await tamper('UPDATE audit_log SET mac = NULL');
  await tamper('UPDATE audit_head SET mac = NULL, keyed_from = NULL');
  expect((await weft(['audit', 'verify'])).out).toContain('Hashes checked; no seals, 1 from before there were seals.');
  await addUser('bob');
  expect((await weft(['audit', 'verify'])).out).toContain('1 seals, 1 from before');
});

test('a log that was cut is found out by the seal of its end', async () => {
  await addUser('ada');
  await addUser('bob');
  await tamper('UPDATE audit_head SET seq = 1, hash = (SELECT hash FROM audit_log WHERE seq = 1)');
  await tamper('DELETE FROM audit_log WHERE seq = 2');
  const { code, out } = await weft(['audit', 'verify']);
  expect([code, out]).toEqual([1, expect.stringContaining('the end of the log was written without the secret')]);
});
