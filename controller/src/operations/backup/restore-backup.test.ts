// Backups that are not as they were written, or were written to do harm: refused, and nothing is left of them.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { draw } from '../../../../test/draw.ts';
import { rounds } from '../../../../test/rounds.ts';
import { lockDataFolder } from '../../core/base/storage/data-folder.ts';
import { openSqlite } from '../../core/base/storage/sql-database.sqlite.ts';
import { openEmbeddedTelemetry } from '../../core/telemetry/store/telemetry-store.embedded.ts';
import { withSeal } from './backup-archive.ts';
import { createManifest } from './backup-manifest.ts';
import { restoreBackup } from './restore-backup.ts';
import { paddedBytes, tarHeader } from './tar-header.ts';
import { writeBackup } from './write-backup.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-backup-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const day = 86_400_000;
const now = Date.now();

let made: string | undefined;
afterAll(() => made && rmSync(made, { recursive: true }));

/** A copy of one that is made once. */
async function makeDataFolder(): Promise<string> {
  if (made === undefined) {
    made = mkdtempSync(join(tmpdir(), 'weft-backup-made-'));
    await fillDataFolder(made);
  }
  const dataDir = join(folder, 'data');
  cpSync(made, dataDir, { recursive: true });
  return dataDir;
}

async function fillDataFolder(dataDir: string): Promise<void> {
  mkdirSync(join(dataDir, 'telemetry'), { recursive: true });
  mkdirSync(join(dataDir, 'emulator'));
  writeFileSync(join(dataDir, 'emulator', 'job-1.world'), 'world');
  writeFileSync(join(dataDir, 'emulator', 'job-1.world.new'), 'half a world');
  writeFileSync(join(dataDir, 'secret'), 'not to be told to anybody at all\n');
  const database = openSqlite(join(dataDir, 'weft.db'));
  await database.migrate();
  await database.close();
  const store = await openStore(join(dataDir, 'telemetry'));
  await store.append('ap-1', [{ ts: now, names: ['x'], values: [1], texts: [] }]);
  await store.close();
}

function openStore(path: string) {
  return openEmbeddedTelemetry({
    folder: path,
    rawRetentionMs: 30 * day,
    rollupRetentionMs: 400 * day,
    onDamage: (message) => {
      throw new Error(message);
    },
    onFatal: (error) => {
      throw error;
    },
  });
}

async function backUp(dataDir: string, options: { secret?: string } = {}): Promise<Buffer> {
  const file = join(folder, 'backup');
  const request = { dataDir, leftOut: [], hasRegistry: true, hasTelemetry: true, secret: undefined, weftVersion: '1' };
  await writeBackup({ ...request, ...options, onProgress: () => {} }, { file }).manifest;
  return readFileSync(file);
}

function restore(bytes: Buffer, { dataDir = join(folder, 'new'), force = false, first = 1000 } = {}) {
  async function* archive() {
    yield bytes.subarray(0, first);
    // In pieces that no boundary of the format falls together with.
    for (let at = first; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  }
  return restoreBackup({ name: 'it', archive: archive(), dataDir, force, onProgress: () => {} }).restored;
}

async function expectRefused(bytes: Buffer, why: RegExp): Promise<void> {
  const before = readdirSync(folder);
  await expect(restore(bytes)).rejects.toMatchObject({ code: 'backup_failed', message: expect.stringMatching(why) });
  expect(readdirSync(folder)).toEqual(before);
}

/** An archive made by hand, of entries that may lie about their size. */
async function archiveOf(entries: { name: string; bytes: Buffer | string; size?: number }[]): Promise<Buffer> {
  const blocks = entries.flatMap(({ name, bytes, size }) => {
    const body = Buffer.alloc(paddedBytes(Buffer.byteLength(bytes)));
    Buffer.from(bytes).copy(body);
    return [tarHeader({ name, size: size ?? Buffer.byteLength(bytes) }, 0), body];
  });
  const tar = Buffer.concat([...blocks, Buffer.alloc(1024)]);
  const parts: Buffer[] = [];
  async function* packed() {
    yield zstdCompressSync(tar, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  }
  for await (const part of withSeal(packed())) parts.push(part);
  return Buffer.concat(parts);
}

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex');

function manifestOf(parts: { path: string; bytes: string; size?: number }[], changes: object = {}) {
  const listed = parts.map(({ path, bytes, size }) => ({ path, size: size ?? bytes.length, sha256: sha256(bytes) }));
  const manifest = createManifest({ weft: '1', created_at: '', schemas: {}, left_out: [], parts: listed });
  return { name: 'manifest.json', bytes: JSON.stringify({ ...manifest, ...changes }) };
}

describe('a backup', () => {
  it('comes back as it was, without the secret, the broker and what is unfinished', async () => {
    const bytes = await backUp(await makeDataFolder());
    const { manifest } = await restore(bytes);
    expect(manifest).toMatchObject({ has_secret: false, schemas: { telemetry: 2, registry: expect.any(Number) } });
    const restored = join(folder, 'new');
    expect(readdirSync(restored).sort()).toEqual(['emulator', 'telemetry', 'weft.db']);
    expect(readdirSync(join(restored, 'emulator'))).toEqual(['job-1.world']);
    expect([statSync(restored).mode & 0o777, statSync(join(restored, 'weft.db')).mode & 0o777]).toEqual([0o700, 0o600]);
    const store = await openStore(join(restored, 'telemetry'));
    const rows = await store.rows('ap-1', { startMs: 0, endMs: now }, 10);
    expect([...rows.ts]).toEqual([now]);
    await store.close();
  });

  it('comes back however its end is cut into pieces', async () => {
    const bytes = await backUp(await makeDataFolder());
    for (let last = 1; last <= 16; last++) {
      const dataDir = join(folder, `cut-${last}`);
      await restore(bytes, { dataDir, first: (bytes.length - last) % 1000 || 1000 });
    }
  });

  it('K7 holds the secret only if it is asked to', async () => {
    const dataDir = await makeDataFolder();
    await restore(await backUp(dataDir));
    expect(existsSync(join(folder, 'new', 'secret'))).toBe(false);
    rmSync(join(folder, 'backup'));
    await restore(await backUp(dataDir, { secret: 'told' }), { dataDir: join(folder, 'newer') });
    expect(readFileSync(join(folder, 'newer', 'secret'), 'utf8')).toBe('told\n');
    expect(statSync(join(folder, 'backup')).mode & 0o777).toBe(0o600);
  });

  it('with one bit flipped, anywhere, is refused', async () => {
    const bytes = await backUp(await makeDataFolder());
    const every = Math.ceil(bytes.length / rounds(150));
    // In all of what is read apart from the rest, or in every third byte of it.
    const close = rounds(1, 3);
    for (
      let at = draw('bits').below(close);
      at < bytes.length;
      at += at < 40 || at >= bytes.length - 45 ? close : every
    ) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      await expectRefused(flipped, /damaged/);
    }
  });

  it('that was cut, or has something behind it, is refused', async () => {
    const bytes = await backUp(await makeDataFolder());
    for (const length of [
      0,
      1,
      39,
      40,
      41,
      bytes.length >> 1,
      bytes.length - 41,
      bytes.length - 40,
      bytes.length - 1,
    ]) {
      await expectRefused(bytes.subarray(0, length), /damaged/);
    }
    await expectRefused(Buffer.concat([bytes, Buffer.from('x')]), /damaged/);
    await expectRefused(Buffer.concat([bytes, bytes]), /damaged/);
  });
});

describe('an archive made by hand', () => {
  it('is taken if all is right with it', async () => {
    await restore(
      await archiveOf([manifestOf([{ path: 'weft.db', bytes: 'abc' }]), { name: 'weft.db', bytes: 'abc' }]),
    );
    expect(readFileSync(join(folder, 'new', 'weft.db'), 'utf8')).toBe('abc');
  });

  it.each(['../weft.db', '/etc/passwd', 'telemetry/../../x', 'weft.db/../x', 'lock', '', 'emulator/../x.world'])(
    'that would write to %j is refused',
    async (path) => {
      await expectRefused(
        await archiveOf([manifestOf([{ path, bytes: 'x' }]), { name: path, bytes: 'x' }]),
        /not a file of a data/,
      );
    },
  );

  it('that holds other files than it announces, or fewer, is refused', async () => {
    const manifest = manifestOf([{ path: 'weft.db', bytes: 'abc' }]);
    for (const entries of [
      [manifest],
      [manifest, { name: '../weft.db', bytes: 'abc' }],
      [manifest, { name: 'weft.db', bytes: 'abd' }],
      [manifest, { name: 'weft.db', bytes: 'abc' }, { name: 'secret', bytes: 'abc' }],
      [{ name: 'weft.db', bytes: 'abc' }, manifest],
      [],
    ]) {
      await expectRefused(await archiveOf(entries), /damaged/);
    }
  });

  it('that unpacks to more than it announces is refused before it does', async () => {
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const manifest = manifestOf([{ path: 'weft.db', bytes: 'abc' }]);
    await expectRefused(await archiveOf([manifest, { name: 'weft.db', bytes: zeros }]), /does not match the manifest/);
    await expectRefused(await archiveOf([manifest, { name: 'weft.db', bytes: zeros, size: 3 }]), /damaged/);
    await expectRefused(await archiveOf([{ name: 'manifest.json', bytes: zeros }]), /no manifest/);
  });

  it.each([
    [{ format: 2 }, /the backup has version 2/],
    [{ schemas: { registry: 9999 } }, /its database has version 9999/],
  ])('of a newer version is refused: %j', async (changes, why) => {
    await expectRefused(await archiveOf([manifestOf([], changes)]), why);
  });
});

it('telemetry of a newer version is refused', async () => {
  const dataDir = await makeDataFolder();
  const tables = new DatabaseSync(join(dataDir, 'telemetry', 'telemetry.db'));
  tables.exec('PRAGMA user_version = 9999');
  tables.close();
  await expectRefused(await backUp(dataDir), /telemetry\.db was written by a newer version/);
});

describe('the folder', () => {
  it('must be empty, or is moved aside, and nobody may use it', async () => {
    const dataDir = await makeDataFolder();
    const bytes = await backUp(dataDir);
    await expect(restore(bytes, { dataDir })).rejects.toThrow('is not empty');
    const lock = lockDataFolder(dataDir);
    await expect(restore(bytes, { dataDir, force: true })).rejects.toThrow('in use by another Weft');
    lock.release();
    const { movedTo } = await restore(bytes, { dataDir, force: true });
    expect(existsSync(join(movedTo!, 'secret'))).toBe(true);
    expect(existsSync(join(dataDir, 'secret'))).toBe(false);
    mkdirSync(join(folder, 'empty'));
    expect((await restore(bytes, { dataDir: join(folder, 'empty') })).movedTo).toBe(undefined);
  });

  it('may be a link to one on another disk, and stays a link', async () => {
    const archive = await backUp(await makeDataFolder());
    for (const isEmpty of [true, false]) {
      const there = join(folder, `disk-${isEmpty}`);
      mkdirSync(there);
      if (!isEmpty) writeFileSync(join(there, 'x'), '');
      const link = join(folder, `link-${isEmpty}`);
      symlinkSync(there, link);
      await restore(archive, { dataDir: link, force: true });
      expect([lstatSync(link).isSymbolicLink(), existsSync(join(there, 'weft.db'))]).toEqual([true, true]);
    }
  });

  it('is left as it is when a forced restore fails', async () => {
    const dataDir = await makeDataFolder();
    const bytes = (await backUp(dataDir)).subarray(0, -1);
    const before = [readdirSync(folder), readdirSync(dataDir)];
    await expect(restore(bytes, { dataDir, force: true })).rejects.toThrow('damaged');
    expect([readdirSync(folder), readdirSync(dataDir).filter((name) => name !== 'lock')]).toEqual(before);
  });
});

describe('writing', () => {
  it('is refused in one sentence where there is nothing to back up, or no place for it', async () => {
    const request = { leftOut: [], hasRegistry: true, hasTelemetry: true, secret: undefined, weftVersion: '1' };
    const write = (dataDir: string, file: string) =>
      writeBackup({ ...request, dataDir, onProgress: () => {} }, { file: join(folder, file) }).manifest;
    await expect(write(join(folder, 'nowhere'), 'x')).rejects.toThrow('there is no data folder');
    await expect(write(folder, 'x')).rejects.toThrow('there is no database');
    const dataDir = await makeDataFolder();
    await expect(write(dataDir, 'nowhere/x')).rejects.toThrow('it is not there');
    await expect(write(dataDir, 'data')).rejects.toThrow('already exists');
    expect(readdirSync(folder)).toEqual(['data']);
  });
});
