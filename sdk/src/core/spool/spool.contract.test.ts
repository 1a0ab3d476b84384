// The spool through every kind of end: whatever happened in between, what was promised is there, in order, and what was
// done is not.
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { canMount, smallDisk } from '../../../../test/mounts.ts';
import { rounds } from '../../../../test/rounds.ts';
import { Spool } from './spool.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-spool-'));
  folders.push(folder);
  return folder;
}

const openSpool = (folder: string, maxBytes = 1e6) => new Spool({ folder, maxBytes, segmentBytes: 120 });
const everything = { maxRecords: 1e6, maxBytes: 1e9 };

async function readAll(spool: Spool): Promise<(string | undefined)[]> {
  const all: (string | undefined)[] = [];
  for (let records = await spool.peek(everything); records.length > 0; records = await spool.peek(everything)) {
    all.push(...records.map(({ text }) => text));
    await spool.done(records.length);
  }
  return all;
}

type Sizes = Map<string, number>;
const filesOf = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.spool'));
const sizesOf = (folder: string): Sizes =>
  new Map(filesOf(folder).map((name) => [name, statSync(join(folder, name)).size]));

/** What a power cut may leave of writes that were not flushed: any part of them, also none of a new file. */
function loseUnflushed(folder: string, flushed: Sizes, share: number, hasGarbage: boolean): void {
  for (const [name, size] of sizesOf(folder)) {
    const safe = flushed.get(name);
    const path = join(folder, name);
    const left = (safe ?? 0) + Math.floor((size - (safe ?? 0)) * share);
    if (safe === undefined && left === 0) rmSync(path);
    else truncateSync(path, left);
    if (hasGarbage && left < size) writeFileSync(path, Buffer.alloc(7), { flag: 'a' });
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      count: fc.integer({ min: 0, max: 5 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      hasGarbage: fc.boolean(),
    }),
  },
);

interface Expected {
  text: string;
  /** False if it had not been promised when the end came: it may be there or not. */
  isSure: boolean;
}

/** What is expected after these have come; throws if one is missing, strange or out of order. */
function match(expected: readonly Expected[], texts: readonly (string | undefined)[]): Expected[] {
  let rest = [...expected];
  for (const text of texts) {
    const index = rest.findIndex((each) => each.text === text);
    expect([text, index >= 0, rest.slice(0, index).filter(({ isSure }) => isSure)]).toEqual([text, true, []]);
    rest = rest.slice(index + 1);
  }
  return rest;
}

test('after any end at any point nothing promised is lost, nothing done comes back, the order stays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const folder = newFolder();
      let spool = openSpool(folder);
      let number = 0;
      let expected: Expected[] = [];
      const fill = async (count: number, isSure: boolean) => {
        const texts = Array.from({ length: count }, () => `{"n":${number++}}`);
        await Promise.all(texts.map((text) => spool.append(text)));
        expected.push(...texts.map((text) => ({ text, isSure })));
      };
      for (const each of steps) {
        if (each.kind === 'append') await fill(each.count, true);
        else if (each.kind === 'take') {
          const records = await spool.peek({ maxRecords: each.count, maxBytes: 60 });
          expect(records.length > 0).toBe(spool.size > 0);
          await spool.done(records.length);
          expected = match(
            expected,
            records.map(({ text }) => text),
          );
        } else {
          const flushed = sizesOf(folder);
          await fill(each.count, false);
          await spool.close();
          loseUnflushed(folder, flushed, each.share, each.hasGarbage);
          spool = openSpool(folder);
        }
        expect(spool.size).toBeGreaterThanOrEqual(expected.filter(({ isSure }) => isSure).length);
      }
      const rest = match(expected, await readAll(spool));
      expect(rest.filter(({ isSure }) => isSure)).toEqual([]);
      expect([spool.size, spool.bytes, filesOf(folder)]).toEqual([0, 0, []]);
      await spool.close();
    }),
    { numRuns: rounds(100) },
  );
  // Every step waits for the disk.
});

describe('a spool', () => {
  test('has bounds, refuses what does not fit, and takes more when there is room again', async () => {
    const spool = openSpool(newFolder(), 500);
    const text = 'x'.repeat(30);
    const kept: string[] = [];
    await expect(
      (async () => {
        for (;;) kept.push(String(await spool.append(text)));
      })(),
    ).rejects.toMatchObject({ name: 'WeftRefusal', code: 'spool_full' });
    expect(spool.bytes).toBeLessThanOrEqual(500);
    expect(kept).toHaveLength(10);
    await spool.done((await spool.peek({ maxRecords: 4, maxBytes: 1e6 })).length);
    await spool.append('y');
    expect(await readAll(spool)).toEqual([...Array.from({ length: kept.length - 3 }, () => text), 'y']);
  });

  test('says which record the disk has damaged, and goes on', async () => {
    const folder = newFolder();
    const spool = openSpool(folder);
    for (const text of ['one', 'two', 'three']) await spool.append(text);
    await spool.close();
    const file = join(folder, filesOf(folder)[0]!);
    writeFileSync(file, readFileSync(file, 'utf8').replace('two', 'twp'));
    expect(await readAll(openSpool(folder))).toEqual(['one', undefined, 'three']);
  });

  test('goes on when a whole file has lost its end', async () => {
    const folder = newFolder();
    const spool = openSpool(folder);
    for (let n = 0; n < 12; n++) await spool.append(`record ${n}, and something to fill the file with`);
    await spool.close();
    const names = filesOf(folder).sort();
    expect(names.length).toBeGreaterThan(2);
    truncateSync(join(folder, names[0]!), 0);
    const again = openSpool(folder);
    const left = await readAll(again);
    expect(left.at(0)).toContain(`record ${Number(names[1]!.slice(0, 12)) - 1},`);
    expect(left.at(-1)).toContain('record 11,');
    expect(again.size).toBe(0);
  });

  test('tells when the disk does not take it', async () => {
    const folder = newFolder();
    const spool = openSpool(folder);
    await spool.append('one');
    rmSync(folder, { recursive: true });
    // The open file still takes records; a new one cannot be made.
    await spool.append('x'.repeat(200));
    await expect(spool.append('two')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.skipIf(!canMount)('leaves no files behind while the disk is full, and is emptied all the same', async () => {
    const around = mkdtempSync(join(tmpdir(), 'weft-spool-'));
    onTestFinished(() => rmSync(around, { recursive: true }));
    const folder = smallDisk(join(around, 'disk'), 1);
    const spool = openSpool(folder);
    await spool.append('one');
    const blocks = statfsSync(folder).bfree;
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(blocks * statfsSync(folder).bsize));
    const long = 'x'.repeat(5000);
    for (let n = 0; n < 5; n++) await expect(spool.append(long)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(filesOf(folder).length).toBeLessThanOrEqual(2);
    expect(await readAll(spool)).toEqual(['one']);
    rmSync(join(folder, 'ballast'));
    await spool.append(long);
    expect(await readAll(spool)).toEqual([long]);
    await spool.close();
  });
});
