// M4: the clock of the machine is set while Weft runs. Nothing that is stored changes, agents stay online, windows end
// now, and tokens keep to their own times.
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { databaseKinds } from '../test/databases.ts';
import { shareRabbit } from '../test/rabbitmq.ts';
import { hasOtherClock, otherClock } from './other-clock.ts';
import { adminUsername, eventually, password, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

const hourMs = 3_600_000;

test.skipIf(!hasOtherClock)('M4 a clock set an hour ahead and back changes nothing that is stored', async () => {
  const folder = temporaryFolder();
  const clock = join(folder, 'clock');
  const setClock = (offsetSeconds: number) => replaceFile(clock, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
  const startedMs = Date.now();
  /** Made since the test began, by a clock that is so far ahead. */
  const expectNow = ({ ts }: { ts: string }, aheadMs: number) => {
    expect(Date.parse(ts) - aheadMs).toBeGreaterThan(startedMs - 5_000);
    expect(Date.parse(ts) - aheadMs).toBeLessThan(Date.now() + 5_000);
  };
  setClock(0);
  const env = {
    ...otherClock({ FAKETIME_TIMESTAMP_FILE: clock }),
    WEFT_TOKEN_TTL_SECONDS: '7200',
  };
  const weft = await serve({ folder, env });
  const admin = await weft.createAdmin();
  const json = { ap_id: 'ap', password, configuration: {} };
  expect((await weft.request('POST', '/api/v1/agents/', { token: admin, json })).status).toBe(200);
  const token = async () => (await weft.login('ap', password, 'agent')).body.access_token as string;
  const first = await token();

  expect(await post(weft, first, 1)).toBe(200);
  const [before] = await points(weft, first, '5m');
  expectNow(before!, 0);

  setClock(3600);
  expect(await post(weft, first, 2)).toBe(200);
  const ahead = (await points(weft, first, '5m'))[0]!;
  expect(ahead.value).toBe(2);
  expectNow(ahead, hourMs);
  expect(await points(weft, first, '2h')).toEqual([before, ahead]);
  expect(await presence(weft, first)).toBe('online');

  setClock(-3600);
  // A token of the future need not be taken; a new one is to be had at once.
  const second = await token();
  expect(await post(weft, second, 3)).toBe(200);
  const behind = (await points(weft, second, '5m'))[0]!;
  expect(behind.value).toBe(3);
  expectNow(behind, -hourMs);
  expect(await presence(weft, second)).toBe('online');

  setClock(0);
  expect(await post(weft, first, 4)).toBe(200);
  expect((await points(weft, first, '5m')).map(({ value }) => value)).toEqual([1, 4]);
  // A window ends now; what was reported ahead of the clock comes into it in its time, and is there.
  const end = new Date(Date.now() + 2 * hourMs).toISOString();
  const all = await points(weft, first, `6h&end=${end}`);
  expect(all.map(({ value }) => value)).toEqual([3, 1, 4, 2]);
  expect(await presence(weft, first)).toBe('online');
  // Timers go by the clock that nobody can set: presence is still written down every few seconds, and a stop ends.
  await eventually(
    () => weft.request('GET', '/readyz').then(({ status }) => status),
    (status) => status === 200,
  );
  expect(await weft.end()).toBe(0);
  expect(weft.err).not.toContain('"level":"error"');
});

/** In one moment: a process that asks for the time would find an empty file in between. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

async function post(weft: WeftServer, token: string, value: number): Promise<number> {
  return (await weft.request('POST', '/api/v1/agent_update/update', { token, json: { value } })).status;
}

async function points(weft: WeftServer, token: string, window: string): Promise<{ ts: string; value: number }[]> {
  const path = `/api/v1/metrics/agent_multi_metric_data?agent=ap&metrics=value&window=${window}`;
  const { status, body } = await weft.request('GET', path, { token });
  expect(status).toBe(200);
  return body.series[0].points;
}

async function presence(weft: WeftServer, token: string): Promise<string> {
  return (await weft.request('GET', '/api/v1/metrics/presence', { token })).body.agents[0].presence;
}

test.skipIf(!hasOtherClock)(
  'a clock that is months ahead, while Weft runs or when it starts, removes nothing',
  async () => {
    const folder = temporaryFolder();
    const clock = join(folder, 'clock');
    const setClock = (days: number) => replaceFile(clock, `+${days * 86_400}\n`);
    setClock(0);
    const env = { ...otherClock({ FAKETIME_TIMESTAMP_FILE: clock }), WEFT_LOG_LEVEL: 'silent' };
    let weft = await serve({ folder, env });
    const admin = await weft.createAdmin();
    const json = { ap_id: 'ap', password, configuration: {} };
    expect((await weft.request('POST', '/api/v1/agents/', { token: admin, json })).status).toBe(200);
    const { body: job } = await weft.request('POST', '/api/v1/agent_details/request_all_agents_details', {
      token: admin,
    });
    const token = (await weft.login('ap', password, 'agent')).body.access_token as string;
    for (let value = 1; value <= 3; value++) expect(await post(weft, token, value)).toBe(200);

    for (const isRestarted of [false, true]) {
      if (isRestarted) expect(await weft.end()).toBe(0);
      setClock(401);
      if (isRestarted) weft = await serve({ folder, env });
      // By the clock of now every token is too old.
      const later = (await weft.login(adminUsername, password)).body.access_token as string;
      const report = () => weft.request('GET', '/api/v1/retention', { token: later });
      await eventually(report, ({ body }) => body.state === 'paused' && body.steady_seconds !== null);
      expect(
        (await weft.request('GET', '/api/v1/events?kinds=clock.jumped', { token: later })).body.items,
      ).toHaveLength(isRestarted ? 3 : 1);
      setClock(0);
    }
    const now = (await weft.login(adminUsername, password)).body.access_token as string;
    expect(await points(weft, now, '1h')).toMatchObject([{ value: 1 }, { value: 2 }, { value: 3 }]);
    expect((await weft.request('GET', `/api/v1/jobs/${job.job_number}`, { token: now })).status).toBe(200);
    expect(await weft.end()).toBe(0);
  },
);

const isMissing = !hasOtherClock || [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)(
  'a node whose clock is wrong says the time of the database, by which agents set theirs',
  async () => {
    const namespace = await databaseKinds.postgres.createNamespace();
    onTestFinished(() => namespace.remove());
    const rabbit = await shareRabbit();
    onTestFinished(() => rabbit.stop());
    const env = {
      ...otherClock({ FAKETIME: '+3600s' }),
      WEFT_DATABASE_URL: namespace.address,
      WEFT_AMQP_URL: rabbit.url,
      WEFT_SECRET: randomBytes(48).toString('base64'),
    };
    const weft = await serve({ folder: temporaryFolder(), env });
    const options = { token: 'nobody', json: { load: 1 } };
    // Plain posts are answered by other code.
    for (const ask of [
      () => weft.request('GET', '/livez'),
      () => weft.request('POST', '/api/v1/agent_update/update', options),
    ]) {
      const aheadMs = async () => Date.parse((await ask()).headers.get('date')!) - Date.now();
      await eventually(aheadMs, (ms) => Math.abs(ms) < hourMs / 2);
    }
  },
);
