// The short way and the long way give the same answers; what is out of the ordinary takes the long one.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Answer, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { TryLaterError } from '../../base/errors.ts';

let weft: TestWeft;
let admin: string;
let agent: string;
const written: string[] = [];
beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void written.push(line) });
  weft = await startWeft({}, { log });
  admin = await weft.admin();
  agent = await weft.agent('ap-1');
});
afterAll(() => weft.stop());

const me = '/api/v1/users/me';
const update = '/api/v1/agent_update/update';

/** Everything but what differs from one answer to the next anyway. */
function comparable({ status, headers, body }: Answer) {
  const kept = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  return { status, body, headers: Object.fromEntries(kept) };
}

test.each([
  ['a read', 'GET', me, () => ({ token: admin })],
  ['a read with a slash', 'GET', `${me}/`, () => ({ token: admin })],
  ['a post', 'POST', update, () => ({ token: agent, json: { payload: { rssi: -60 } } })],
  ['a post that fails validation', 'POST', update, () => ({ token: agent, json: { samples: [7] } })],
  [
    'a post that is not JSON',
    'POST',
    update,
    () => ({ token: agent, body: '{"a":', headers: { 'content-type': 'application/json' } }),
  ],
  ['a post for another agent', 'POST', update, () => ({ token: agent, json: { ap_id: 'ap-2', x: 1 } })],
  ['a caller of the wrong kind', 'POST', update, () => ({ token: admin, json: { x: 1 } })],
  ['a token that is no good', 'GET', me, () => ({ token: `${admin}x` })],
] as const)('%s is answered alike on both ways', async (_, method, path, input) => {
  // A query that nobody reads is enough to be out of the ordinary.
  const long = await weft.request(method, `${path}?long`, input());
  long.headers.delete('x-weft-ignored');
  expect(comparable(await weft.request(method, path, input()))).toEqual(comparable(long));
});

test.each([
  ['storage is away', 503, 'telemetry_unavailable', { json: { x: 1 } }],
  ['a field cannot be stored', 422, 'validation_error', { json: { samples: [7] } }],
])('the line of the log says why on both ways if %s', async (_, status, code, input) => {
  const away = () => Promise.reject(new TryLaterError(503, 'telemetry_unavailable', 'away for the test', 1));
  const append = vi.spyOn(weft.platform.telemetryStore, 'append').mockImplementation(away);
  onTestFinished(() => append.mockRestore());
  for (const path of [update, `${update}?long`]) {
    const { headers, ...answer } = await weft.request('POST', path, { token: agent, ...input });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    const ofRequest = (line: string) => line.includes(`"request_id":"${headers.get('x-request-id')}"`);
    await expect.poll(() => written.some(ofRequest)).toBe(true);
    expect(JSON.parse(written.find(ofRequest)!)).toMatchObject({ msg: 'answered', status, code });
  }
});

const metrics = '/api/v1/metrics';
const five = 'agent=ap-1&metrics=rssi&window=5&end=2026-03-01T12:00:00Z';

test.each([
  ['series', `/agent_multi_metric_data?${five}`, () => admin],
  ['series of an agent itself', `/agent_multi_metric_data?${five}`, () => agent],
  ['series of another agent', `/agent_multi_metric_data?${five.replace('ap-1', 'ap-2')}`, () => agent],
  ['series of nobody', `/agent_multi_metric_data?${five.replace('ap-1', 'nobody')}`, () => admin],
  ['a query with problems', '/agent_multi_metric_data?agent=ap-1&window=x&max_points=0', () => admin],
  ['a query with escapes', `/agent_multi_metric_data/?${five.replace('rssi', '%72ssi')}`, () => admin],
  ['no query', '/agent_data', () => admin],
  ['too many parameters', `/agent_metrics?${'a=1&'.repeat(1001)}agent=ap-1`, () => admin],
  ['metrics', '/agent_metrics?agent=ap-1&window=5', () => admin],
  ['all fields', '/agent_data?agent=ap-1&window=5&end=2026-03-01T12:00:00Z', () => admin],
  ['newest values', '/latest?agents=ap-2', () => admin],
  ['a token that is no good', '/latest', () => `${admin}x`],
] as const)('%s are answered alike on both ways', async (_, path, token) => {
  const long = await weft.request('GET', metrics + path, {
    token: token(),
    headers: { 'content-encoding': 'identity' },
  });
  expect(comparable(await weft.request('GET', metrics + path, { token: token() }))).toEqual(comparable(long));
});

test('an answer that is sent in pieces is the same on both ways', async () => {
  const ts = Date.now() - 60_000;
  const samples = Array.from({ length: 6000 }, (_, index) => ({ ts: ts + index, a: index, b: -index }));
  await weft.request('POST', update, { token: agent, json: { samples } });
  const path = `${metrics}/agent_multi_metric_data?agent=ap-1&metrics=a,b&max_points=10000&end=${ts + 10_000}`;
  const long = await weft.request('GET', path, { token: admin, headers: { 'content-encoding': 'identity' } });
  expect(long.body.series[1].points).toHaveLength(6000);
  expect(comparable(await weft.request('GET', path, { token: admin }))).toEqual(comparable(long));
});

test('a post like the one before, with other numbers, is stored and answered as the first was', async () => {
  const token = await weft.agent('ap-again');
  const ts = Date.now() - 10_000;
  const post = (n: number) => weft.request('POST', update, { token, json: { ts: ts + n, rssi: -60.5 - n, up: true } });
  const answers = [await post(0), await post(1), await post(2)];
  for (const answer of answers) expect(comparable(answer)).toEqual(comparable(answers[0]!));
  expect(answers[0]).toMatchObject({ status: 200, body: { accepted: 1 } });
  const stored = await weft.request('GET', `${metrics}/agent_data?agent=ap-again&window=5`, { token: admin });
  expect(stored.body.points).toEqual(
    [0, 1, 2].map((n) => ({ ts: new Date(ts + n).toISOString(), rssi: -60.5 - n, up: 1 })),
  );
  const ahead = { ts: ts + 86_400_000, rssi: 1, up: true };
  const refused = await weft.request('POST', update, { token, json: ahead });
  expect(comparable(refused).body).toMatchObject({ detail: [{ loc: ['body', 'ts'] }] });
});

test("every answer has an id, the client's own if it brought one", async () => {
  const ids = [await weft.request('GET', me, { token: admin }), await weft.request('GET', me, { token: admin })];
  expect(new Set(ids.map(({ headers }) => headers.get('x-request-id'))).size).toBe(2);
  const own = await weft.request('GET', me, { token: admin, headers: { 'x-request-id': 'mine' } });
  expect(own.headers.get('x-request-id')).toBe('mine');
});

test('a foreign Host is refused there too', async () => {
  const { request } = await import('node:http');
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'evil.test', authorization: `Bearer ${admin}` };
    request(weft.url + me, { headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(421);
});

test('its answers are counted', async () => {
  const page = await weft.request('GET', '/metrics');
  expect(page.body).toMatch(/weft_http_requests_total\{operation="agent_update",status="200"\} [1-9]/);
  expect(page.body).toMatch(/weft_http_requests_total\{operation="agent_update",status="422"\} [1-9]/);
});

const ignoredIn = async (path: string, method = 'GET', token = admin) => {
  const { status, headers } = await weft.request(method, `/api/v1/${path}`, { token });
  return [status, headers.get('x-weft-ignored')];
};

test('names in a query that nothing reads are named in the answer, which is the same otherwise', async () => {
  expect(await ignoredIn('users?limt=5')).toEqual([200, 'limt']);
  expect(await ignoredIn('users')).toEqual([200, null]);
  // On the short way, by HEAD, and where it is why the request fails.
  expect(await ignoredIn('users/me?a=1')).toEqual([200, 'a']);
  expect(await ignoredIn('users?limt=5', 'HEAD')).toEqual([200, 'limt']);
  expect(await ignoredIn('metrics/agent_data?agnet=ap-1')).toEqual([422, 'agnet']);
  // Values are never repeated, nor what would break a header; of many the first ones are enough.
  expect(await ignoredIn(`users?b%0D%0Ac=secret&${'%F0%9F%98%80'.repeat(60)}`)).toEqual([
    200,
    `b%0D%0Ac, ${'%F0%9F%98%80'.repeat(32)}`,
  ]);
  const many = Array.from({ length: 2000 }, (_, index) => `a${index}`).join('&');
  expect(await ignoredIn(`users/me?${many}`)).toEqual([200, 'a0, a1, a2, a3, a4, a5, a6, a7, a8, a9']);
  // Who may not ask is not told what could be asked.
  expect(await ignoredIn('users/?limt=1', 'GET', agent)).toEqual([403, null]);
});
