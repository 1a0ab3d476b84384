// Reads on a real standby: as long as it is not too far behind, and never what it has not heard of.
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres, urlOfAll } from '../../../../../test/postgres.ts';
import { midnight, sample, toRows } from '../../../../../test/pure/telemetry-reference.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft } from '../../../../../test/weft.ts';
import type { SpreadTelemetryStore } from '../spread/telemetry-store.spread.ts';
import { openPostgresTelemetry, type PostgresTelemetryStore } from './telemetry-store.postgres.ts';

const day = 86_400_000;
const range = { startMs: midnight, endMs: midnight + 1000 };

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(findPostgres() === undefined)('with a standby that takes reads', () => {
  let primary: TestPostgres;
  let standby: TestPostgres;
  beforeAll(async () => {
    [primary, standby] = await Promise.all([startPostgres(), startPostgres()]);
    await standby.standBy(primary);
  }, 120_000);
  afterAll(async () => {
    await primary.stop();
    await standby.stop();
  });

  test('a chart may be behind by what the address allows; newest values are not', async () => {
    const weft = await startWeft({ WEFT_TELEMETRY_URL: `${urlOfAll(primary, standby)}?standby=3600` });
    onTestFinished(() => weft.stop());
    const token = await weft.agent('ap-0');
    const report = (power_w: number) =>
      weft.request('POST', '/api/v1/agent_update/update', { token, json: { power_w } });
    const chart = async () => {
      const path = '/api/v1/metrics/agent_multi_metric_data?agent=ap-0&metrics=power_w&window=60m';
      const { series } = (await weft.request('GET', path, { token })).body;
      return series[0].points.map(({ value }: { value: number }) => value);
    };
    const { store } = (weft.platform.telemetryStore as SpreadTelemetryStore).servers[0]!;
    await report(1);
    await untilSo(async () => {
      // A post ends what identical requests share.
      await report(1);
      await chart();
      expect((store as PostgresTelemetryStore).standbyAnswers).toBeGreaterThan(0);
    });
    const onStandby = await connect(standby.url);
    await onStandby.query('SELECT pg_wal_replay_pause()');
    expect((await report(2)).status).toBe(200);
    expect(await chart()).not.toContain(2);
    const latest = await weft.platform.telemetryStore.latest(['ap-0']);
    expect(latest[0]!.metrics).toMatchObject([{ name: 'power_w', value: 2 }]);
    await onStandby.query('SELECT pg_wal_replay_resume()');
    await untilSo(async () => {
      await report(3);
      expect(await chart()).toContain(2);
    });
  });

  test('history is read there while it is fresh; newest values, other reads, and what it has not got come from the primary', async () => {
    let nowMs = 0;
    const store = openPostgresTelemetry({
      url: urlOfAll(primary, standby),
      rawRetentionMs: 30 * day,
      rollupRetentionMs: 400 * day,
      maxBehindMs: 5_000,
      now: () => nowMs,
      onChange: () => {},
    });
    onTestFinished(() => store.close());
    const append = (ap_id: string, a: number) => store.append(ap_id, [sample(midnight + a, { a })]);
    const read = async (ap_id: string, mayBeStale: boolean) => {
      const drawn = await store.query({ ap_id, ...range, maxPoints: 100, aggregate: 'mean', mayBeStale });
      const listed = await store.rows(ap_id, range, 100, undefined, { mayBeStale });
      expect(toRows(drawn)).toEqual(toRows(listed));
      return toRows(drawn).map(({ a }) => a);
    };
    await append('ap-1', 1);
    expect(await read('ap-1', true)).toEqual([1]);
    const [onPrimary, onStandby] = [await connect(primary.url), await connect(standby.url)];
    const beats = 'SELECT beat::int FROM telemetry_beats';
    await untilSo(async () => expect((await onStandby.query(beats)).rows).toEqual([{ beat: 1 }]));

    // From here on it hears of nothing, and no time passes.
    await onStandby.query('SELECT pg_wal_replay_pause()');
    await append('ap-1', 2);
    await append('ap-2', 3);
    expect(await read('ap-1', true)).toEqual([1]);
    expect(await read('ap-1', false)).toEqual([1, 2]);
    expect((await store.latest(['ap-1']))[0]!.metrics).toMatchObject([{ name: 'a', value: 2 }]);
    expect(await read('ap-2', true)).toEqual([3]);

    nowMs = 5_000;
    expect(await read('ap-1', true)).toEqual([1]);
    nowMs = 5_001;
    expect(await read('ap-1', true)).toEqual([1, 2]);

    // It has caught up: what it has is enough again.
    await onStandby.query('SELECT pg_wal_replay_resume()');
    await untilSo(async () => {
      nowMs += 1_000;
      const before = store.standbyAnswers;
      expect(await read('ap-1', true)).toEqual([1, 2]);
      expect(store.standbyAnswers).toBe(before + 2);
    });
    await onStandby.query('SELECT pg_wal_replay_pause()');
    await append('ap-1', 4);
    expect(await read('ap-1', true)).toEqual([1, 2]);

    // Gone, it is not used.
    await onPrimary.query(`ALTER SYSTEM SET synchronous_standby_names = ''`);
    await onPrimary.query('SELECT pg_reload_conf()');
    await standby.pause();
    expect(await read('ap-1', true)).toEqual([1, 2, 4]);
    await append('ap-1', 5);
    expect(await read('ap-1', true)).toEqual([1, 2, 4, 5]);
  });
});
