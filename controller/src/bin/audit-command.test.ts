import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../storage/sql-database.sqlite.ts';
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
  expect(out).toMatch(/^The audit log is intact: 2 entries\.\n[0-9a-f]{64}\n$/);
  const json = await weft(['audit', 'verify', '--json']);
  expect(JSON.parse(json.out)).toEqual({ is_whole: true, count: 2, seq: 2, head: out.split('\n')[1] });
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
