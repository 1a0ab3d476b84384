// The promises of every telemetry store on a real ClickHouse, and what only ClickHouse can get wrong: parts, blocks it takes for
// repeats, its absence, its retention, tables of earlier versions and of the operator.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  clickHouseAnswers,
  findClickHouse,
  startClickHouse,
  type TestClickHouse,
} from '../../../../../../test/clickhouse.ts';
import { midnight, sample, toRows } from '../../../../../../test/pure/telemetry-reference.ts';
import { untilSo } from '../../../../../../test/pure/until-so.ts';
import { startTcpProxy, type TcpProxy } from '../../../../../../test/tcp-proxy.ts';
import type { TelemetryFixture } from '../../../../../../test/telemetry-fixture.ts';
import { checkBackends } from '../../../../backends.ts';
import { loadConfig } from '../../../base/config.ts';
import { TryLaterError } from '../../../base/errors.ts';
import { describeTelemetryStore } from '../telemetry-store.contract.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { ClickHouseClient } from './clickhouse-client.ts';
import { prepareTables, tableStatements } from './clickhouse-tables.ts';
import { ClickHouseWriter } from './clickhouse-writer.ts';
import {
  type ClickHouseTelemetryOptions,
  type ClickHouseTelemetryStore,
  openClickHouseTelemetry,
} from './telemetry-store.clickhouse.ts';

const day = 86_400_000;
const retention = { rawRetentionMs: 30 * day, rollupRetentionMs: 400 * day };
const always = { startMs: midnight - 60 * day, endMs: midnight + 3 * day };
const question = { ...always, maxPoints: 5000, aggregate: 'mean' as const };
const tables = ['telemetry_samples', 'telemetry_fields', 'telemetry_minutes'];
const rawTables = tables.slice(0, 2);

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** One of each: none may work while ClickHouse is away. */
const everyCall: ((store: TelemetryStore) => Promise<unknown>)[] = [
  (store) => store.append('ap-1', [sample(midnight + 1, { a: 2 })]),
  (store) => store.append('new', [sample(midnight, { a: 1 })]),
  (store) => store.query({ ap_id: 'ap-1', ...question }),
  (store) => store.fields('ap-1', 0),
  (store) => store.latest(['ap-1']),
  (store) => store.rows('ap-1', always, 10),
  (store) => store.prune(Date.now()),
  (store) => store.remove('ap-1'),
  (store) => store.check(),
];

function expectUnavailable(error: unknown): void {
  expect(error).toBeInstanceOf(TryLaterError);
  expect(error).toMatchObject({ status: 503, code: 'telemetry_unavailable' });
  expect((error as TryLaterError).retryAfterSeconds).toBeGreaterThan(0);
}

describe.skipIf(findClickHouse() === undefined)('ClickHouse', () => {
  let server: TestClickHouse;
  let database: string;
  const opened: ClickHouseTelemetryStore[] = [];

  const openOn = (url: string, options: Partial<ClickHouseTelemetryOptions> = {}) => {
    opened.push(openClickHouseTelemetry({ url: `${url}/${database}`, ...retention, ...options }));
    return opened.at(-1)!;
  };
  const openThrough = async (
    options: Partial<ClickHouseTelemetryOptions> = {},
  ): Promise<[ClickHouseTelemetryStore, TcpProxy]> => {
    const proxy = await startTcpProxy(server.port);
    onTestFinished(() => proxy.close());
    return [openOn(`clickhouse://127.0.0.1:${proxy.port}`, options), proxy];
  };
  const ask = (statement: string) => clickHouseAnswers(server.url, statement);
  const rowsOf = async (store: TelemetryStore, ap_id = 'ap-1') => toRows(await store.query({ ap_id, ...question }));
  const partsOf = async (table: string) =>
    Number(
      await ask(`SELECT count() FROM system.parts WHERE database = '${database}' AND table = '${table}' AND active`),
    );

  beforeAll(async () => {
    server = await startClickHouse();
  });
  beforeEach(() => {
    database = `test_${randomUUID()}`;
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await server.stop();
  });

  describeTelemetryStore('as every store', async (): Promise<TelemetryFixture> => {
    const shared = `test_${randomUUID()}`;
    const openShared = (name: string) => {
      opened.push(openClickHouseTelemetry({ url: `${server.url}/${name}`, ...retention }));
      return opened.at(-1)!;
    };
    return {
      store: openShared(shared),
      moves: [
        // In as few parts as there can be, and seen by another node.
        async () => {
          for (const table of tables) await ask(`OPTIMIZE TABLE \`${shared}\`.${table} FINAL`);
          return openShared(shared);
        },
        // From roll-ups.
        async () => {
          const store = openShared(shared);
          while (await store.rollUp(0));
          return store;
        },
      ],
      openAnother: async () => openShared(`test_${randomUUID()}`),
      remove: async () => {},
      isCostly: true,
    };
  });

  describe('an append over midnight', () => {
    const both = [sample(midnight - 1, { a: 10 }), sample(midnight, { a: 11, b: 11 })];

    test('is there as a whole, with its newest values, on every node', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', both);
      for (const node of [store, openOn(server.url)]) {
        expect(await rowsOf(node)).toEqual([
          { ts: midnight - 1, a: 10 },
          { ts: midnight, a: 11, b: 11 },
        ]);
        expect(await rowsOf(node, 'ap-2')).toEqual([]);
        expect((await node.latest(['ap-1']))[0]!.metrics).toContainEqual({ name: 'a', ts: midnight, value: 11 });
      }
    });

    test('is one part, so that all of it is there or nothing', async () => {
      const store = openOn(server.url);
      await store.check();
      await ask(`SYSTEM STOP MERGES \`${database}\`.telemetry_samples`);
      const samples = Array.from({ length: 30 }, (_, n) => sample(midnight - n * day, { a: n }));
      await store.append('ap-1', samples.slice(0, 20));
      expect(await partsOf('telemetry_samples')).toBe(1);
      expect(await rowsOf(store)).toHaveLength(20);
    });

    test('and appends before and after it replace each other in their order, also in one insert', async () => {
      const store = openOn(server.url);
      // The names are known, so that nobody reads them first.
      await store.append('ap-1', [sample(midnight, { a: 1, b: 1, c: 1 })]);
      await Promise.all([
        store.append('ap-1', [sample(midnight, { a: 2 })]),
        store.append('ap-1', both),
        store.append('ap-1', [sample(midnight, { a: 3 })]),
        store.append('ap-1', [sample(midnight - 1, { a: 4 }), sample(midnight, { c: 4 })]),
      ]);
      const found = [
        { ts: midnight - 1, a: 4 },
        { ts: midnight, a: 3, b: 11, c: 4 },
      ];
      expect(await rowsOf(store)).toEqual(found);
      expect(await rowsOf(openOn(server.url))).toEqual(found);
    });
  });

  describe('inserts', () => {
    test('of two nodes that meet a new name at once, one as text and one as number, both are there', async () => {
      const nodes = [openOn(server.url), openOn(server.url)] as const;
      await Promise.all(nodes.map((node) => node.check()));
      for (let round = 0; round < 5; round++) {
        const ap_id = `ap-${round}`;
        await Promise.all([
          nodes[0].append(ap_id, [sample(midnight, { a: 1 })]),
          nodes[1].append(ap_id, [sample(midnight + 1, {}, { a: 'x' })]),
        ]);
        for (const node of nodes) {
          expect(await rowsOf(node, ap_id)).toEqual([
            { ts: midnight, a: 1 },
            { ts: midnight + 1, a: 'x' },
          ]);
          expect((await node.fields(ap_id, 0)).map(({ kind }) => kind)).toEqual(['metric', 'text']);
        }
      }
    });

    test('A, B, A leaves A, even where ClickHouse drops blocks that it has seen', async () => {
      const store = openOn(server.url);
      await store.check();
      for (const table of tables) {
        await ask(`ALTER TABLE \`${database}\`.${table} MODIFY SETTING non_replicated_deduplication_window = 100`);
      }
      for (const a of [1, 2, 1]) await store.append('ap-1', [sample(midnight, { a })]);
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 1 }]);
      expect((await store.latest(['ap-1']))[0]!.metrics).toEqual([{ name: 'a', ts: midnight, value: 1 }]);
    });

    test('a large append is one part, so that all of it is there or nothing', async () => {
      const store = openOn(server.url);
      await store.check();
      await ask(`SYSTEM STOP MERGES \`${database}\`.telemetry_samples`);
      const many = Array.from({ length: 40_000 }, (_, n) => sample(midnight + n, { a: n, b: -n }));
      await store.append('ap-1', many);
      expect(await partsOf('telemetry_samples')).toBe(1);
      expect((await store.rows('ap-1', always, 100_000)).ts).toHaveLength(many.length);
    });

    test('many appends at once share few of them', async () => {
      const [store, proxy] = await openThrough();
      const agents = Array.from({ length: 200 }, (_, n) => `ap-${n}`);
      const appendAll = (ts: number) => Promise.all(agents.map((ap_id) => store.append(ap_id, [sample(ts, { a: 1 })])));
      await appendAll(midnight);
      let inserts = 0;
      proxy.onClientBytes = (bytes) => {
        if (bytes.includes('query=INSERT')) inserts++;
      };
      await appendAll(midnight + 1);
      expect(inserts).toBe(1);
      expect(await store.latest(agents)).toHaveLength(agents.length);
    });

    test('an append that comes in the very moment in which the one before is stored does not wait for another', async () => {
      const client = new ClickHouseClient({ url: `${server.url}/${database}`, timeoutMs: 30_000, onMissing: () => {} });
      onTestFinished(() => client.close());
      await prepareTables(client, { engine: 'MergeTree', ...retention });
      const writer = new ClickHouseWriter(client);
      const append = { ap_id: 'ap-1', samples: [sample(midnight, { a: 1 })] };
      for (let n = 0; n < 3; n++) await writer.add(append);
      await writer.idle();
    });

    test('close waits for the appends that are under way', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      const outcome = rejection(store.append('ap-1', [sample(midnight + 1, { a: 2 })]));
      await new Promise((resolve) => setImmediate(resolve));
      await store.close();
      expect(await outcome).toBeUndefined();
      expect(await rowsOf(openOn(server.url))).toHaveLength(2);
    });
  });

  test('infinity, half characters, and texts that look like their encoding come back as they went in', async () => {
    const store = openOn(server.url);
    const names = ['\ud800', '\udc00x', '\ufffd', '\0"\\ud800"', '\0', 'x\0'];
    const values = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 5e-324, 1, 2];
    const texts = names.map((name): [string, string] => [`t${name}`, name]);
    await store.append('ap-\0', [{ ts: midnight, names, values, texts }]);
    const { columns, texts: found } = await store.query({ ap_id: 'ap-\0', ...question });
    expect(names.map((name) => columns.get(name)?.[0])).toEqual(values);
    expect(names.map((name) => found.get(`t${name}`)?.[0])).toEqual(names);
    expect(await store.fields('ap-\0', 0)).toHaveLength(2 * names.length);
  });

  test('values that were replaced thousands of times come once', async () => {
    const store = openOn(server.url);
    const again = Array.from({ length: 2200 }, (_, index) => [
      sample(midnight, { a: index }),
      sample(midnight + 1000, { a: -index }),
    ]);
    await store.append('ap-1', again.flat());
    const range = { startMs: midnight, endMs: midnight + 1999 };
    const frame = await store.query({ ap_id: 'ap-1', ...range, maxPoints: 2, aggregate: 'mean', metrics: ['a'] });
    expect(toRows(frame)).toEqual([
      { ts: midnight, a: 2199 },
      { ts: midnight + 1000, a: -2199 },
    ]);
  });

  test('a page has all fields of its last time, however often they were replaced', async () => {
    const store = openOn(server.url);
    for (let n = 0; n < 9; n++) {
      await store.append('ap-1', [sample(midnight, { [`a${n}`]: n, same: n }), sample(midnight + 1, { same: n })]);
    }
    const all = { ts: midnight, ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`a${n}`, n])), same: 8 };
    expect(toRows(await store.rows('ap-1', always, 1))).toEqual([all]);
    expect(toRows(await store.rows('ap-1', always, 2))).toEqual([all, { ts: midnight + 1, same: 8 }]);
    expect(toRows(await store.rows('ap-1', { ...always, startMs: midnight + 1 }, 1))).toEqual([
      { ts: midnight + 1, same: 8 },
    ]);
  });

  describe('retention', () => {
    const retained = (store: TelemetryStore) => Promise.all([rowsOf(store), store.fields('ap-1', 0)]);

    test('what is older is not there any more, whether ClickHouse has removed it or not', async () => {
      const store = openOn(server.url);
      await store.check();
      for (const table of tables) await ask(`SYSTEM STOP MERGES \`${database}\`.${table}`);
      await store.append('ap-1', [sample(midnight - 40 * day, { old: 1, a: 1 }), sample(midnight, { a: 2 })]);
      await store.append('ap-2', [sample(midnight - 40 * day, { old: 1 })]);
      expect(await retained(store)).toEqual([
        [{ ts: midnight, a: 2 }],
        [{ name: 'a', kind: 'metric', lastTs: midnight }],
      ]);
      expect(await store.latest(['ap-2'])).toEqual([]);
      expect(toRows(await store.rows('ap-2', always, 10))).toEqual([]);
      // Another node, that has not just seen the name.
      await openOn(server.url).append('ap-2', [sample(midnight, {}, { old: 'a text now' })]);
      expect(await rowsOf(store, 'ap-2')).toEqual([{ ts: midnight, old: 'a text now' }]);
    });

    test('ClickHouse removes it by itself', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', [sample(midnight - 40 * day, { old: 1 })]);
      await store.prune();
      for (const table of rawTables) {
        await expect
          .poll(async () => {
            await ask(`OPTIMIZE TABLE \`${database}\`.${table} FINAL`);
            return ask(`SELECT count() FROM \`${database}\`.${table}`);
          })
          .toBe('0\n');
      }
    });

    test('another setting is a change of the tables', async () => {
      await openOn(server.url).check();
      await openOn(server.url, { rawRetentionMs: 90 * day }).check();
      for (const table of rawTables) {
        const created = await ask(`SHOW CREATE TABLE \`${database}\`.${table}`);
        expect(created).toContain(`toIntervalSecond(${90 * 86_400})`);
      }
      const store = openOn(server.url, { rawRetentionMs: 90 * day });
      await store.append('ap-1', [sample(midnight - 40 * day, { a: 1 })]);
      expect(await rowsOf(store)).toHaveLength(1);
    });
  });

  describe('roll-ups', () => {
    const hours = { startMs: midnight, endMs: midnight + 3 * 3_600_000 - 1 };
    const readings = Array.from({ length: 3 * 360 }, (_, n) => sample(midnight + n * 10_000, { a: n % 50, b: -n }));
    const countsOf = async (store: TelemetryStore, aggregate: 'count' | 'sum' = 'count') =>
      toRows(await store.query({ ap_id: 'ap-1', ...hours, metrics: ['a'], maxPoints: 3, aggregate })).map(({ a }) => a);
    const rolledUp = async (store: ClickHouseTelemetryStore) => {
      while (await store.rollUp(0));
    };

    test('answer for samples that are gone', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', readings);
      const sums = await countsOf(store, 'sum');
      await rolledUp(store);
      await ask(`TRUNCATE TABLE \`${database}\`.telemetry_samples`);
      expect(await countsOf(store)).toEqual([360, 360, 360]);
      expect(await countsOf(store, 'sum')).toEqual(sums);
    });

    test('are those of the values that count, whenever they came, also while they are made', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', readings.slice(0, 500));
      await rolledUp(store);
      await store.append('ap-1', readings.slice(300));
      await store.append('ap-1', [sample(midnight + 5, { a: 1 }), sample(midnight, { a: 1000 })]);
      const expected = [361, 360, 360];
      expect(await countsOf(store)).toEqual(expected);
      const sums = await countsOf(store, 'sum');
      expect(await store.rollUp(3_600_000)).toBe(false);
      await rolledUp(store);
      expect(await store.rollUp(0)).toBe(false);
      expect(await countsOf(store)).toEqual(expected);
      expect(await countsOf(store, 'sum')).toEqual(sums);
    });

    test('of an agent that was removed meanwhile are not those of the next one of its name', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', readings);
      await rolledUp(store);
      await ask(`CREATE TABLE \`${database}\`.kept AS \`${database}\`.telemetry_minutes`);
      await ask(`INSERT INTO \`${database}\`.kept SELECT * FROM \`${database}\`.telemetry_minutes`);
      await store.remove('ap-1');
      // As if they had been made from samples that were read before.
      await ask(`INSERT INTO \`${database}\`.telemetry_minutes SELECT * FROM \`${database}\`.kept`);
      await store.append('ap-1', [sample(midnight + 7_200_000, { a: 1 })]);
      await rolledUp(store);
      expect(await store.query({ ap_id: 'ap-1', ...hours, maxPoints: 0, aggregate: 'count' }).then(toRows)).toEqual([
        { ts: expect.any(Number), a: 1 },
      ]);
    });
  });

  describe('tables of the operator', () => {
    test('are used as they are; one that lacks a column is refused with its name', async () => {
      const store = openOn(server.url, { engine: 'existing' });
      const refused = await rejection(store.check());
      expectUnavailable(refused);
      expect((refused as Error).message).toMatch(/telemetry_samples\.ap_id/);
      const client = new ClickHouseClient({ url: `${server.url}/${database}`, timeoutMs: 60_000, onMissing: () => {} });
      onTestFinished(() => client.close());
      await ask(`CREATE DATABASE \`${database}\``);
      const ours = tableStatements(client, { engine: 'MergeTree', ...retention, rawRetentionMs: 7 * day });
      for (const statement of Object.values(ours)) await ask(statement);
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 1 }]);
      expect(await ask(`SHOW CREATE TABLE \`${database}\`.telemetry_samples`)).toContain(
        `toIntervalSecond(${7 * 86_400})`,
      );
    });

    test('the engine of the setting is that of each table, with its arguments', () => {
      const client = new ClickHouseClient({ url: 'clickhouse://a.test/x', timeoutMs: 1, onMissing: () => {} });
      const enginesOf = (engine: string) =>
        Object.values(tableStatements(client, { engine, ...retention })).flatMap(
          (statement) => /ENGINE = (.*?) (?:PARTITION|ORDER)/.exec(statement)?.[1] ?? [],
        );
      expect(enginesOf('MergeTree')).toEqual([
        'MergeTree()',
        'ReplacingMergeTree(ts)',
        'ReplacingMergeTree(rolled)',
        'ReplacingMergeTree(at)',
      ]);
      expect(enginesOf('ReplicatedMergeTree').slice(0, 2)).toEqual([
        'ReplicatedMergeTree()',
        'ReplicatedReplacingMergeTree(ts)',
      ]);
      expect(enginesOf("ReplicatedMergeTree('/x/{table}', '{replica}')").slice(0, 2)).toEqual([
        "ReplicatedMergeTree('/x/{table}', '{replica}')",
        "ReplicatedReplacingMergeTree('/x/{table}', '{replica}', ts)",
      ]);
    });
  });

  test('tables from when a name had one kind get the other kind beside it, and lose nothing', async () => {
    await ask(`CREATE DATABASE \`${database}\``);
    const client = new ClickHouseClient({ url: `${server.url}/${database}`, timeoutMs: 60_000, onMissing: () => {} });
    onTestFinished(() => client.close());
    const withoutKinds = (statement: string) =>
      statement.replaceAll(/, (?:isNaN\(value\) AS )?is_text(?: UInt8)?/g, '');
    for (const statement of Object.values(tableStatements(client, { engine: 'MergeTree', ...retention }))) {
      await ask(withoutKinds(statement));
    }
    const insert = (ts: number, names: string, digits: string, texts: string) =>
      ask(`INSERT INTO \`${database}\`.telemetry_samples (ap_id, ts, repeat, newest, names, digits, scales, texts)
        VALUES ('ap-1', fromUnixTimestamp64Milli(toInt64(${ts}), 'UTC'), 0, 1, [${names}], [${digits}], [${digits && 0}], {${texts}})`);
    await insert(midnight, `'load'`, '5', `'state': 'up'`);
    await insert(midnight + 60_000, `'load'`, '7', '');
    const old = {
      columns: 'ap_id, name, minute, points, total, least, most, latest, rolled',
      table: 'telemetry_minutes',
    };
    await ask(`INSERT INTO \`${database}\`.${old.table} (${old.columns})
      SELECT 'ap-1', 'load', toStartOfMinute(ts), 1, values[1], values[1], values[1], values[1], now64(6) FROM \`${database}\`.telemetry_samples`);

    const store = openOn(server.url);
    const nodes = [store, openOn(server.url)];
    await Promise.all(nodes.map((node) => node.check()));
    await store.append('ap-1', [sample(midnight + 1, { state: 1 }, { load: 'high' })]);
    expect(await rowsOf(store)).toEqual([
      { ts: midnight, load: 5, state: 'up' },
      { ts: midnight + 1, load: 'high', state: 1 },
      { ts: midnight + 60_000, load: 7 },
    ]);
    await store.append('ap-1', [sample(midnight + 2, {}, { state: 'down' })]);
    for (const node of nodes) {
      expect((await node.fields('ap-1', 0)).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
        'load metric',
        'load text',
        'state metric',
        'state text',
      ]);
    }
    while (await store.rollUp(0));
    const total = { ap_id: 'ap-1', startMs: midnight, endMs: midnight + 120_000 - 1, maxPoints: 1 };
    expect(toRows(await store.query({ ...total, aggregate: 'sum' }))).toEqual([
      { ts: expect.any(Number), load: 12, state: 1 },
    ]);
  });

  describe('tables of versions up to 0.3', () => {
    const createOld = async () => {
      const old = (name: string) => `\`${database}\`.${name}`;
      await ask(`CREATE DATABASE \`${database}\``);
      await ask(`CREATE TABLE ${old('telemetry')} (ap_id String, name LowCardinality(String), ts DateTime64(3, 'UTC'), batch UInt64,
          is_text UInt8, value Float64, text String, version UInt64 MATERIALIZED toUnixTimestamp64Nano(now64(9))
        ) ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMMDD(ts) ORDER BY (ap_id, name, ts, batch)`);
      await ask(`CREATE TABLE ${old('telemetry_batches')} (
          ap_id String, batch UInt64, start_ts DateTime64(3, 'UTC'), end_ts DateTime64(3, 'UTC')
        ) ENGINE = MergeTree ORDER BY ap_id`);
      await ask(`CREATE TABLE ${old('telemetry_newest')} (ap_id String, name String, is_text UInt8,
          newest SimpleAggregateFunction(max, Tuple(ts DateTime64(3, 'UTC'), version UInt64, value Float64))
        ) ENGINE = AggregatingMergeTree ORDER BY (ap_id, name, is_text)`);
      const at = (ts: number) => `fromUnixTimestamp64Milli(toInt64(${ts}), 'UTC')`;
      const add = (batch: number, ts: number, name: string, value: number, text?: string) =>
        ask(`INSERT INTO ${old('telemetry')} (ap_id, name, ts, batch, is_text, value, text)
          VALUES ('ap-1', '${name}', ${at(ts)}, ${batch}, ${text === undefined ? 0 : 1}, ${value}, '${text ?? ''}')`);
      await add(0, midnight - 1, 'a', 1);
      await add(0, midnight, 'a', 2);
      await add(0, midnight, 'b', 2);
      await add(0, midnight, 'a', 3);
      await add(0, midnight, 'state', 0, 'up');
      await add(7, midnight - 1, 'b', 7);
      await add(7, midnight, 'b', 7);
      // It never got complete.
      await add(9, midnight, 'a', 9);
      await add(9, midnight + day, 'a', 9);
      await ask(`INSERT INTO ${old('telemetry_batches')} VALUES ('ap-1', 7, ${at(midnight - 1)}, ${at(midnight)})`);
      for (const [name, value, isText] of [
        ['a', 3, 0],
        ['b', 7, 0],
        ['state', 0, 1],
      ] as const) {
        await ask(
          `INSERT INTO ${old('telemetry_newest')} VALUES ('ap-1', '${name}', ${isText}, (${at(midnight)}, 1, ${value}))`,
        );
      }
    };
    const found = [
      { ts: midnight - 1, a: 1, b: 7 },
      { ts: midnight, a: 3, b: 7, state: 'up' },
    ];
    const untilCopied = (store: TelemetryStore) => untilSo(() => store.check());

    test('are copied before anything is answered, and dropped', async () => {
      await createOld();
      const store = openOn(server.url);
      const refused = await rejection(store.append('ap-1', [sample(midnight, { a: 4 })]));
      expectUnavailable(refused);
      expect((refused as Error).message).toMatch(/being copied/);
      await untilCopied(store);
      expect(await rowsOf(store)).toEqual(found);
      expect(await store.fields('ap-1', 0)).toEqual([
        { name: 'a', kind: 'metric', lastTs: midnight },
        { name: 'b', kind: 'metric', lastTs: midnight },
        { name: 'state', kind: 'text', lastTs: midnight },
      ]);
      expect((await store.latest(['ap-1']))[0]!.metrics).toContainEqual({ name: 'b', ts: midnight, value: 7 });
      await store.append('ap-1', [sample(midnight + 1, { state: 1 })]);
      expect((await rowsOf(store)).at(-1)).toEqual({ ts: midnight + 1, state: 1 });
      expect((await store.fields('ap-1', 0)).filter(({ name }) => name === 'state')).toHaveLength(2);
      await store.append('ap-1', [sample(midnight, { a: 4 })]);
      expect((await rowsOf(store))[1]).toEqual({ ...found[1], a: 4 });
      const left = await ask(
        `SELECT name FROM system.tables WHERE database = '${database}' AND name NOT LIKE '.%' ORDER BY name`,
      );
      expect(left.trim().split('\n')).toEqual([
        'telemetry_fields',
        'telemetry_marks',
        'telemetry_minutes',
        'telemetry_newest_fields',
        'telemetry_samples',
      ]);
    });

    test('wherever copying was interrupted, the next start goes on, and everything is there once', async () => {
      await createOld();
      for (const statement of ['INSERT INTO', 'DROP PARTITION', 'DROP TABLE']) {
        const [store, proxy] = await openThrough();
        let isCut = false;
        proxy.onClientBytes = (bytes, cut) => {
          if (!bytes.includes(statement)) return;
          isCut = true;
          cut();
        };
        await untilSo(async () => {
          await rejection(store.check());
          if (!isCut) throw new Error('not yet');
        });
        await store.close();
      }
      const store = openOn(server.url);
      await untilCopied(store);
      expect(await rowsOf(store)).toEqual(found);
      const [total] = toRows(await store.query({ ap_id: 'ap-1', ...question, maxPoints: 0, aggregate: 'count' }));
      expect(total).toMatchObject({ a: 2, b: 2 });
    });
  });

  describe('out of reach', () => {
    test('every call is a 503 while it is away; what was stored is there when it is back, and nothing else', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', [sample(midnight - 1, { a: 0 }), sample(midnight, { a: 1 })]);
      await server.kill();
      const late = openOn(server.url);
      for (const call of everyCall) expectUnavailable(await rejection(call(store)));
      for (const call of everyCall) expectUnavailable(await rejection(call(late)));
      await server.start();
      for (const node of [store, late]) {
        expect(await rowsOf(node)).toEqual([
          { ts: midnight - 1, a: 0 },
          { ts: midnight, a: 1 },
        ]);
        expect(await rowsOf(node, 'new')).toEqual([]);
      }
      for (const call of everyCall) await call(store);
    });

    test('no answer in time is a 503', async () => {
      const [store, proxy] = await openThrough({ requestTimeoutMs: 1000 });
      await untilSo(() => store.append('ap-1', [sample(midnight, { a: 1 })]));
      proxy.isSilent = true;
      proxy.cutAll();
      await Promise.all(everyCall.map(async (call) => expectUnavailable(await rejection(call(store)))));
    });

    test('a connection that breaks before the samples have gone is not an answer, and nothing is stored', async () => {
      const [store, proxy] = await openThrough();
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      proxy.onClientBytes = (bytes, cut) => {
        if (bytes.includes('query=INSERT')) cut();
      };
      expectUnavailable(await rejection(store.append('ap-1', [sample(midnight + 1, { a: 2 })])));
      proxy.onClientBytes = undefined;
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 1 }]);
    });

    test('a database that somebody dropped is made again', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      await ask(`DROP DATABASE \`${database}\``);
      expectUnavailable(await rejection(store.append('ap-1', [sample(midnight, { a: 2 })])));
      await store.append('ap-1', [sample(midnight, { a: 3 })]);
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 3 }]);
    });

    test('a user whom it does not know is named as the reason, without the password', async () => {
      const refused = await rejection(openOn(server.url.replace('//', '//nobody:s%40cret@')).check());
      expectUnavailable(refused);
      expect((refused as Error).message).toMatch(/user name or password/);
      expect(`${JSON.stringify(refused)} ${(refused as Error).stack}`).not.toMatch(/s@cret|s%40cret/);
    });

    test('weft doctor says whether it answers, without the password', async () => {
      const telemetryOf = async (WEFT_TELEMETRY_URL: string) => {
        const reports = await checkBackends(loadConfig({ env: { WEFT_TELEMETRY_URL, WEFT_DATA_DIR: folder } }));
        return reports.find(({ name }) => name === 'Telemetry in ClickHouse')!;
      };
      const folder = mkdtempSync(join(tmpdir(), 'weft-doctor-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      expect(await telemetryOf(`${server.url}/${database}`)).toMatchObject({ ok: true });
      const bad = await telemetryOf(server.url.replace('//', '//nobody:s%40cret@'));
      expect(bad).toMatchObject({ ok: false, advice: 'See the setting WEFT_TELEMETRY_URL' });
      expect(JSON.stringify(bad)).not.toMatch(/s@cret|s%40cret/);
    });

    test('clickhouses:// speaks TLS and nothing else', async () => {
      expectUnavailable(await rejection(openOn(server.url.replace('clickhouse:', 'clickhouses:')).check()));
    });
  });
});
