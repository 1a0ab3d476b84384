// The modes of files in the data folder: only the owner reads what Weft has written, whatever it was before.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDataFolder, removeOldQueue } from './data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (...path: string[]) => statSync(join(folder, ...path)).mode & 0o777;

test('files of Weft that others could read are corrected; other files and links are left alone', () => {
  mkdirSync(join(folder, 'telemetry', 'journal'), { recursive: true });
  const own = ['lock', 'weft.db', 'weft.db-wal', 'telemetry/telemetry.db', 'telemetry/journal/1'];
  for (const name of [...own, 'notes.txt']) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o644);
  }
  symlinkSync(join(folder, 'notes.txt'), join(folder, 'outbox'));
  chmodSync(join(folder, 'telemetry'), 0o755);
  prepareDataFolder(folder);
  for (const name of own) expect([name, mode(name)]).toEqual([name, 0o600]);
  expect(mode('telemetry')).toBe(0o700);
  expect(mode('notes.txt')).toBe(0o644);
});

test('a secret that others could read stays as it is, for the start to refuse it', () => {
  writeFileSync(join(folder, 'secret'), '', { mode: 0o644 });
  prepareDataFolder(folder);
  expect(mode('secret')).toBe(0o644);
});

test('the queue of version 0.2.0 is removed with its companions, and nothing else; nothing to remove is no error', () => {
  const old = ['broker.db', 'broker.db-wal', 'broker.db-shm'];
  for (const name of [...old, 'weft.db', 'broker.db.txt']) writeFileSync(join(folder, name), '');
  for (let n = 0; n < 2; n++) removeOldQueue(folder);
  for (const name of old) expect([name, existsSync(join(folder, name))]).toEqual([name, false]);
  for (const name of ['weft.db', 'broker.db.txt']) expect(existsSync(join(folder, name))).toBe(true);
});
