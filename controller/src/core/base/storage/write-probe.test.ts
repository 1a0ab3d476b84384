// The probe of writing: it notices that writing fails and that it works again, and asking often costs no more writes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SqlDatabase } from './sql-database.ts';
import { probeDatabase, probeFolder } from './write-probe.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-probe-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

test('a folder that cannot be written fails with a reason, and works again by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const gone = join(folder, 'gone');
  const probe = probeFolder(gone);
  await expect(probe()).rejects.toMatchObject({ status: 503, code: 'disk_failing' });
  const { mkdir } = await import('node:fs/promises');
  await mkdir(gone);
  await vi.advanceTimersByTimeAsync(1_000);
  await probe();
});

test('asked a thousand times within a second it writes once; a write that never ends is a failure', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let writes = 0;
  let isStuck = false;
  const database = {
    transaction: () => {
      writes++;
      return isStuck ? new Promise(() => {}) : Promise.resolve([]);
    },
  } as unknown as SqlDatabase;
  const probe = probeDatabase(database);
  await Promise.all(Array.from({ length: 1000 }, () => probe()));
  expect(writes).toBe(1);
  isStuck = true;
  await vi.advanceTimersByTimeAsync(1_000);
  const outcome = expect(probe()).rejects.toMatchObject({ code: 'disk_slow' });
  await vi.advanceTimersByTimeAsync(5_000);
  await outcome;
});
