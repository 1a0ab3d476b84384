// What is InfluxDB's own: its absence, its users, its retention, its requests. An InfluxDB of its own, to be taken away.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { findInflux, startInflux, type TestInflux } from '../../../../../test/influx.ts';
import { midnight, sample, toRows } from '../../../../../test/pure/telemetry-reference.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startTcpProxy } from '../../../../../test/tcp-proxy.ts';
import { TryLaterError } from '../../../errors.ts';
import { FieldConflict, type TelemetryStore } from '../telemetry-store.ts';
import { type InfluxTelemetryOptions, openInfluxTelemetry } from './telemetry-store.influx.ts';

const day = 86_400_000;
const always = { startMs: midnight - day, endMs: midnight + 3 * day };
const question = { ...always, maxPoints: 100, aggregate: 'mean' as const };
let databases = 0;

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** One of each: none may work while InfluxDB is away. */
const everyCall: [string, (store: TelemetryStore) => Promise<unknown>][] = [
  ['append', (store) => store.append('ap-1', [sample(midnight + 1, { a: 2 })])],
  ['append of a new agent', (store) => store.append('new', [sample(midnight, { a: 1 })])],
  ['query', (store) => store.query({ ap_id: 'ap-1', ...question })],
  ['fields', (store) => store.fields('ap-1', 0)],
  ['latest', (store) => store.latest(['ap-1'])],
  ['rows', (store) => store.rows('ap-1', always, 10)],
  ['remove', (store) => store.remove('ap-1')],
  ['check', (store) => store.check()],
];

function expectUnavailable(error: unknown): void {
  expect(error).toBeInstanceOf(TryLaterError);
  expect(error).toMatchObject({ status: 503, code: 'telemetry_unavailable' });
  expect((error as TryLaterError).retryAfterSeconds).toBeGreaterThan(0);
}

describe.skipIf(inject('influxUrl') === undefined || findInflux() === undefined)('influx', () => {
  let server: TestInflux;
  const opened: TelemetryStore[] = [];
  let database: string;

  const openOn = (url: string, options: Partial<InfluxTelemetryOptions> = {}) => {
    const store = openInfluxTelemetry({ url: `${url}?db=${database}`, rawRetentionMs: 30 * day, ...options });
    opened.push(store);
    return store;
  };
  const influxql = async (statement: string, url = server.url) => {
    const answer = await fetch(`${url}/query?db=${database}&q=${encodeURIComponent(statement)}`, { method: 'POST' });
    return (await answer.json()) as { results: { series?: { values: unknown[][] }[] }[] };
  };
  const rowsOf = async (store: TelemetryStore, ap_id = 'ap-1') => toRows(await store.query({ ap_id, ...question }));

  beforeAll(async () => {
    server = await startInflux();
  });
  beforeEach(() => {
    database = `db_${++databases}`;
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await server.stop();
  });

  describe('out of reach', () => {
    test('every call is a 503 while it is away; what was stored is there when it is back, and nothing else', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      await server.pause();
      for (const [, call] of everyCall) expectUnavailable(await rejection(call(store)));
      await server.start();
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 1 }]);
      expect(await rowsOf(store, 'new')).toEqual([]);
      for (const [, call] of everyCall) await call(store);
    });

    test('it may be away at the start', async () => {
      await server.pause();
      const store = openOn(server.url);
      for (const [, call] of everyCall) expectUnavailable(await rejection(call(store)));
      await server.start();
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      expect(await rowsOf(store)).toHaveLength(1);
    });

    test('no answer in time is a 503', async () => {
      const proxy = await startTcpProxy(Number(new URL(server.url).port));
      const store = openOn(`http://127.0.0.1:${proxy.port}`, { requestTimeoutMs: 200 });
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      proxy.isSilent = true;
      proxy.cutAll();
      for (const [, call] of everyCall) expectUnavailable(await rejection(call(store)));
      await proxy.close();
    });

    test('a connection that breaks in the middle of a write is not an answer', async () => {
      const proxy = await startTcpProxy(Number(new URL(server.url).port));
      const store = openOn(`http://127.0.0.1:${proxy.port}`);
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      proxy.onClientBytes = (bytes, cut) => {
        if (bytes.includes('POST /write')) cut();
      };
      expectUnavailable(await rejection(store.append('ap-1', [sample(midnight + 1, { a: 2 })])));
      proxy.onClientBytes = undefined;
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 1 }]);
      await proxy.close();
    });

    test.each([
      [500, 'engine: no space left on device'],
      [503, 'down'],
      [429, 'slow down'],
      [502, '<html>'],
    ])('status %d is a 503', async (status, error) => {
      const broken = createServer((_, response) => {
        response.statusCode = status;
        response.end(error.startsWith('<') ? error : JSON.stringify({ error }));
      });
      await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
      const store = openOn(`http://127.0.0.1:${(broken.address() as AddressInfo).port}`);
      for (const [, call] of everyCall) expectUnavailable(await rejection(call(store)));
      broken.closeAllConnections();
      await new Promise((resolve) => broken.close(resolve));
    });

    test('a database that somebody dropped is made again', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', [sample(midnight, { a: 1 })]);
      await influxql(`DROP DATABASE ${database}`);
      expectUnavailable(await rejection(store.append('ap-1', [sample(midnight, { a: 2 })])));
      await store.append('ap-1', [sample(midnight, { a: 3 })]);
      expect(await rowsOf(store)).toEqual([{ ts: midnight, a: 3 }]);
    });
  });

  describe('users', () => {
    test('a wrong password and a missing right are named, without the password', async () => {
      const guarded = await startInflux({ withLogin: true });
      onTestFinished(() => guarded.stop());
      const withUser = (user: string) => guarded.url.replace('//', `//${user}@`);
      await influxql(`CREATE USER root WITH PASSWORD 'secret' WITH ALL PRIVILEGES`, guarded.url);

      const refused = await rejection(openOn(withUser('root:wrong%21')).check());
      expectUnavailable(refused);
      expect((refused as Error).message).toMatch(/user name or password/);
      expect(JSON.stringify(refused)).not.toContain('wrong');
      expectUnavailable(await rejection(openOn(guarded.url).check()));

      const asAdmin = openOn(withUser('root:secret'));
      await asAdmin.append('ap-1', [sample(midnight, { a: 1 })]);
      const auth = { authorization: `Basic ${Buffer.from('root:secret').toString('base64')}` };
      const statement = `CREATE USER weft WITH PASSWORD 'p@:/?'; CREATE USER guest WITH PASSWORD 'x'; GRANT ALL ON ${database} TO weft`;
      await fetch(`${guarded.url}/query?q=${encodeURIComponent(statement)}`, { method: 'POST', headers: auth });

      const asOwner = openOn(withUser(`weft:${encodeURIComponent('p@:/?')}`));
      // InfluxDB grants a right a moment after it has said so.
      await untilSo(() => asOwner.append('ap-1', [sample(midnight + 1, { a: 2 })]));
      expect(await rowsOf(asOwner)).toHaveLength(2);
      const noRights = await rejection(openOn(withUser('guest:x')).append('ap-1', [sample(midnight, { a: 1 })]));
      expectUnavailable(noRights);
      expect((noRights as Error).message).toMatch(/right/);
    });
  });

  describe('retention', () => {
    const policies = async () => {
      const { results } = await influxql(`SHOW RETENTION POLICIES ON ${database}`);
      return results[0]!.series![0]!.values.filter(([name]) => name === 'weft').map(([, duration]) => duration);
    };

    test('is the policy of the database, and follows the setting', async () => {
      await openOn(server.url).check();
      expect(await policies()).toEqual(['721h0m0s']);
      const store = openOn(server.url, { rawRetentionMs: 7 * day });
      await store.check();
      expect(await policies()).toEqual(['169h0m0s']);
    });

    test('a sample that InfluxDB would drop is refused with all of its append', async () => {
      const store = openOn(server.url);
      const tooOld = sample(Date.now() - 31 * day, { a: 1 });
      await expect(store.append('ap-1', [sample(midnight, { a: 1 }), tooOld])).rejects.toThrow(/retention/);
      expect(await rowsOf(store)).toEqual([]);
      const old = Date.now() - 30 * day;
      await store.append('ap-1', [sample(old, { a: 1 })]);
      expect(toRows(await store.rows('ap-1', { startMs: 0, endMs: Date.now() }, 10))).toEqual([{ ts: old, a: 1 }]);
    });
  });

  describe('requests', () => {
    test('many appends at once share few requests', async () => {
      const proxy = await startTcpProxy(Number(new URL(server.url).port));
      const store = openOn(`http://127.0.0.1:${proxy.port}`);
      const agents = Array.from({ length: 200 }, (_, n) => `ap-${n}`);
      const appendAll = (ts: number) => Promise.all(agents.map((ap_id) => store.append(ap_id, [sample(ts, { a: 1 })])));
      await appendAll(midnight);
      let writes = 0;
      proxy.onClientBytes = (bytes) => {
        if (bytes.includes('POST /write')) writes++;
      };
      await appendAll(midnight + 1);
      expect(writes).toBeGreaterThan(0);
      expect(writes).toBeLessThan(10);
      for (const { metrics } of await store.latest(agents)) expect(metrics[0]?.ts).toBe(midnight + 1);
      await proxy.close();
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

    test('two nodes that meet a new name at once, one as text and one as number: one wins, neighbours go on', async () => {
      const nodes = [openOn(server.url), openOn(server.url)] as const;
      await Promise.all(nodes.map((node) => node.append('neighbour', [sample(midnight, { a: 0 })])));
      for (let round = 1; round <= 10; round++) {
        const ap_id = `ap-${round}`;
        const results = await Promise.all([
          rejection(nodes[0].append(ap_id, [sample(midnight, { a: 1 })])),
          rejection(nodes[1].append(ap_id, [sample(midnight, {}, { a: 'x' })])),
          ...nodes.map((node, n) =>
            rejection(node.append('neighbour', [sample(midnight + round * 2 + n, { a: round })])),
          ),
        ]);
        const conflicts = results.filter((error) => error instanceof FieldConflict);
        expect(results.filter(Boolean)).toEqual(conflicts);
        expect(conflicts).toHaveLength(1);
        expect(await rowsOf(nodes[0], ap_id)).toEqual([{ ts: midnight, a: results[0] === undefined ? 1 : 'x' }]);
      }
      expect(await rowsOf(nodes[0], 'neighbour')).toHaveLength(21);
    });

    test('a name whose kind InfluxDB knows without a value to see is a conflict, not an error', async () => {
      const store = openOn(server.url);
      const names = ['a', 'Tx "power" 100 %', '_x'];
      for (const name of names) {
        await store.append('ap-1', [sample(midnight, { [name]: 1 })]);
        await store.append('ap-2', [sample(midnight, {}, { [name]: 'x' })]);
      }
      for (const ap_id of ['ap-1', 'ap-2']) await influxql(`DELETE FROM "agent/${ap_id}/data"`);
      const later = openOn(server.url);
      for (const name of names) {
        expect(
          await rejection(
            later.append('ap-1', [sample(midnight, { b: 1 }), sample(midnight + 1, {}, { [name]: 'x' })]),
          ),
        ).toEqual(new FieldConflict(1, name, 'text_for_metric'));
        expect(await rejection(later.append('ap-2', [sample(midnight, { [name]: 1 })]))).toEqual(
          new FieldConflict(0, name, 'metric_for_text'),
        );
      }
    });

    test('other programs find the measurement and its fields under their own names', async () => {
      const store = openOn(server.url);
      await store.append('ap-1', [sample(midnight, { tx_power_dbm: 17, 'Tx power': 1 }, { state: 'up' })]);
      const { results } = await influxql('SELECT tx_power_dbm, "Tx power", state FROM "agent/ap-1/data"');
      expect(results[0]!.series![0]!.values).toEqual([
        [new Date(midnight).toISOString().replace('.000', ''), 17, 1, 'up'],
      ]);
    });
  });
});
