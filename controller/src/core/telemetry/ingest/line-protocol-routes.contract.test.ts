// The line-protocol door over HTTP, with requests as Telegraf's outputs write them.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { system } from '../../base/caller.ts';

const text = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'Telegraf/1.38.0 Go/1.26' };
const gzip = { ...text, 'content-encoding': 'gzip' };
const paths = ['/api/v1/write', '/write', '/api/v2/write'];

let server: TestWeft;
beforeAll(async () => {
  server = await startWeft();
});
afterAll(() => server.stop());

let count = 0;
async function newAgent(): Promise<{ ap_id: string; token: string; bearer: Record<string, string> }> {
  count += 1;
  const ap_id = `ap-${count}`;
  const token = await server.agent(ap_id);
  return { ap_id, token, bearer: { ...text, authorization: `Bearer ${token}` } };
}

const basic = (ap_id: string, secret = password) => `Basic ${Buffer.from(`${ap_id}:${secret}`).toString('base64')}`;

/** What Telegraf's cpu and mem inputs give, at one moment. */
const telegrafLines = (ts: number) =>
  [
    `cpu,cpu=cpu-total,host=gw usage_idle=91.25,usage_user=3.5 ${ts}000000`,
    `mem,host=gw available=912384000i,used_percent=12.5 ${ts}000000`,
    `system,host=gw uptime_format="1 day,  2:03",n_users=1u ${ts}000000\n`,
  ].join('\n');
const telegrafRow = (ts: number) => ({
  ts,
  'cpu_cpu-total_usage_idle': 91.25,
  'cpu_cpu-total_usage_user': 3.5,
  mem_available: 912384000,
  mem_used_percent: 12.5,
  system_uptime_format: '1 day,  2:03',
  system_n_users: 1,
});

describe('Telegraf', () => {
  const ts = Date.now() - 60_000;

  it('outputs.influxdb: version 1, gzip in pieces of unknown length, Basic', async () => {
    const { ap_id } = await newAgent();
    const response = await fetch(`${server.url}/write?db=telegraf&consistency=any`, {
      method: 'POST',
      headers: { ...gzip, authorization: basic(ap_id) },
      body: new Blob([gzipSync(telegrafLines(ts))]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null]);
    expect(await server.rowsOf(ap_id)).toEqual([telegrafRow(ts)]);
  });

  it('InfluxDB 1 in the address: from loopback, and from elsewhere over TLS only', async () => {
    const { ap_id } = await newAgent();
    const send = (more: Record<string, string> = {}, p = password) =>
      server.post(`/write?db=x&u=${ap_id}&p=${encodeURIComponent(p)}`, { ...text, ...more }, `m v=1 ${ts}000000`);
    expect((await send()).status).toBe(204);
    expect(await server.rowsOf(ap_id)).toEqual([{ ts, m_v: 1 }]);
    expect((await send({}, 'wrong password')).status).toBe(401);
    const forwarded = await send({ 'x-forwarded-for': '192.0.2.7' });
    expect([forwarded.status, forwarded.body.code]).toEqual([401, 'password_in_clear']);
    expect(forwarded.text).not.toContain(password);
  });

  it.each(['the token', 'the password'])('outputs.influxdb_v2: Token with %s, gzip', async (secret) => {
    const { ap_id, token } = await newAgent();
    const authorization = `Token ${secret === 'the token' ? token : `${ap_id}:${password}`}`;
    const path = '/api/v2/write?bucket=weft&org=weft&precision=ns';
    const answer = await server.post(path, { ...gzip, authorization }, gzipSync(telegrafLines(ts)));
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(await server.rowsOf(ap_id)).toEqual([telegrafRow(ts)]);
  });

  it('outputs.http: data_format influx, Basic', async () => {
    const { ap_id } = await newAgent();
    const headers = { ...text, authorization: basic(ap_id) };
    expect((await server.post('/api/v1/write', headers, telegrafLines(ts))).status).toBe(204);
    expect(await server.rowsOf(ap_id)).toEqual([telegrafRow(ts)]);
  });

  it('outputs.http: data_format json, in the form that the transformation of the example makes', async () => {
    const { ap_id, token } = await newAgent();
    const samples = [
      { ts: ts / 1000, usage_idle: 91.25, usage_user: 3.5 },
      { ts: ts / 1000, available: 912384000 },
    ];
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await server.post('/api/v1/agent_update/update', headers, JSON.stringify({ samples }));
    expect([answer.status, answer.body.accepted]).toEqual([200, 2]);
    expect(await server.rowsOf(ap_id)).toEqual([{ ts, usage_idle: 91.25, usage_user: 3.5, available: 912384000 }]);
  });
});

describe('a line', () => {
  it.each(paths)('at %s gives the same row as the same sample in JSON', async (path) => {
    const { ap_id, bearer, token } = await newAgent();
    const ts = Date.now() - 5000;
    const line = `agent/${ap_id}/data rssi=-60.5,clients=7i,up=t,state="ok" ${ts}`;
    expect((await server.post(`${path}?precision=ms`, bearer, line)).status).toBe(204);
    const json = { ts: ts + 1, rssi: -60.5, clients: 7, up: true, state: 'ok' };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await server.post('/api/v1/agent_update/update', headers, JSON.stringify(json))).status).toBe(200);
    const [first, second] = await server.rowsOf(ap_id);
    expect({ ...first, ts: ts + 1 }).toEqual(second);
    expect(second).toEqual({ ts: ts + 1, rssi: -60.5, clients: 7, up: 1, state: 'ok' });
  });

  it('that is bad refuses all of them', async () => {
    const { ap_id, bearer } = await newAgent();
    const { status, body } = await server.post('/write', bearer, 'cpu x=1\n\ncpu x=\n');
    expect([status, body.code]).toEqual([422, 'validation_error']);
    expect(body.detail).toMatchObject([{ loc: ['body', 2], type: 'value_error', msg: expect.any(String) }]);
    expect(await server.rowsOf(ap_id)).toEqual([]);
  });

  it('Z2: of another agent’s measurement is refused', async () => {
    const [mine, other] = [await newAgent(), await newAgent()];
    const { status } = await server.post('/write', mine.bearer, `cpu x=1\nagent/${other.ap_id}/data x=1`);
    expect(status).toBe(403);
    expect([await server.rowsOf(mine.ap_id), await server.rowsOf(other.ap_id)]).toEqual([[], []]);
  });
});

describe('a body', () => {
  const line = 'cpu x=1';

  it('of an unknown precision, type or encoding is refused', async () => {
    const { bearer } = await newAgent();
    const { status, body } = await server.post('/write?precision=d', bearer, line);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'precision']]);
    for (const type of ['application/json', 'multipart/form-data', 'image/png']) {
      expect((await server.post('/write', { ...bearer, 'content-type': type }, line)).status).toBe(415);
    }
    for (const encoding of ['br', 'deflate', 'gzip, gzip']) {
      expect((await server.post('/write', { ...bearer, 'content-encoding': encoding }, line)).status).toBe(415);
    }
    expect((await server.post('/write', { ...bearer, 'content-type': 'application/octet-stream' }, line)).status).toBe(
      204,
    );
  });

  it('that is not gzip, not whole, or not UTF-8 is 400', async () => {
    const { bearer } = await newAgent();
    const coded = { ...bearer, 'content-encoding': 'gzip' };
    expect((await server.post('/write', coded, line)).status).toBe(400);
    expect((await server.post('/write', coded, gzipSync(line.repeat(99)).subarray(0, -12))).status).toBe(400);
    expect((await server.post('/write', bearer, Buffer.from('63707520783d22ff22', 'hex'))).status).toBe(400);
  });

  it('I6: too large, as it is or once inflated, is 413, and a bomb is not inflated', async () => {
    const { ap_id, bearer } = await newAgent();
    const long = `# ${'x'.repeat(1024 * 1024)}\n${line}`;
    expect((await server.post('/write', bearer, long)).status).toBe(413);
    const coded = { ...bearer, 'content-encoding': 'gzip' };
    expect((await server.post('/write', coded, gzipSync(long))).status).toBe(413);
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, 0x20));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().rss;
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.post('/write', coded, bomb)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(413));
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    expect((await server.post('/write', coded, gzipSync(`# ${'x'.repeat(1_000_000)}\n${line}`))).status).toBe(204);
    expect(await server.rowsOf(ap_id)).toHaveLength(1);
  });
});

describe('whoever writes', () => {
  const write = (headers: Record<string, string>, path = '/write'): Promise<Answer> =>
    server.post(path, { ...text, ...headers }, 'cpu x=1');

  it('must be an agent, whatever the scheme', async () => {
    const user = await server.user('eve@weft.test');
    for (const scheme of ['Bearer', 'Token', 'token']) {
      expect((await write({ authorization: `${scheme} ${user}` })).status).toBe(403);
    }
    expect((await write({ authorization: basic('eve@weft.test') })).status).toBe(401);
  });

  it.each([
    undefined,
    'Bearer x',
    'Token x',
    'Token ',
    'Token :',
    'Basic',
    'Basic !',
    'Basic Og==',
    'Digest x:y',
    basic('nobody'),
    `Bearer ap-1:${password}`,
  ])('with %s is not let in', async (authorization) => {
    const answer = await write(authorization === undefined ? {} : { authorization });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it('may have colons in its name and its password', async () => {
    const ap_id = '00:1B:44:11:3A:B7';
    await server.agent(ap_id);
    await server.agent('00');
    expect((await write({ authorization: basic(ap_id) })).status).toBe(204);
    expect((await write({ authorization: `Token ${ap_id}:${password}` })).status).toBe(204);
    await server.parts.agents.agents.update(ap_id, { password: 'a:b:c:d:e' }, system);
    expect((await write({ authorization: basic(ap_id, 'a:b:c:d:e') })).status).toBe(204);
    expect((await write({ authorization: basic('00') })).status).toBe(204);
  });

  it('has its password checked once, not with every post, until it changes', async () => {
    const { ap_id } = await newAgent();
    await server.parts.agents.agents.update(ap_id, { password: 'a chosen password' }, system);
    const headers = { authorization: basic(ap_id, 'a chosen password') };
    const checks = vi.spyOn(server.platform.hasher, 'verify');
    for (let post = 0; post < 20; post += 1) expect((await write(headers)).status).toBe(204);
    expect(checks).toHaveBeenCalledTimes(1);
    await server.parts.agents.agents.update(ap_id, { password: 'another password' }, system);
    expect((await write(headers)).status).toBe(401);
    expect((await write({ authorization: basic(ap_id, 'another password') })).status).toBe(204);
    await server.parts.agents.agents.remove(ap_id, system);
    expect((await write({ authorization: basic(ap_id, 'another password') })).status).toBe(401);
  });

  it('is on board from the first post on', async () => {
    const { ap_id } = await newAgent();
    await server.parts.agents.agents.remove(ap_id, system);
    await server.parts.agents.agents.create({ ap_id, password, configuration: {} }, system);
    expect((await write({ authorization: basic(ap_id) })).status).toBe(204);
    expect(await server.parts.agents.agentStore.page('', 1000)).toContainEqual(
      expect.objectContaining({ ap_id, onboard: true }),
    );
  });
});

it('guesses here count with those at the token endpoint', async () => {
  const strict = await startWeft({ WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '3' });
  try {
    await strict.agent('ap-1');
    const guess = () => strict.post('/write', { ...text, authorization: basic('ap-1', 'wrong password') }, 'cpu x=1');
    const login = () =>
      strict.post(
        '/api/v1/token?login_type=agent',
        {},
        new URLSearchParams({ username: 'ap-1', password: 'also wrong' }),
      );
    expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([401, 401, 401]);
    const refused = await guess();
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await login()).status).toBe(429);
  } finally {
    await strict.stop();
  }
});
