// One caller takes as much as it can of each thing that all share; another is served beside it. Jobs and subscriptions:
// fair-jobs.contract.test.ts; emulated networks: fair-runs.contract.test.ts; live streams, channels, long polls: their own tests.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draw } from '../../../../../test/draw.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { bearer, connect, refusal, type SocketClient } from '../../../../../test/socket-client.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const history = 50_000;
/** So many that a download is more than what connections hold that nobody reads from. */
const names = [...'abcdefgh'];
/** By which the store knows Eve's queries. */
const eves = 4_999;
let weft: TestWeft;
let eve: string;
let ada: string;
beforeAll(async () => {
  weft = await startWeft({
    WEFT_MAX_SOCKETS_PER_CALLER: '20',
    WEFT_LIMIT_CALLBACK_MB_PER_DAY: '40',
    WEFT_EMULATOR_MAX_RUNS: '0',
  });
  await weft.agent('ap-1');
  await weft.agent('ap-2');
  [eve, ada] = [await weft.user('eve@weft.test', ['admin']), await weft.user('ada@weft.test', ['admin'])];
  const start = Date.now() - history * 1000;
  const samples = Array.from({ length: history }, (_, n) => ({
    ts: start + n * 1000,
    names,
    values: names.map((_, index) => n / (7 + index)),
    texts: [],
  }));
  // A download is long; of what is asked for hundreds of times there is as long a history, with a value a minute.
  await weft.platform.telemetryStore.append('ap-1', samples);
  const values = samples.filter((_, n) => n % 60 === 0).map(({ ts, values }) => ({ ts, values: values.slice(0, 1) }));
  await weft.platform.telemetryStore.append(
    'ap-2',
    values.map((value) => ({ ...value, names: ['a'], texts: [] })),
  );
});
afterAll(() => weft.stop());

const get = (token: string, path: string) => weft.request('GET', path, { token });
const post = (token: string, path: string, json?: unknown) =>
  weft.request('POST', path, { token, ...(json !== undefined && { json }) });
const statusesOf = (answers: { status: number }[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );

/** Resolves how much of the flood was still under way when the other was served. */
async function beside<T>(flood: Promise<T>[], serve: () => Promise<{ status: number }>): Promise<number> {
  let left = flood.length;
  for (const each of flood) void each.finally(() => left--);
  const { status } = await serve();
  expect(status).toBe(200);
  return left;
}

test.each([
  ['short', 60, 8, 'telemetry_queries'],
  ['long', 500, 1, 'heavy_queries'],
] as const)(
  'queries of telemetry (%s): few of one caller are in the store at once, and another’s is answered',
  async (_, minutes, most, share) => {
    const { telemetryStore } = weft.platform;
    const { query } = telemetryStore;
    const gate = Promise.withResolvers<void>();
    let inStore = 0;
    let mostInStore = 0;
    telemetryStore.query = async (asked) => {
      if (asked.maxPoints === eves) {
        mostInStore = Math.max(mostInStore, ++inStore);
        await gate.promise;
        inStore--;
      }
      return query.call(telemetryStore, asked);
    };
    const end = encodeURIComponent(new Date().toISOString());
    const ask = (token: string, window: number, points: number) =>
      get(token, `/api/v1/metrics/agent_data?agent=ap-2&window=${window}&max_points=${points}&end=${end}`);
    const flood = Array.from({ length: 300 }, (_, n) => ask(eve, minutes + n, eves));
    await untilSo(() => expect(gauge(share, 'refused')).toBe(300 - 200 - most));
    expect(await beside(flood, () => ask(ada, minutes, eves - 1))).toBeGreaterThanOrEqual(200);
    // What waits for its turn takes none of the slots of shorter ones.
    if (share === 'heavy_queries') expect((await ask(eve, 60, eves - 1)).status).toBe(200);
    expect(mostInStore).toBe(most);
    gate.resolve();
    const answers = await Promise.all(flood);
    expect(statusesOf(answers)).toEqual({ 200: 200 + most, 429: 100 - most });
    expect(mostInStore).toBe(most);
    expect(answers.find(({ status }) => status === 429)!.body.code).toBe('share_used_up');
  },
);

test('sockets: one caller has its share open, and another connects', async () => {
  const { job_number } = (await post(eve, '/api/v1/agent_details/request_all_agents_details')).body;
  await post(eve, '/api/v1/callback/agent_data?job_number=held-open', [1]);
  const sockets: SocketClient[] = [];
  for (let n = 0; n < 20; n++) sockets.push(await connect(weft.url, '/api/v1/ws/held-open', bearer(eve)));
  expect(await refusal(weft.url, '/api/v1/ws/held-open', bearer(eve))).toMatchObject({ status: 429 });
  const adas = await connect(weft.url, `/api/v1/ws/${job_number}`, bearer(ada));
  await untilSo(() => expect(adas.messages.at(-1)?.final).toBe(true));
  for (const { socket } of [...sockets, adas]) socket.terminate();
});

test('downloads: one caller has its share open, and gets it back when they end', async () => {
  const path = `/api/v1/metrics/export?agent=ap-1&start=${new Date(Date.now() - history * 2000).toISOString()}`;
  const open = async (token: string) => {
    const control = new AbortController();
    const response = await fetch(weft.url + path, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' },
      signal: control.signal,
    });
    if (response.status !== 200) await response.body?.cancel();
    // With the response: one that nobody holds is collected, and its download ended.
    return { status: response.status, response, end: () => control.abort() };
  };
  const bob = await weft.user('bob@weft.test');
  const held = await Promise.all(Array.from({ length: 14 }, () => open(bob)));
  expect(statusesOf(held)).toEqual({ 200: 10, 429: 4 });
  const adas = await open(ada);
  expect(adas.status).toBe(200);
  for (const { end } of [...held, adas]) end();
  await untilSo(() => expect(gauge('exports', 'held')).toBe(0));
  const again = await open(bob);
  expect(again.status).toBe(200);
  again.end();
});

test('batches: one of a caller after the other, and another’s is sent meanwhile', async () => {
  const { network } = weft.parts.network;
  const { visibleTo } = network;
  const gate = Promise.withResolvers<void>();
  let isFirst = true;
  network.visibleTo = async (caller) => {
    if (isFirst) {
      isFirst = false;
      await gate.promise;
    }
    return visibleTo.call(network, caller);
  };
  const batch = (token: string) =>
    post(token, '/api/v1/commands/batch', { agents: 'ap-*', command: 'sleep', dry_run: true });
  const flood = Array.from({ length: 60 }, () => batch(eve));
  await untilSo(() => expect(gauge('batches', 'refused')).toBe(60 - 20 - 1));
  expect(await beside(flood, () => batch(ada))).toBeGreaterThanOrEqual(21);
  gate.resolve();
  expect(statusesOf(await Promise.all(flood))).toEqual({ 200: 21, 429: 39 });
});

test('results in mailboxes: one caller has a budget of bytes, and another’s are stored', async () => {
  const big = [{ text: draw('text').bytes(450_000).toString('hex') }];
  const answers = [];
  for (let n = 0; n < 8; n++) answers.push(await post(eve, `/api/v1/callback/agent_data?job_number=eves-${n}`, big));
  expect(statusesOf(answers)).toEqual({ 200: 4, 429: 4 });
  const refused = answers.at(-1)!;
  expect(refused.body.code).toBe('callback_budget');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await weft.request('GET', '/api/v1/jobs/eves-7', { token: eve })).status).toBe(404);
  expect((await post(ada, '/api/v1/callback/agent_data?job_number=adas', big)).status).toBe(200);
});

test('spin-ups: another’s is accepted while many of one caller wait', async () => {
  const spinUp = (token: string) =>
    post(token, '/api/v1/emulator/spinup', {
      emulators: [
        { access_point_type: 'WiFi', num_access_points: 20, locations: ['Bristol'], num_devices: 1, duration: 60 },
      ],
    });
  const flood = Array.from({ length: 40 }, () => spinUp(eve));
  await beside(flood, () => spinUp(ada));
  expect(statusesOf(await Promise.all(flood))).toEqual({ 200: 10, 429: 30 });
});

function gauge(name: string, what: string): number {
  return Number(weft.platform.shares.metrics[`weft_share_${name}_${what}`]!.value());
}
