// What only PostgreSQL can get wrong: retention by days, damaged blocks, the ring of the journal.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type DatabaseNamespace, databaseKinds } from '../../../../../../test/databases.ts';
import { midnight, type Row, sample, toRows } from '../../../../../../test/pure/telemetry-reference.ts';
import { rounds } from '../../../../../../test/rounds.ts';
import { openPostgresTelemetry, type PostgresTelemetryStore } from './telemetry-store.postgres.ts';

const day = 86_400_000;
const rawRetentionMs = 30 * day;

describe.skipIf(inject('postgresUrl') === undefined)('telemetry in PostgreSQL', () => {
  let namespace: DatabaseNamespace;
  let store: PostgresTelemetryStore;
  let client: Client;
  const told: string[] = [];

  const open = () =>
    openPostgresTelemetry({
      url: namespace.address,
      rawRetentionMs,
      rollupRetentionMs: 400 * day,
      onChange: (message) => void told.push(message),
    });
  /** Another node, until the end of the test. */
  const openOther = () => {
    const other = open();
    onTestFinished(() => other.close());
    return other;
  };

  beforeAll(async () => {
    namespace = await databaseKinds.postgres.createNamespace({ isBare: true });
    store = open();
    await store.check();
    client = new Client({ connectionString: namespace.address });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await store.close();
    await namespace.remove();
  });

  const sealAll = async () => {
    while (await store.seal({ everything: true }));
  };
  const rowsOf = async (ap_id: string) =>
    toRows(
      await store.query({
        ap_id,
        startMs: midnight - 90 * day,
        endMs: midnight + day,
        maxPoints: 5000,
        aggregate: 'mean',
      }),
    );
  const count = async (table: string) => (await client.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n;

  test('it does not start while agents of 0.2.0 are on their way to another server; then it drops what that needed', async () => {
    await client.query(`CREATE TABLE telemetry_identity (id TEXT NOT NULL);
      CREATE TABLE telemetry_beats (node TEXT PRIMARY KEY, beat BIGINT NOT NULL, beaten_at TIMESTAMPTZ NOT NULL);
      CREATE TABLE telemetry_moved (ap_id TEXT PRIMARY KEY, is_gone INTEGER NOT NULL, to_server TEXT NOT NULL, copy TEXT NOT NULL,
        last_period BIGINT NOT NULL, moved_at TIMESTAMPTZ NOT NULL);
      INSERT INTO telemetry_moved VALUES ('moved long ago', 1, 'b', '', 0, now())`);
    for (const [begin, end] of [
      [`INSERT INTO telemetry_moved VALUES ('leaving', 0, 'b', '~1~leaving', 0, now())`, 'leaving'],
      [`INSERT INTO telemetry_moved VALUES ('gone', 1, 'b', '~1~gone', 0, now())`, 'gone'],
      [`INSERT INTO telemetry_sources (ap_id) VALUES ('~1~coming')`, '~1~coming'],
    ] as const) {
      await client.query(begin);
      await expect(openOther().prepare()).rejects.toThrow('run it to its end with Weft 0.2.0');
      for (const table of ['telemetry_moved', 'telemetry_sources']) {
        await client.query(`DELETE FROM ${table} WHERE ap_id = $1`, [end]);
      }
    }
    await openOther().prepare();
    const left = `SELECT to_regclass('telemetry_moved') AS a, to_regclass('telemetry_identity') AS b, to_regclass('telemetry_beats') AS c`;
    expect((await client.query(left)).rows).toEqual([{ a: null, b: null, c: null }]);
  });

  test('a sample stays for its whole time, though its block began long before', async () => {
    const days = Array.from({ length: 60 }, (_, index) => midnight - (59 - index) * day);
    await store.append(
      'rare',
      days.map((ts, n) => sample(ts, { a: n })),
    );
    await sealAll();
    expect(await count('telemetry_blocks')).toBe(1);
    while (await store.prune(midnight));
    expect((await rowsOf('rare')).at(-1)).toEqual({ ts: midnight, a: 59 });
    while (await store.prune(midnight + rawRetentionMs + 2 * day));
    expect(await count('telemetry_blocks')).toBe(0);
  });

  test('names that another node has added are seen, and those of an agent that was removed are not', async () => {
    const other = openOther();
    const names = async () => (await store.latest(['named'])).map(({ metrics }) => metrics.map(({ name }) => name));
    await other.append('named', [sample(midnight, { a: 1 })]);
    expect(await names()).toEqual([['a']]);
    await other.append('named', [sample(midnight, { b: 2, a: 3 })]);
    expect(await names()).toEqual([['a', 'b']]);
    expect(await rowsOf('named')).toEqual([{ ts: midnight, a: 3, b: 2 }]);
    await other.remove('named');
    await other.append('named', [sample(midnight, { c: 4 })]);
    expect([await names(), await rowsOf('named')]).toEqual([[['c']], [{ ts: midnight, c: 4 }]]);
  });

  test('whichever nodes an agent reports to, one after the other or at once, nothing is missing and the newest is the newest', async () => {
    const other = openOther();
    const names = ['a', 'b', 'c'];
    const metrics = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 });
    const report = fc.record({ isOther: fc.boolean(), agent: fc.constantFrom(0, 0, 0, 1), metrics });
    const step = fc.record({ reports: fc.array(report, { minLength: 1, maxLength: 4 }), isSealed: fc.boolean() });
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(steps, fc.infiniteStream(fc.nat(100_000)), async (steps, times) => {
        const agents = [randomUUID(), randomUUID()];
        const expected = new Map(agents.map((ap_id) => [ap_id, new Map<number, Row>()]));
        for (const { reports, isSealed } of steps) {
          await Promise.all(
            reports.map(({ isOther, agent, metrics }) => {
              const ap_id = agents[agent]!;
              const rows = expected.get(ap_id)!;
              // A time of its own: of those at once nobody knows which is the later one.
              let ts = midnight;
              while (ts === midnight || rows.has(ts)) ts = midnight + 1 + times.next().value!;
              const values = Object.fromEntries(metrics.map((name) => [name, ts % 1000]));
              rows.set(ts, { ts, ...values });
              return (isOther ? other : store).append(ap_id, [sample(ts, values)]);
            }),
          );
          if (isSealed) await store.seal({ everything: true });
        }
        for (const [ap_id, rows] of expected) {
          const sorted = [...rows.values()].sort((a, b) => a.ts - b.ts);
          expect(await rowsOf(ap_id)).toEqual(sorted);
          const newest = names.flatMap((name) => {
            const last = sorted.findLast((row) => name in row);
            return last ? [{ name, ts: last.ts, value: last[name] }] : [];
          });
          const [latest = { metrics: [] }] = await other.latest([ap_id]);
          expect([...latest.metrics].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(newest);
        }
      }),
      { numRuns: rounds(40) },
    );
  });

  test('two nodes that seal many agents at once leave none', async () => {
    const other = openOther();
    const unsealed = async () => count('telemetry_newest WHERE last_period > sealed_period');
    await sealAll();
    // Nothing is in the journal for them: that is quick to seal.
    await client.query(`INSERT INTO telemetry_newest (source, sealed_period, last_period, data)
      SELECT 1000000 + no, 0, 1, '' FROM generate_series(1, 1500) AS no`);
    expect(await unsealed()).toBe(1500);
    const seal = async (node: PostgresTelemetryStore) => {
      let steps = 0;
      while (await node.seal({ everything: true })) steps++;
      return steps;
    };
    const steps = await Promise.all([seal(store), seal(other)]);
    expect(await unsealed()).toBe(0);
    expect(Math.min(...steps)).toBeGreaterThan(50);
    await client.query('DELETE FROM telemetry_newest WHERE source > 1000000');
  });

  test('a damaged block costs its own samples, is told, and keeps nobody from sealing', async () => {
    await store.append('hurt', [sample(midnight, { a: 1 })]);
    await sealAll();
    await client.query(`UPDATE telemetry_blocks SET data = 'x'`);
    const other = openOther();
    await store.append('hurt', [sample(midnight + 1, { a: 2 })]);
    await store.append('well', [sample(midnight, { a: 3 })]);
    while (await other.seal({ everything: true }));
    const read = await other.query({
      ap_id: 'hurt',
      startMs: midnight,
      endMs: midnight + 9,
      maxPoints: 100,
      aggregate: 'mean',
    });
    expect(toRows(read)).toEqual([{ ts: midnight + 1, a: 2 }]);
    expect(await rowsOf('well')).toEqual([{ ts: midnight, a: 3 }]);
    expect(told.some((message) => message.includes('cannot be read'))).toBe(true);
  });

  test('after a clock that was ahead, as on a server that was replaced, everything is there and the later value counts', async () => {
    await store.append('ahead', [sample(midnight, { a: 1 }), sample(midnight + 1, { a: 2 })]);
    await client.query(`UPDATE telemetry_newest SET last_period = last_period + 5
      WHERE source = (SELECT no FROM telemetry_sources WHERE ap_id = 'ahead')`);
    await client.query(`UPDATE telemetry_journal SET period = period + 5, slot = (period + 5) % 12
      WHERE source = (SELECT no FROM telemetry_sources WHERE ap_id = 'ahead')`);
    await store.append('ahead', [sample(midnight, { a: 3 })]);
    const expected = [
      { ts: midnight, a: 3 },
      { ts: midnight + 1, a: 2 },
    ];
    expect(await rowsOf('ahead')).toEqual(expected);
    await sealAll();
    expect(await rowsOf('ahead')).toEqual(expected);
  });

  test('a slot of the journal is emptied once its period is over and sealed, and not before', async () => {
    await store.append('slow', [sample(midnight, { a: 1 })]);
    await sealAll();
    // Its period is not over by the clock.
    expect(await count('telemetry_journal')).toBeGreaterThan(0);
    await client.query('UPDATE telemetry_journal SET period = period - 100');
    await client.query(
      'UPDATE telemetry_newest SET sealed_period = sealed_period - 100, last_period = last_period - 100',
    );
    // One that is read for long is left for the next time, without a word.
    await client.query('BEGIN');
    expect(await count('telemetry_journal')).toBeGreaterThan(0);
    await sealAll();
    expect(await count('telemetry_journal')).toBeGreaterThan(0);
    await client.query('COMMIT');
    // What the store does by itself may just be at the same slot, and goes first.
    const left = async () => {
      await sealAll();
      return count('telemetry_journal');
    };
    await expect.poll(left).toBe(0);
    expect(await rowsOf('slow')).toEqual([{ ts: midnight, a: 1 }]);
  });
});
