// What the engine must not mix up: blocks whose numbers are given to others, and tables that do not fit the journal.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { Engine } from './engine.ts';
import { RecordWriter, toNumberedSource } from './write/sample-record.ts';

const dayMs = 86_400_000;

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'timeseries-engine-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function openEngine(folder = createFolder(), damages: string[] = []): Engine {
  const engine = new Engine({
    folder,
    rawRetentionMs: 30 * dayMs,
    rollupRetentionMs: 400 * dayMs,
    onDamage: (message) => damages.push(message),
    onFlushFailed: ({ message }) => damages.push(message),
  });
  onTestFinished(() => engine.close());
  return engine;
}

async function append(engine: Engine, source: string, ts: number, value: number): Promise<void> {
  const { no, fields } = engine.register(source, [{ name: 'value', isText: false, sampleIndex: 0 }]);
  const writer = new RecordWriter();
  const numbered = toNumberedSource(no, fields);
  writer.add(numbered, [{ ts, names: ['value'], values: [value], texts: [] }]);
  await engine.commit(writer.take());
}

function valuesOf(engine: Engine, source: string): number[] {
  const range = { startMs: 0, endMs: Number.MAX_SAFE_INTEGER };
  return [...(engine.rows(source, range, 1000, ['value']).columns.get('value') ?? [])];
}

test('a block that takes the number of one that was pruned is not mistaken for it', async () => {
  const engine = openEngine();
  const now = Date.now();
  await append(engine, 'old', now - 40 * dayMs, 1);
  engine.sealAll();
  expect(valuesOf(engine, 'old')).toEqual([1]);
  engine.prune(now);
  expect(valuesOf(engine, 'old')).toEqual([]);
  await append(engine, 'new', now, 2);
  engine.sealAll();
  expect(valuesOf(engine, 'new')).toEqual([2]);
});

test('values whose names the tables do not know, as after an old backup of them, are told', async () => {
  const folder = createFolder();
  await append(openEngine(folder), 'ap', Date.now(), 1);
  const database = new DatabaseSync(join(folder, 'telemetry.db'));
  database.exec('DELETE FROM fields');
  database.close();
  const damages: string[] = [];
  openEngine(folder, damages);
  expect(damages).toEqual([expect.stringMatching(/^1 values .* are left out/)]);
});

test.each([
  ['a long window', 50 * dayMs, [1]],
  ['a short window', 1000, []],
])(
  '%s that was asked for before sees what was sealed since, and no longer what was pruned',
  async (_, windowMs, before) => {
    const damages: string[] = [];
    const engine = openEngine(createFolder(), damages);
    const now = Date.now();
    const query = { source: 'ap', metrics: ['value'], startMs: now - windowMs, endMs: now + 1000, maxPoints: 5000 };
    const values = () => [...(engine.query({ ...query, aggregate: 'mean' }).columns.get('value') ?? [])];
    await append(engine, 'ap', now - 40 * dayMs, 1);
    engine.sealAll();
    expect(values()).toEqual(before);
    await append(engine, 'ap', now, 2);
    engine.sealAll();
    expect(values()).toEqual([...before, 2]);
    while (engine.prune(now + 40 * dayMs));
    expect(values()).toEqual([]);
    expect(damages).toEqual([]);
  },
);

test('sources that began together and report together are not sealed together, also after a restart', async () => {
  const folder = createFolder();
  let engine = openEngine(folder);
  const sources = Array.from({ length: 40 }, (_, index) => {
    const { no, fields } = engine.register(`ap-${index}`, [{ name: 'value', isText: false, sampleIndex: 0 }]);
    return toNumberedSource(no, fields);
  });
  const sealsOfRound: number[] = [];
  const now = Date.now();
  const report = async (round: number) => {
    const writer = new RecordWriter();
    for (const source of sources) {
      writer.add(source, [{ ts: now + round, names: ['value'], values: [round], texts: [] }]);
    }
    await engine.commit(writer.take());
    let seals = 0;
    while (engine.sealSome(1)) seals++;
    sealsOfRound.push(seals);
  };
  for (let round = 0; round < 700; round++) await report(round);
  // As after kill -9: the one before is left as it is.
  engine = openEngine(folder);
  while (engine.sealSome(1));
  for (let round = 700; round < 1400; round++) await report(round);
  expect(Math.max(...sealsOfRound)).toBeLessThanOrEqual(4);
  const seals = sealsOfRound.reduce((sum, count) => sum + count, 0);
  expect(seals).toBeGreaterThanOrEqual(2 * sources.length);
  expect(seals).toBeLessThanOrEqual(4 * sources.length);
  expect(valuesOf(engine, 'ap-7')).toEqual(Array.from({ length: 1000 }, (_, round) => round));
});

test('the head of a wide source with rows of many hours is sealed in parts, and is whole for readers in between', async () => {
  const folder = createFolder();
  const engine = openEngine(folder);
  const names = Array.from({ length: 1000 }, (_, number) => (number === 0 ? 'value' : `m${number}`));
  const asked = names.map((name) => ({ name, isText: false, sampleIndex: 0 }));
  const { no, fields } = engine.register('wide', asked);
  const wide = toNumberedSource(no, fields);
  const now = Date.now();
  const samples = Array.from({ length: 45 }, (_, row) => ({
    ts: now - (45 - row) * (dayMs / 4),
    texts: [],
    // The others come and go, so that not every part has every column.
    ...(row % 15 === 0 ? { names, values: names.map(() => row) } : { names: ['value'], values: [row] }),
  }));
  const writer = new RecordWriter();
  writer.add(wide, samples);
  await engine.commit(writer.take());
  const rows = samples.map((_, row) => row);
  let parts = 0;
  while (engine.sealSome(1)) {
    parts++;
    expect(valuesOf(engine, 'wide')).toEqual(rows);
    if (parts === 3) expect(valuesOf(openEngine(folder), 'wide')).toEqual(rows);
  }
  expect(parts).toBeGreaterThan(5);
  const query = { source: 'wide', metrics: ['value', 'm999'], startMs: now - 20 * dayMs, endMs: now, maxPoints: 30 };
  const { columns } = engine.query({ ...query, aggregate: 'count' });
  const count = (name: string) => columns.get(name)!.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0);
  expect([count('value'), count('m999')]).toEqual([45, 3]);
});

test('what came back from the journal and is long is sealed, though its source is silent', async () => {
  const folder = createFolder();
  const before = openEngine(folder);
  for (let row = 0; row < 520; row++) await append(before, 'silent', Date.now() + row, row);
  const engine = openEngine(folder);
  expect([engine.sealSome(1), engine.sealSome(1)]).toEqual([true, false]);
  expect(valuesOf(engine, 'silent')).toHaveLength(520);
});

test('of heads that are sealed together none is lost when one of them fails', async () => {
  const folder = createFolder();
  const engine = openEngine(folder);
  const sources = ['one', 'two', 'three'];
  const now = Date.now();
  const rows = Array.from({ length: 520 }, (_, row) => row);
  const writer = new RecordWriter();
  for (const source of sources) {
    const { no, fields } = engine.register(source, [{ name: 'value', isText: false, sampleIndex: 0 }]);
    const samples = rows.map((row) => ({ ts: now + row, names: ['value'], values: [row], texts: [] }));
    writer.add(toNumberedSource(no, fields), samples);
  }
  await engine.commit(writer.take());
  const database = new DatabaseSync(join(folder, 'telemetry.db'));
  onTestFinished(() => database.close());
  const sealAll = () => {
    while (engine.sealSome());
  };
  database.exec("CREATE TRIGGER no BEFORE INSERT ON blocks WHEN NEW.agent = 3 BEGIN SELECT RAISE(ABORT, 'no'); END");
  expect(sealAll).toThrow('no');
  for (const source of sources) expect(valuesOf(engine, source)).toEqual(rows);
  database.exec('DROP TRIGGER no');
  sealAll();
  expect(database.prepare('SELECT sum(rows) AS rows FROM blocks').get()).toEqual({ rows: 3 * rows.length });
  for (const source of sources) expect(valuesOf(engine, source)).toEqual(rows);
});
