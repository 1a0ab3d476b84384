// One sample through each door gives the same answer on the way out, with either store behind; repeats and disorder
// change nothing; and no name that an agent chose gets into the page for Prometheus.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type DatabaseNamespace, databaseKinds } from '../test/databases.ts';
import { password, startWeft, type TestWeft } from '../test/weft.ts';

const ts = Date.now() - 60_000;
const update = '/api/v1/agent_update/update';

interface Agent {
  ap_id: string;
  token: string;
}
type Door = (weft: TestWeft, agent: Agent) => ReturnType<TestWeft['request']>;

const line = ({ ap_id }: Agent) => `agent/${ap_id}/data snr_db=21.5,clients=3i,is_up=true ${ts}000000\n`;
const fields = { snr_db: 21.5, clients: 3, is_up: true };
const json =
  (body: (agent: Agent) => unknown): Door =>
  (weft, agent) =>
    weft.request('POST', update, { token: agent.token, json: body(agent) });
const write =
  (path: string, headers: (agent: Agent) => Record<string, string>, isZipped = false): Door =>
  (weft, agent) =>
    weft.request('POST', path, {
      headers: { ...headers(agent), ...(isZipped && { 'content-encoding': 'gzip' }) },
      body: isZipped ? new Uint8Array(gzipSync(line(agent))) : line(agent),
    });
const bearer = ({ token }: Agent) => ({ authorization: `Bearer ${token}` });
const token = ({ token }: Agent) => ({ authorization: `Token ${token}` });
const basic = ({ ap_id }: Agent) => ({ authorization: `Basic ${btoa(`${ap_id}:${password}`)}` });

const doors: Record<string, Door> = {
  'the fields themselves': json(() => ({ ts, ...fields })),
  'a payload': json(({ ap_id }) => ({ ap_id, timestamp: new Date(ts).toISOString(), payload: fields })),
  'a batch': json(() => ({ samples: [{ ts: String(new Date(ts).toISOString()), ...fields }] })),
  'nested fields': json(() => ({ ts, snr: { db: '21.5' }, clients: 3, is: { up: true } })),
  '/api/v1/write with bearer': write('/api/v1/write', bearer),
  '/write with Basic, zipped': write('/write?db=telegraf', basic, true),
  '/api/v2/write with Token': write('/api/v2/write?bucket=b&org=o', token),
  '/api/v2/write with bearer, zipped, in milliseconds': (weft, agent) =>
    weft.request('POST', '/api/v2/write?precision=ms', {
      headers: { ...bearer(agent), 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(line(agent).replace('000000\n', '\n'))),
    }),
};

const expected = [
  { metric: 'snr_db', points: [{ ts: new Date(ts).toISOString(), value: 21.5 }] },
  { metric: 'clients', points: [{ ts: new Date(ts).toISOString(), value: 3 }] },
  { metric: 'is_up', points: [{ ts: new Date(ts).toISOString(), value: 1 }] },
];

describe.each([
  ['the embedded store', {}],
  ['PostgreSQL', inject('postgresUrl') && {}],
])('with %s', (store, settings) => {
  let weft: TestWeft;
  let namespace: DatabaseNamespace | undefined;
  let count = 0;
  beforeAll(async () => {
    if (!settings) return;
    if (store === 'PostgreSQL') namespace = await databaseKinds.postgres.createNamespace({ isBare: true });
    weft = await startWeft(namespace ? { WEFT_TELEMETRY_URL: namespace.address } : {});
  });
  afterAll(async () => {
    await weft?.stop();
    await namespace?.remove();
  });

  const newAgent = async (): Promise<Agent> => {
    count += 1;
    return { ap_id: `ap-${count}`, token: await weft.agent(`ap-${count}`) };
  };
  const series = async ({ ap_id, token }: Agent, names: string[], window = '5m') => {
    const query = new URLSearchParams({ agent: ap_id, window });
    for (const name of names) query.append('metrics', name);
    const answer = await weft.request('GET', `/api/v1/metrics/agent_multi_metric_data?${query}`, { token });
    expect(answer.status).toBe(200);
    return answer.body.series as { metric: string; points: { ts: string; value: number }[] }[];
  };

  test.skipIf(!settings).each(Object.entries(doors))('a sample through %s', async (_door, post) => {
    const agent = await newAgent();
    const { status, body } = await post(weft, agent);
    expect([status, body]).toEqual(status === 204 ? [204, ''] : [200, expect.objectContaining({ accepted: 1 })]);
    expect(await series(agent, ['snr_db', 'clients', 'is_up'])).toEqual(expected);
  });

  test.skipIf(!settings)('M1 the same batch ten times, one after the other and at once, is there once', async () => {
    const agent = await newAgent();
    const samples = Array.from({ length: 200 }, (_, n) => ({ ts: ts + n, value: n / 4 }));
    const post = () => weft.request('POST', update, { token: agent.token, json: { samples } });
    for (let n = 0; n < 5; n++) expect((await post()).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 5 }, post));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [found] = await series(agent, ['value']);
    expect(found!.points.map(({ value }) => value)).toEqual(samples.map(({ value }) => value));
  });

  test.skipIf(!settings)('M2 shuffled and late samples, from both sides of midnight, come back in order', async () => {
    const agent = await newAgent();
    const midnight = Math.floor(ts / 86_400_000) * 86_400_000 - 86_400_000;
    const times = Array.from({ length: 60 }, (_, n) => midnight - 200_000 + n * 7_000);
    // In a clock of summer time, two hours ahead.
    const inSummer = (time: number) => new Date(time + 7_200_000).toISOString().replace('Z', '+02:00');
    const late = times.map((time, n) => ({ ts: inSummer(time), value: n }));
    const shuffled = late.map((_, n) => late[(n * 37) % late.length]!);
    expect((await weft.request('POST', update, { token: agent.token, json: { ts, value: -1 } })).status).toBe(200);
    for (const part of [shuffled.slice(0, 20), shuffled.slice(20)]) {
      const { status } = await weft.request('POST', update, { token: agent.token, json: { samples: part } });
      expect(status).toBe(200);
    }
    const [found] = await series(agent, ['value'], '3d');
    expect(found!.points.map(({ ts, value }) => [Date.parse(ts), value])).toEqual(
      [...times.map((time, n) => [time, n]), [ts, -1]].sort((a, b) => a[0]! - b[0]!),
    );
  });

  test.skipIf(!settings)('X9 the page for Prometheus can be parsed, whatever names have been stored', async () => {
    const agent = await newAgent();
    const hostile = ['a"b', "it's", 'a{b="c"} 1 # HELP x', 'back\\slash', '{}', 'métrique 📡', '#', 'x'.repeat(256)];
    const json = { ts, ...Object.fromEntries(hostile.map((name, n) => [name, n])) };
    expect((await weft.request('POST', update, { token: agent.token, json })).status).toBe(200);
    await weft.request('GET', `/api/v1/metrics/agent_data?agent=${encodeURIComponent('a"\nb 1\n')}`, agent);
    const { status, body } = await weft.request('GET', '/metrics');
    expect(status).toBe(200);
    expect(exposition(body).size).toBeGreaterThan(20);
    for (const name of hostile.filter((name) => name.length > 3)) expect(body).not.toContain(name);
    expect(() => exposition(`${body}weft_test{name="a"b"} 1\n`)).toThrow();
  });
});

const sampleLine =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? ([+-]?Inf|NaN|[+-]?[\d.]+(?:e[+-]?\d+)?)(?: -?\d+)?$/i;

/** Names and labels of all samples, as the text format 0.0.4 defines them; throws at the first line outside of it. */
function exposition(page: string): Set<string> {
  if (!page.endsWith('\n')) throw new Error('the last line has no end');
  const found = new Set<string>();
  const types = new Set<string>();
  for (const text of page.split('\n')) {
    const [, kind, name = ''] = /^# (HELP|TYPE) (\S+)/.exec(text) ?? [];
    if (kind === 'TYPE' && types.has(name)) throw new Error(`two types: ${text}`);
    if (kind === 'TYPE') types.add(name);
    if (text === '' || text.startsWith('#')) continue;
    const match = sampleLine.exec(text);
    if (!match) throw new Error(`not a sample: ${text}`);
    const key = `${match[1]}${match[2] ?? ''}`;
    if (found.has(key)) throw new Error(`twice: ${text}`);
    found.add(key);
  }
  return found;
}
