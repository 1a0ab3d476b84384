// Parts that fail: what was opened is closed, and the data folder is free for the next start. When parts hear of changes.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWeft } from '../../test/weft.ts';
import type { Part } from './core/part.ts';
import { createParts } from './parts.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-serve-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(odd: Part) {
  return startWeft(
    { WEFT_DATA_DIR: folder },
    { createParts: (platform, events) => ({ odd, ...createParts(platform, events) }) },
  );
}

const fail = async () => {
  throw new Error('for the test');
};

test('a part that cannot be stopped does not keep the others from it', async () => {
  const stopped: string[] = [];
  const weft = await start({
    sockets: { routes: [], close: fail },
    drain: fail,
    stop: async () => {
      stopped.push('odd');
      await fail();
    },
  });
  await weft.stop();
  expect(stopped).toEqual(['odd']);
  await expect(fetch(`${weft.url}/healthz`)).rejects.toThrow();
  await (await start({})).stop();
});

test('a part that cannot start ends the start with its reason, and everything is closed', async () => {
  await expect(start({ start: fail, stop: fail })).rejects.toThrow('for the test');
  await (await start({})).stop();
});

test('parts that cannot be created leave nothing open', async () => {
  const creation = startWeft(
    { WEFT_DATA_DIR: folder },
    {
      createParts: () => {
        throw new Error('for the test');
      },
    },
  );
  await expect(creation).rejects.toThrow('for the test');
  await (await start({})).stop();
});

test('parts hear of changes by other processes once everything is prepared, however long that takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let changes = 0;
    let changesBefore: number | undefined;
    const weft = await startWeft(
      { WEFT_DATA_DIR: folder },
      {
        createParts: (platform, events) => {
          events.recordsChanged.on(() => changes++);
          const prepare = async () => {
            vi.advanceTimersByTime(1000);
            changesBefore = changes;
          };
          return { slow: { prepare }, ...createParts(platform, events) };
        },
      },
    );
    expect(changesBefore).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(changes).toBe(1);
    await weft.stop();
  } finally {
    vi.useRealTimers();
  }
});

test('keys of apps under a secret that is not there: no start, no new secret, and what to do', async () => {
  const here = { WEFT_DATA_DIR: folder };
  const first = await startWeft(here);
  await first.app('saver');
  await first.stop();
  renameSync(join(folder, 'secret'), join(folder, 'kept'));
  const advice = `put the old secret into WEFT_SECRET, or into ${folder}/secret (chmod 600). `;
  const lost = `If it is lost: weft restore FILE --force --forget-app-keys --data-dir ${folder}`;
  for (const WEFT_SECRET of [undefined, randomBytes(48).toString('base64')]) {
    const { message } = await startWeft({ ...here, ...(WEFT_SECRET && { WEFT_SECRET }) }).catch((error) => error);
    for (const part of ['saver', advice, lost]) expect(message).toContain(part);
    expect(existsSync(join(folder, 'secret'))).toBe(false);
  }
  renameSync(join(folder, 'kept'), join(folder, 'secret'));
  await (await startWeft(here)).stop();
});
