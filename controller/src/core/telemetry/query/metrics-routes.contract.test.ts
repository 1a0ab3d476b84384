// Operations 26 to 29, latest, export and presence over HTTP, on the embedded stores.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const iso = (ms: number) => new Date(ms).toISOString();
let server: TestWeft;
let user: string;
let app: string;
let agent: string;
/** A whole minute, a few minutes ago. */
let t0: number;

beforeAll(async () => {
  server = await startWeft();
  user = await server.user('ada@weft.test');
  app = await server.app('app-1', { agents: ['ap-*'] });
  // Online until the end, however long that takes.
  const report_interval_seconds = 3600;
  agent = await server.agent('ap-1', { metrics: { load: { label: 'Own label' } }, site: 'x', report_interval_seconds });
  await server.agent('roof-1', { report_interval_seconds });
  await server.agent('ap-empty');
  t0 = Math.floor(Date.now() / 60_000) * 60_000 - 120_000;
  await server.record('ap-1', [
    sampleOf(t0, { load: 0.5, tx_power_dbm: -3 }, { mode: 'a"b' }),
    sampleOf(t0 + 1000, { load: 0.75 }),
  ]);
  await server.record('roof-1', [sampleOf(t0, { load: 1 })]);
});
afterAll(() => server.stop());

const get = (path: string, token: string, headers: Record<string, string> = {}) =>
  server.request('GET', `/api/v1/metrics/${path}`, { token, headers });

const paths = [
  ['agent_data', ''],
  ['agent_multi_metric_data', '&metrics=load'],
  ['agent_metrics', ''],
  ['export', ''],
] as const;

describe('series', () => {
  const series = (query: string, token: string) => get(`series?metrics=load&window=1h&${query}`, token);
  const named = ({ body }: { body: Record<string, { agent_id: string }[]> }, list = 'agents') =>
    body[list]?.map(({ agent_id }) => agent_id);

  test('is #28 of each agent in the order asked for, without those that the caller may not read', async () => {
    const answer = await series('agents=roof-1,nobody&agents=ap-1', user);
    expect(answer.status).toBe(200);
    expect(answer.body.agents[1]).toEqual(
      (await get('agent_multi_metric_data?agent=ap-1&metrics=load&window=1h', user)).body,
    );
    expect(named(answer)).toEqual(['roof-1', 'ap-1']);
    expect(named(await series('agents=roof-1,ap-1', app))).toEqual(['ap-1']);
    expect(Object.keys(answer.body)).toEqual(['agents']);
  });

  test('has the extremes of the buckets with band=true', async () => {
    const answer = await series('agents=ap-1,roof-1&max_points=1&band=true', user);
    const values = ['agents', 'lows', 'highs'].map((list) => answer.body[list][0].series[0].points[0].value);
    expect(values).toEqual([0.625, 0.5, 0.75]);
    expect([named(answer, 'lows'), named(answer, 'highs')]).toEqual([named(answer), named(answer)]);
  });

  test('needs agents, at most 100', async () => {
    expect((await series('', user)).status).toBe(422);
    expect((await series(`agents=${Array.from({ length: 101 }, (_, n) => `a${n}`)}`, user)).status).toBe(422);
  });
});

describe('#26 agent_details', () => {
  test('lists what the caller may see, ordered by ap_id', async () => {
    const { status, body } = await get('agent_details', user);
    expect(status).toBe(200);
    expect(body.map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(['ap-1', 'ap-empty', 'roof-1']);
    expect(body[0]).toEqual({
      id: uuid,
      ap_id: 'ap-1',
      configuration: expect.objectContaining({ site: 'x' }),
      onboard: true,
    });
    const names = async (token: string) =>
      (await get('agent_details', token)).body.map(({ ap_id }: { ap_id: string }) => ap_id);
    expect(await names(app)).toEqual(['ap-1', 'ap-empty']);
    expect(await names(agent)).toEqual(['ap-1']);
  });
});

describe('#27 agent_data', () => {
  test('gives every field, texts included, oldest first', async () => {
    const { status, body, headers } = await get('agent_data?agent=ap-1&window=1h', user);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      key: 'agent/ap-1/data',
      agent_id: 'ap-1',
      window_minutes: 60,
      points: [
        { ts: iso(t0), load: 0.5, tx_power_dbm: -3, mode: 'a"b' },
        { ts: iso(t0 + 1000), load: 0.75 },
      ],
    });
  });
});

describe('#28 agent_multi_metric_data', () => {
  const ask = (rest: string, token = user) => get(`agent_multi_metric_data?agent=ap-1${rest}`, token);

  test('gives each metric a series, in the order asked for, with none left out', async () => {
    const { status, body } = await ask('&metrics=tx_power_dbm&metrics=nothing,load');
    expect([status, body]).toEqual([
      200,
      {
        agent_id: 'ap-1',
        window_minutes: 5,
        series: [
          { metric: 'tx_power_dbm', points: [{ ts: iso(t0), value: -3 }] },
          { metric: 'nothing', points: [] },
          {
            metric: 'load',
            points: [
              { ts: iso(t0), value: 0.5 },
              { ts: iso(t0 + 1000), value: 0.75 },
            ],
          },
        ],
      },
    ]);
  });

  test('I14 names are taken repeated, with commas and both, once each', async () => {
    const { body } = await ask('&metrics=b,a&metrics=a&metrics=c,%20b,,');
    expect(body.series.map(({ metric }: { metric: string }) => metric)).toEqual(['b', 'a', 'c']);
  });

  test.each([
    ['no metrics', '', 'missing'],
    ['an empty list', '&metrics=', 'too_short'],
    ['nothing but commas', '&metrics=,,', 'too_short'],
    ['101 names', `&metrics=${Array.from({ length: 101 }, (_, n) => `m${n}`).join()}`, 'too_long'],
  ])('I14 %s is 422', async (_what, rest, type) => {
    const { status, body } = await ask(rest);
    expect([status, body.detail.map(({ loc, type }: { loc: unknown; type: string }) => [loc, type])]).toEqual([
      422,
      [[['query', 'metrics'], type]],
    ]);
  });

  test('reports all problems at once', async () => {
    const { status, body } = await get(
      'agent_multi_metric_data?metrics=&window=x&max_points=0&aggregate=median&end=yesterday',
      user,
    );
    expect(status).toBe(422);
    expect(body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => `${loc[1]} ${type}`)).toEqual([
      'agent missing',
      'metrics too_short',
      'window value_error',
      'max_points greater_than_equal',
      'aggregate literal_error',
      'end datetime_from_date_parsing',
    ]);
  });

  test('max_points makes buckets of the aggregate, and the answer says how wide they are', async () => {
    const { body } = await ask('&metrics=load&max_points=1&aggregate=max&window=5m');
    expect(body.resolution_seconds).toBeGreaterThan(60);
    expect(body.series[0].points.map(({ value }: { value: number }) => value)).toEqual([0.75]);
    expect((await ask('&metrics=load&max_points=1&aggregate=count')).body.series[0].points[0].value).toBe(2);
    expect((await ask('&metrics=load&max_points=50001')).status).toBe(422);
  });

  test('I13 end ends the window elsewhere: any form of time, naive is UTC', async () => {
    for (const end of [iso(t0), String(t0), iso(t0).slice(0, -1), iso(t0).replace('Z', '%2B00:00')]) {
      const { body } = await ask(`&metrics=load&window=1m&end=${end}`);
      expect(body.series[0].points, end).toEqual([{ ts: iso(t0), value: 0.5 }]);
    }
    expect((await ask(`&metrics=load&end=${iso(t0).replace('Z', '+00:00')}`)).status).toBe(422);
    expect((await ask('&metrics=load&end=1926-01-01')).body.series[0].points).toEqual([]);
  });

  test('a poll after a post never shows what was before it', async () => {
    for (let n = 0; n < 20; n++) {
      await server.record('ap-empty', [sampleOf(t0 + n, { count: n })]);
      const { body } = await get('agent_multi_metric_data?agent=ap-empty&metrics=count', user);
      expect(body.series[0].points.at(-1).value).toBe(n);
    }
  });

  test('I12 every form of window, and nothing else', async () => {
    for (const [window, minutes] of [
      ['5', 5],
      ['7', 7],
      ['1h', 60],
      ['90s', 2],
      ['2d', 2880],
      ['P1D', 1440],
    ] as const) {
      expect((await ask(`&metrics=load&window=${window}`)).body.window_minutes, window).toBe(minutes);
    }
    for (const window of ['0', '-1', '', '%205', '1e9', '9'.repeat(9_999), '1h;x', '%D9%A3', '401d']) {
      const { status, body } = await ask(`&metrics=load&window=${window}`);
      expect([status, body.detail[0].loc, body.detail[0].type], window).toEqual([
        422,
        ['query', 'window'],
        'value_error',
      ]);
    }
  });
});

test('#29 lists the metrics of the window with their labels, and no texts', async () => {
  const { status, body } = await get('agent_metrics?agent=ap-1', user);
  expect([status, body]).toEqual([
    200,
    {
      agent_id: 'ap-1',
      window_minutes: 5,
      metrics: [
        { name: 'load', label: 'Own label' },
        { name: 'tx_power_dbm', label: 'Tx power (dBm)' },
      ],
    },
  ]);
  const past = await get('agent_metrics?agent=ap-1&window=1s', user);
  expect(past.body.metrics).toEqual([]);
});

test.each(paths)('%s: 401, 403, 422, 404 in that order', async (path, rest) => {
  const status = async (query: string, token: string) => (await get(`${path}?${query}${rest}`, token)).status;
  expect(await status('agent=ap-1', 'nonsense')).toBe(401);
  expect(await status('agent=roof-1', agent)).toBe(403);
  expect(await status('agent=nobody', agent)).toBe(403);
  expect(await status('x=1', agent)).toBe(422);
  expect(await status('agent=nobody', user)).toBe(404);
  expect(await status('agent=roof-1', app)).toBe(404);
  expect(await status('agent=ap-1', app)).toBe(200);
  expect(await status('agent=ap-1', agent)).toBe(200);
});

test('X2 hostile names of metrics come back as they went in, everywhere', async () => {
  await server.agent('ap-hostile');
  const names = ['"; DROP', "it's", '/.*/', 'a\\b', '__proto__', 'constructor', '=1+1', '🦊', 'x'.repeat(256), ' x '];
  const metrics = Object.fromEntries(names.map((name, index) => [name, index]));
  const values = names.map((_, index) => index);
  await server.record('ap-hostile', [{ ts: t0, names, values, texts: [] }]);
  const query = names.map((name) => `&metrics=${encodeURIComponent(name)}`).join('');
  const series = (await get(`agent_multi_metric_data?agent=ap-hostile${query}`, user)).body.series;
  expect(
    series.map(({ metric, points }: { metric: string; points: { value: number }[] }) => [metric, points[0]?.value]),
  ).toEqual(names.map((name, index) => [name, index]));
  const [point] = (await get('agent_data?agent=ap-hostile', user)).body.points;
  expect(Object.entries(point).length).toBe(names.length + 1);
  expect(Object.hasOwn(point, '__proto__')).toBe(true);
  expect(point['"; DROP']).toBe(metrics['"; DROP']);
  const latest = (await get('latest?agents=ap-hostile', user)).body.agents[0].metrics;
  expect(Object.keys(latest).sort()).toEqual([...names].sort());
  expect(Object.hasOwn(latest, '__proto__')).toBe(true);
});

describe('latest', () => {
  test('gives every visible agent with its newest values, and the filters narrow it down', async () => {
    const all = (await get('latest', app)).body.agents;
    expect(all.map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(expect.arrayContaining(['ap-1', 'ap-empty']));
    expect(all.map(({ ap_id }: { ap_id: string }) => ap_id)).not.toContain('roof-1');
    const filtered = await get('latest?agents=ap-1,roof-1&metrics=load', user);
    expect(filtered.body).toEqual({
      agents: [
        { ap_id: 'ap-1', presence: 'online', metrics: { load: { ts: iso(t0 + 1000), value: 0.75 } } },
        { ap_id: 'roof-1', presence: 'online', metrics: { load: { ts: iso(t0), value: 1 } } },
      ],
    });
    expect((await get('latest?agents=roof-1', agent)).body).toEqual({ agents: [] });
    expect((await get('latest', 'nonsense')).status).toBe(401);
  });
});

describe('export', () => {
  const range = () => `&start=${iso(t0 - 1000)}&end=${iso(t0 + 60_000)}`;

  test('X4 as CSV, which no spreadsheet runs', async () => {
    await server.agent('ap-csv');
    await server.record('ap-csv', [
      sampleOf(t0, { '=cmd()': -1, plain: 2 }, { note: '=HYPERLINK("http://x";"y")', other: '@x' }),
      sampleOf(t0 + 1, { plain: 3 }, { note: 'a,"b"\nc' }),
    ]);
    const { status, text, headers } = await get(`export?agent=ap-csv${range()}`, user);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="weft-ap-csv.csv"');
    expect(text).toBe(
      [
        "ts,'=cmd(),note,other,plain",
        `${iso(t0)},-1,"'=HYPERLINK(""http://x"";""y"")",'@x,2`,
        `${iso(t0 + 1)},,"a,""b""\nc",,3`,
        '',
      ].join('\r\n'),
    );
    const picked = await get(`export?agent=ap-csv${range()}&metrics=plain`, user);
    expect(picked.text).toBe(`ts,plain\r\n${iso(t0)},2\r\n${iso(t0 + 1)},3\r\n`);
    const words = await get(`export?agent=ap-csv${range()}&metrics=other,plain&format=ndjson`, user);
    expect(words.text.split('\n')[0]).toBe(`{"ts":"${iso(t0)}","plain":2,"other":"@x"}`);
  });

  test('as JSON lines', async () => {
    const { text, headers } = await get(`export?agent=ap-1&format=ndjson${range()}`, user);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { ts: iso(t0), load: 0.5, tx_power_dbm: -3, mode: 'a"b' },
      { ts: iso(t0 + 1000), load: 0.75 },
    ]);
  });

  test('of more rows than fit into a page has every one of them, sparse fields included', async () => {
    await server.agent('ap-long');
    const start = t0 - 20_000_000;
    const samples = Array.from({ length: 9_000 }, (_, n) =>
      sampleOf(start + n * 1000, n % 3000 === 2999 ? { rare: n } : { often: n }),
    );
    for (let n = 0; n < samples.length; n += 1000) await server.record('ap-long', samples.slice(n, n + 1000));
    const lines = async (rest: string) =>
      (await get(`export?agent=ap-long&format=ndjson&start=${start}${rest}`, user)).text.trim().split('\n');
    expect((await lines('')).length).toBe(9_000);
    expect((await lines('&metrics=rare')).map((line) => JSON.parse(line).rare)).toEqual([2999, 5999, 8999]);
  });

  test('I13 refuses a range that ends before it begins, and takes one of a century', async () => {
    const status = async (start: string, end: string) =>
      (await get(`export?agent=ap-1&start=${start}&end=${end}`, user)).status;
    expect(await status('2026-01-02', '2026-01-01')).toBe(422);
    expect(await status('2026-01-01', '2026-01-01')).toBe(422);
    expect(await status('1930-01-01', '2030-01-01')).toBe(200);
    expect((await get('export?agent=ap-1&format=xml', user)).status).toBe(422);
  });
});

describe('presence', () => {
  test('of what the caller may see, with the reason', async () => {
    await server.agent('ap-silent', { report_interval_seconds: 60 });
    const { status, body } = await get('presence?agents=ap-1,ap-silent,roof-1', app);
    expect([status, body]).toEqual([
      200,
      {
        agents: [
          {
            ap_id: 'ap-1',
            presence: 'online',
            last_seen: expect.stringMatching(/Z$/),
            since: expect.stringMatching(/Z$/),
            reason: expect.stringMatching(/\.$/),
            report_interval_seconds: 3600,
            channel: false,
            command_ready: false,
          },
          {
            ap_id: 'ap-silent',
            presence: 'offline',
            last_seen: null,
            since: null,
            reason: 'Has not reported.',
            report_interval_seconds: 60,
            channel: false,
            command_ready: false,
          },
        ],
      },
    ]);
    expect((await get('presence', agent)).body.agents.length).toBe(1);
  });
});

/** Fifty with `npm run test:long`: each is a tenth of a second of work. */
const atOnce = rounds(50, 2);

test(`D3 a year of a thousand metrics, ${atOnce} at once, is answered in bounds`, async () => {
  await server.agent('ap-wide');
  const names = Array.from({ length: 1000 }, (_, n) => `metric_${n}`);
  const now = Date.now();
  for (let n = 0; n < 600; n += 100) {
    const samples = Array.from({ length: 100 }, (_, index) => ({
      ts: now - (n + index) * 1_800_000,
      names,
      values: names.map((_, number) => number),
      texts: [],
    }));
    await server.platform.telemetryStore.append('ap-wide', samples);
  }
  const answers = await Promise.all(
    Array.from({ length: atOnce }, (_, n) =>
      get(`agent_data?agent=ap-wide&window=${365 - (n % 10)}d&max_points=50000`, user),
    ),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.resolution_seconds).toBeGreaterThan(3600);
    expect(body.points.length).toBeGreaterThan(10);
    expect(body.points.length * 1000).toBeLessThanOrEqual(500_000);
  }
});
