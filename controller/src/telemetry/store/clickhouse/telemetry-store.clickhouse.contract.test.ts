// The promises of every telemetry store on a real ClickHouse, and what only ClickHouse can get wrong: parts by day, blocks it
// takes for repeats, its absence, its retention.
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
} from '../../../../../test/clickhouse.ts';
import { midnight, sample, toRows } from '../../../../../test/pure/telemetry-reference.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startTcpProxy, type TcpProxy } from '../../../../../test/tcp-proxy.ts';
import type { TelemetryFixture } from '../../../../../test/telemetry-fixture.ts';
import { checkBackends } from '../../../backends.ts';
import { loadConfig } from '../../../config.ts';
import { TryLaterError } from '../../../errors.ts';
import { describeTelemetryStore } from '../telemetry-store.contract.ts';
import { FieldConflict, type TelemetryStore } from '../telemetry-store.ts';
import { ClickHouseClient } from './clickhouse-client.ts';
import { createTelemetryTables } from './clickhouse-sql.ts';
import { ClickHouseWriter } from './clickhouse-writer.ts';
import { textBytes } from './row-binary.ts';
import { type ClickHouseTelemetryOptions, openClickHouseTelemetry } from './telemetry-store.clickhouse.ts';

const day = 86_400_000;
const rawRetentionMs = 30 * day;
const always = { startMs: midnight - 60 * day, endMs: midnight + 3 * day };
const question = { ...always, maxPoints: 5000, aggregate: 'mean' as const };
const tables = ['telemetry', 'telemetry_newest', 'telemetry_batches'];

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
  const opened: TelemetryStore[] = [];

  const openOn = (url: string, options: Partial<ClickHouseTelemetryOptions> = {}) => {
    opened.push(openClickHouseTelemetry({ url: `${url}/${database}`, rawRetentionMs, ...options }));
    return opened.at(-1)!;
  };
  const openThrough = async (
    options: Partial<ClickHouseTelemetryOptions> = {},
  ): Promise<[TelemetryStore, TcpProxy]> => {
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
      opened.push(openClickHouseTelemetry({ url: `${server.url}/${name}`, rawRetentionMs }));
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

    test('that ends between its parts and its completion is not there at all, and replaces nothing', async () => {
      const [store, proxy] = await openThrough();
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      proxy.onClientBytes = (bytes, cut) => {
        if (bytes.includes('telemetry_batches+')) cut();
      };
      expectUnavailable(await rejection(store.append('ap-1', both)));
      proxy.onClientBytes = undefined;
      expect(Number(await ask(`SELECT count() FROM \`${database}\`.telemetry WHERE batch != 0`))).toBe(3);
      for (const node of [store, openOn(server.url)]) {
        expect(await rowsOf(node)).toEqual([{ ts: midnight, a: 1 }]);
        expect(await node.fields('ap-1', 0)).toEqual([{ name: 'a', kind: 'metric', lastTs: midnight }]);
      }
      await ask(`OPTIMIZE TABLE \`${database}\`.telemetry FINAL`);
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 1 }]);
      await store.append('ap-1', both);
      expect(await rowsOf(store)).toHaveLength(2);
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
    test('of two nodes that meet a new name at once, one as text and one as number, what was accepted is there', async () => {
      const nodes = [openOn(server.url), openOn(server.url)] as const;
      await Promise.all(nodes.map((node) => node.check()));
      for (let round = 0; round < 5; round++) {
        const ap_id = `ap-${round}`;
        const results = await Promise.all([
          rejection(nodes[0].append(ap_id, [sample(midnight, { a: 1 })])),
          rejection(nodes[1].append(ap_id, [sample(midnight + 1, {}, { a: 'x' })])),
        ]);
        for (const error of results) if (error) expect(error).toBeInstanceOf(FieldConflict);
        const expected = [
          { ts: midnight, a: 1 },
          { ts: midnight + 1, a: 'x' },
        ].filter((_, index) => results[index] === undefined);
        for (const node of nodes) {
          expect(await rowsOf(node, ap_id)).toEqual(expected);
          expect((await node.fields(ap_id, 0)).map(({ name }) => name)).toEqual(['a']);
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

    test('a large append of one day is one part, so that all of it is there or nothing', async () => {
      const store = openOn(server.url);
      await store.check();
      await ask(`SYSTEM STOP MERGES \`${database}\`.telemetry`);
      const many = Array.from({ length: 40_000 }, (_, n) => sample(midnight + n, { a: n, b: -n }));
      await store.append('ap-1', many);
      expect(await partsOf('telemetry')).toBe(1);
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
      expect(inserts).toBe(2);
      expect(await store.latest(agents)).toHaveLength(agents.length);
    });

    test('an append that comes in the very moment in which the one before is stored does not wait for another', async () => {
      const client = new ClickHouseClient({ url: `${server.url}/${database}`, timeoutMs: 30_000, onMissing: () => {} });
      onTestFinished(() => client.close());
      await createTelemetryTables(client);
      const writer = new ClickHouseWriter(client);
      const fields = new Map([['a', { isText: false, bytes: textBytes('a') }]]);
      const append = { ap_id: 'ap-1', agent: textBytes('ap-1'), samples: [sample(midnight, { a: 1 })], fields };
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

  test('retention drops whole days, and fields that were last seen on them', async () => {
    const store = openOn(server.url);
    const oldest = midnight - 40 * day;
    const samples = Array.from({ length: 41 }, (_, n) => sample(oldest + n * day, n < 5 ? { old: n } : { a: n }));
    await store.append('ap-1', samples);
    await store.append('ap-2', [sample(oldest + day - 1, { a: 1 })]);
    expect(await store.prune(oldest + rawRetentionMs + day - 1)).toBe(false);
    expect(await rowsOf(store)).toHaveLength(41);
    // Noon of the tenth day is the limit: nine days are over.
    const nowMs = oldest + 9 * day + day / 2 + rawRetentionMs;
    let steps = 1;
    while (await store.prune(nowMs)) steps++;
    expect(steps).toBe(9);
    expect((await rowsOf(store)).map(({ ts }) => ts)).toEqual(samples.slice(9).map(({ ts }) => ts));
    expect((await store.fields('ap-1', 0)).map(({ name }) => name)).toEqual(['a']);
    expect(await store.latest(['ap-2'])).toEqual([]);
    expect(await partsOf('telemetry')).toBeGreaterThan(0);
    expect(
      await ask(
        `SELECT min(partition_id) FROM system.parts WHERE database = '${database}' AND table = 'telemetry' AND active`,
      ),
    ).toBe(`${new Date(oldest + 9 * day).toISOString().slice(0, 10).replaceAll('-', '')}\n`);
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
