// A reader that knows the files only from the README finds what the store has written.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32, zstdDecompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { openTimeSeries, type Sample } from './index.ts';

type Row = Record<string, number | string>;
type Column = (number | string | undefined)[];

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 2, 1, 12);

/** Of all kinds of columns, with gaps, in disorder. */
const samples: Sample[] = Array.from({ length: 300 }, (_, index) => ({
  ts: startMs + ((index * 7) % 300) * 1000,
  names: index % 3 === 0 ? ['level', 'ratio', 'rare'] : ['level', 'ratio'],
  values: [index - 150.25, Math.sin(index), ...(index % 3 === 0 ? [-index * 1e9] : [])],
  texts: index % 5 === 0 ? [['state', index % 2 === 0 ? 'on' : 'off — “é”']] : [],
}));
/** The first ones replace what is in blocks. */
const later: Sample[] = [0, 1000, 900_000].map((offset) => ({
  ts: startMs + offset,
  names: ['level'],
  values: [offset],
  texts: [['state', 'later']],
}));

test('rows and roll-ups can be read without the package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'timeseries-format-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const fail = (message: string | Error) => {
    throw new Error(String(message));
  };
  const retention = { rawRetentionMs: Number.MAX_SAFE_INTEGER, rollupRetentionMs: Number.MAX_SAFE_INTEGER };
  const store = await openTimeSeries({ folder, ...retention, onDamage: fail, onFatal: fail });
  await store.append('one', samples);
  await store.append('two', samples.slice(0, 1));
  await store.sealAll();
  await store.append('one', later);
  await store.close();

  const database = new DatabaseSync(join(folder, 'telemetry.db'), { readOnly: true });
  onTestFinished(() => database.close());
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
  const { no } = database.prepare('SELECT no FROM agents WHERE ap_id = ?').get('one') as { no: number };
  const fields = database.prepare('SELECT no, name FROM fields WHERE agent = ?').all(no) as {
    no: number;
    name: string;
  }[];
  const nameOf = (field: number) => fields.find((each) => each.no === field)!.name;

  const rows = new Map<number, Row>();
  const set = (ts: number, field: number, value: number | string) =>
    rows.set(ts, { ...rows.get(ts), [nameOf(field)]: value });
  for (const { data } of database.prepare('SELECT data FROM blocks WHERE agent = ?').all(no)) {
    const { times, columns } = readBlock(data as Uint8Array);
    for (const [field, values] of columns) {
      for (const [index, value] of values.entries()) if (value !== undefined) set(times[index]!, field, value);
    }
  }
  for (const sample of readJournal(join(folder, 'journal'))) {
    if (sample.source !== no) continue;
    for (const [field, value] of sample.values) set(sample.ts, field, value);
  }
  expect(rows).toEqual(expectedRows([...samples, ...later]));

  const level = fields.find(({ name }) => name === 'level')!.no;
  const sql = 'SELECT chunk, data FROM rollups WHERE agent = ? AND field = ? AND level = ?';
  const [chunk, ...others] = database.prepare(sql).all(no, level, minuteMs) as { chunk: number; data: Uint8Array }[];
  expect([chunk!.chunk, others]).toEqual([Math.floor(startMs / (minuteMs * 360)), []]);
  const { times, columns } = readBlock(chunk!.data);
  const firstMinute = (startMs - chunk!.chunk * minuteMs * 360) / minuteMs;
  expect(times).toEqual([0, 1, 2, 3, 4].map((minute) => firstMinute + minute));
  const ofMinute = samples.filter(({ ts }) => ts < startMs + minuteMs).map(({ values }) => values[0]!);
  const sum = ofMinute.reduce((total, value) => total + value, 0);
  const last = samples.find(({ ts }) => ts === startMs + 59_000)!.values[0];
  expect([0, 1, 2, 3, 4].map((stat) => columns.get(stat)![0])).toEqual([
    Math.min(...ofMinute),
    Math.max(...ofMinute),
    sum,
    60,
    last,
  ]);
});

function expectedRows(all: readonly Sample[]): Map<number, Row> {
  const rows = new Map<number, Row>();
  for (const { ts, names, values, texts } of all) {
    const metrics = names.map((name, index) => [name, values[index]!]);
    rows.set(ts, { ...rows.get(ts), ...Object.fromEntries([...metrics, ...texts]) });
  }
  return rows;
}

function* readJournal(folder: string): Generator<{ source: number; ts: number; values: [number, number | string][] }> {
  for (const name of readdirSync(folder).sort()) {
    const bytes = readFileSync(join(folder, name));
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.readUInt32LE(at);
      const payload = bytes.subarray(at + 8, at + 8 + length);
      expect(crc32(payload)).toBe(bytes.readUInt32LE(at + 4));
      at += 8 + length;
      const count = payload.readDoubleLE(0);
      const texts: [number, string][] = JSON.parse(payload.toString('utf8', 8 + count * 8) || '[]');
      let next = 1;
      const number = () => payload.readDoubleLE(8 * next++);
      while (next <= count) {
        const [source, ts] = [number(), number()];
        const values: [number, number | string][] = Array.from({ length: number() }, () => [number(), number()]);
        yield { source, ts, values: [...values, ...texts.splice(0, number())] };
      }
    }
  }
}

function readBlock(data: Uint8Array): { times: number[]; columns: Map<number, Column> } {
  const packed = Buffer.from(data);
  const body = packed[0] === 0 ? packed.subarray(5) : zstdDecompressSync(packed);
  if (packed[0] === 0) expect(crc32(body)).toBe(packed.readUInt32LE(1));
  let at = 0;
  const varint = (): number => {
    const byte = body[at++]!;
    return byte < 0x80 ? byte : (byte & 0x7f) + 0x80 * varint();
  };
  const signed = (): number => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const rowCount = varint();
  const columnCount = varint();
  let [time, step] = [0, 0];
  const times = Array.from({ length: rowCount }, () => {
    step += signed();
    time += step;
    return time;
  });
  const columns = new Map<number, Column>();
  for (let index = 0; index < columnCount; index++) {
    const field = varint();
    const kind = body[at++]!;
    const end = varint() + at;
    columns.set(field, kind === 17 ? readTexts() : readNumbers(kind));
    expect(at).toBe(end);
  }
  return { times, columns };

  function readTexts(): Column {
    const length = varint();
    const texts: string[] = JSON.parse(body.toString('utf8', at, at + length));
    at += length;
    return times.map(() => texts[varint() - 1]);
  }

  function readNumbers(kind: number): Column {
    const isWhole = body[at++] === 1;
    const bits = body.subarray(at, at + Math.ceil(rowCount / 8));
    if (!isWhole) at += bits.length;
    const present = times.map((_, row) => isWhole || ((bits[row >> 3]! >> (row & 7)) & 1) === 1);
    const count = present.filter(Boolean).length;
    const start = at;
    let [scaled, index] = [0, 0];
    const float = () => {
      const one = Buffer.from(Array.from({ length: 8 }, (_, byte) => body[start + byte * count + index]!));
      index++;
      return one.readDoubleLE();
    };
    const decimal = () => {
      scaled += signed();
      return scaled / 10 ** kind;
    };
    const column = present.map((isPresent) => (isPresent ? (kind === 16 ? float() : decimal()) : undefined));
    if (kind === 16) at = start + count * 8;
    return column;
  }
}
