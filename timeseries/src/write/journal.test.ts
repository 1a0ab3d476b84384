// What the journal promises: everything appended comes back in order; an unfinished end is cut off, damage is told.
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Journal } from './journal.ts';

let folder: string;
let damages: { message: string; isUnfinishedEnd: boolean }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'timeseries-journal-'));
  damages = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): { journal: Journal; records: string[] } {
  const journal = new Journal({
    folder,
    onDamage: (message, isUnfinishedEnd) => damages.push({ message, isUnfinishedEnd }),
  });
  const records: string[] = [];
  journal.recover((record) => records.push(Buffer.from(record).toString('utf8')));
  return { journal, records };
}

async function write(texts: string[]): Promise<void> {
  const { journal } = open();
  for (const text of texts) await journal.append(Buffer.from(text));
  journal.close();
}

const segments = () => readdirSync(folder).sort();
const firstSegment = () => join(folder, segments()[0]!);

describe('the journal', () => {
  test('gives back what was appended, in order, over several openings', async () => {
    await write(['a', 'b']);
    await write(['c']);
    expect(open().records).toStrictEqual(['a', 'b', 'c']);
    expect(damages).toStrictEqual([]);
  });

  test('begins a new segment when one is full, and removes those before a given one', async () => {
    const { journal } = open();
    const big = Buffer.alloc(3 * 1024 * 1024, 'x');
    for (let count = 0; count < 4; count++) await journal.append(big);
    expect(segments()).toHaveLength(2);
    journal.removeBefore(journal.segment);
    journal.close();
    expect(open().records).toHaveLength(2);
  });

  test.each([1, 5, 8, 10])('cuts off an unfinished record at the end, %i bytes short (R5)', async (missing) => {
    await write(['whole', 'unfinished']);
    const bytes = readFileSync(firstSegment());
    truncateSync(firstSegment(), bytes.length - missing);
    expect(open().records).toStrictEqual(['whole']);
    expect(damages).toMatchObject([{ isUnfinishedEnd: true }]);
    expect(open().records).toStrictEqual(['whole']);
    expect(damages).toHaveLength(1);
  });

  test('cuts off a last record with a flipped bit (R5)', async () => {
    await write(['whole', 'damaged']);
    const bytes = readFileSync(firstSegment());
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(firstSegment(), bytes);
    expect(open().records).toStrictEqual(['whole']);
    expect(damages).toMatchObject([{ isUnfinishedEnd: true }]);
  });

  test.each([4, 8, 4096])('cuts off %i zeros at the end, as a power cut may leave them (R5)', async (count) => {
    await write(['whole']);
    truncateSync(firstSegment(), readFileSync(firstSegment()).length + count);
    expect(open().records).toStrictEqual(['whole']);
    expect(damages).toMatchObject([{ isUnfinishedEnd: true }]);
  });

  test('tells damage in the middle, keeps what is before it and every other segment (R5)', async () => {
    await write(['one', 'two', 'three']);
    await write(['four']);
    const bytes = readFileSync(firstSegment());
    bytes[8 + 3 + 8]! ^= 1;
    writeFileSync(firstSegment(), bytes);
    expect(open().records).toStrictEqual(['one', 'four']);
    expect(damages).toMatchObject([{ isUnfinishedEnd: false, message: expect.stringContaining('cannot read') }]);
  });

  test('tells a segment that is missing in the middle, at every start, and gives back the others', async () => {
    for (const text of ['one', 'two', 'three', 'four']) await write([text]);
    rmSync(join(folder, segments()[1]!));
    expect(open().records).toStrictEqual(['one', 'three', 'four']);
    expect(open().records).toHaveLength(3);
    const missing = {
      isUnfinishedEnd: false,
      message: expect.stringMatching(/segments are missing: .*0+2\.log and all before .*0+3\.log$/),
    };
    expect(damages).toMatchObject([missing, missing]);
    damages = [];
    rmSync(join(folder, segments()[1]!));
    open();
    expect(damages).toMatchObject([{ message: expect.stringMatching(/0+2\.log and all before .*0+4\.log$/) }]);
  });

  test('recovering three times gives the same as once (R9)', async () => {
    await write(['a', 'b']);
    const first = open().records;
    expect([open().records, open().records]).toStrictEqual([first, first]);
  });
});
