// What reading costs: long answers are compressed if the client takes that, and what it has already is a 304.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askRaw, openRawConnection, type RawAnswer } from '../../../../../test/raw-connection.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { chooseEncoding } from './answer-encoding.ts';

describe('the choice of an encoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['*, br;q=0', 'gzip'],
    ['br;q=nonsense', undefined],
    ['brotli, xgzip', undefined],
  ])('%j: %s', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });

  it('is never one that the client excludes, whatever the header', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('br', 'gzip'), (noise, name) => {
        expect(chooseEncoding(`${noise},${name};q=0`)).not.toBe(name);
      }),
    );
  });
});

const count = 60;
let weft: TestWeft;
let admin: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  for (let index = 0; index < count; index++) {
    const configuration = { site: `site ${index}`, access_point_type: 'WiFi', report_interval_seconds: 10 };
    await weft.request('POST', '/api/v1/agents/', {
      token: admin,
      json: { ap_id: `ap-${index}`, password, configuration },
    });
  }
  await weft.app('an-app', { read: true });
});
afterAll(() => weft.stop());

const details = '/api/v1/metrics/agent_details';
const presence = '/api/v1/metrics/presence';

/** As it is on the wire. */
function ask(path: string, headers: Record<string, string> = {}, url = weft.url, token = admin): Promise<RawAnswer> {
  const lines = Object.entries({ Host: 'localhost', Authorization: `Bearer ${token}`, ...headers });
  return askRaw(url, `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
}

async function askBytes(path: string, encoding: string) {
  const response = await fetch(weft.url + path, {
    headers: { authorization: `Bearer ${admin}`, 'accept-encoding': encoding },
  });
  const length = Number(response.headers.get('content-length'));
  return { response, length, text: await response.text() };
}

describe.each([
  ['a list', details],
  ['an answer of the fast lane', presence],
  ['an interface document', '/openapi.json'],
])('%s', (_name, path) => {
  it.each(['br', 'gzip'])('is sent as %s, many times shorter and with the same content', async (encoding) => {
    const plain = await ask(path);
    expect(plain.headers.get('content-encoding')).toBeUndefined();
    expect(plain.headers.get('vary')).toContain('Accept-Encoding');
    const { response, length, text } = await askBytes(path, encoding);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    expect(length).toBeLessThan(plain.text.length / 4);
    expect(text).toBe(plain.text);
  });

  it('is a 304 without a body for whoever has it, however it was encoded', async () => {
    const plain = await ask(path);
    const etag = plain.headers.get('etag')!;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    expect((await ask(path, { 'Accept-Encoding': 'gzip' })).headers.get('etag')).toBe(etag);
    for (const header of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const answer = await ask(path, { 'If-None-Match': header, 'Accept-Encoding': 'br' });
      expect([header, answer.status, answer.text]).toEqual([header, 304, '']);
      expect(answer.headers.get('etag')).toBe(etag);
      expect(answer.headers.has('content-length')).toBe(false);
      expect(answer.headers.has('x-request-id')).toBe(true);
    }
    expect((await ask(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

it('after a 304 the connection goes on', async () => {
  const etag = (await ask(details)).headers.get('etag')!;
  const connection = await openRawConnection(weft.url);
  const lines = `Host: localhost\r\nAuthorization: Bearer ${admin}\r\nIf-None-Match: ${etag}\r\n\r\n`;
  for (const path of [details, presence, details]) {
    connection.send(`GET ${path} HTTP/1.1\r\n${lines}`);
    expect((await connection.answer()).status).toBe(path === details ? 304 : 200);
  }
  connection.destroy();
});

it('the tag of a list changes with the list, and short lists have one too', async () => {
  const users = '/api/v1/users/';
  const before = await ask(users);
  expect(before.text.length).toBeLessThan(1024);
  expect((await ask(users, { 'If-None-Match': before.headers.get('etag')! })).status).toBe(304);
  await weft.user('another@weft.test');
  const after = await ask(users, { 'If-None-Match': before.headers.get('etag')! });
  expect(after.status).toBe(200);
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
});

it('a 304 needs the same rights as the answer', async () => {
  const etag = (await ask(details)).headers.get('etag')!;
  const headers = { 'If-None-Match': etag };
  expect((await ask(details, headers, weft.url, 'nobody')).status).toBe(401);
  const agent = await weft.login('agent', 'ap-1');
  expect((await ask('/api/v1/users/', headers, weft.url, agent)).status).toBe(403);
});

it('short answers, refusals, answers to changes and whatever holds a key are not compressed', async () => {
  const headers = { 'Accept-Encoding': 'br, gzip' };
  const long = { permissions: { note: 'x'.repeat(5000) } };
  await weft.request('POST', '/api/v1/third_party_apps/', {
    token: admin,
    json: { app_name: 'long', api_key: 'correct horse battery', ...long },
  });
  for (const path of [
    '/healthz',
    '/api/v1/users/me',
    '/api/v1/users/nobody@weft.test',
    '/api/v1/third_party_apps/long',
  ]) {
    expect([path, (await ask(path, headers)).headers.get('content-encoding')]).toEqual([path, undefined]);
  }
  const changed = await weft.request('PUT', '/api/v1/agents/ap-0', {
    token: admin,
    json: { configuration: { note: 'y'.repeat(5000) } },
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(changed.status).toBe(200);
  expect(changed.headers.get('content-encoding')).toBeNull();
});

it('events of a stream are not compressed', async () => {
  const abort = new AbortController();
  const response = await fetch(`${weft.url}/api/v1/metrics/stream`, {
    headers: { authorization: `Bearer ${admin}`, 'accept-encoding': 'br, gzip' },
    signal: abort.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(response.headers.get('content-encoding')).toBeNull();
  abort.abort();
});

it('downloads are compressed while they are sent', async () => {
  const token = await weft.login('agent', 'ap-2');
  const ts = Date.now() - 60_000;
  const samples = Array.from({ length: 6000 }, (_, index) => ({ ts: ts + index, a: index, b: -index }));
  await weft.request('POST', '/api/v1/agent_update/update', { token, json: { samples } });
  for (const path of [
    '/api/v1/metrics/export?agent=ap-2',
    `/api/v1/metrics/agent_multi_metric_data?agent=ap-2&metrics=a,b&max_points=10000&end=${ts + 10_000}`,
  ]) {
    const plain = await askBytes(path, 'identity');
    expect(plain.response.headers.get('content-encoding')).toBeNull();
    const zipped = await askBytes(path, 'gzip');
    expect(zipped.response.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.text).toBe(plain.text);
  }
});

it('many at once are all answered rightly, compressed or not', async () => {
  const plain = await ask(details);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => askBytes(details, index % 2 ? 'br' : 'gzip')),
  );
  for (const { text } of answers) expect(text).toBe(plain.text);
});

it('with other origins allowed too, and Vary names both', async () => {
  const other = await startWeft({ WEFT_CORS_ORIGINS: 'https://app.example.org' });
  try {
    const token = await other.admin();
    const answer = await ask('/openapi.json', { 'Accept-Encoding': 'gzip' }, other.url, token);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const users = await ask('/api/v1/users/', {}, other.url, token);
    const unchanged = await ask('/api/v1/users/', { 'If-None-Match': users.headers.get('etag')! }, other.url, token);
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    expect(unchanged.headers.get('vary')).toContain('Origin');
  } finally {
    await other.stop();
  }
});
