// The short way and the long way give the same answers; what is out of the ordinary takes the long one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, startWeft, type TestWeft } from '../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
let agent: string;
beforeAll(async () => {
  weft = await startWeft();
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
  ['a post that fails validation', 'POST', update, () => ({ token: agent, json: { samples: [{ x: [1] }] } })],
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
  expect(comparable(await weft.request(method, path, input()))).toEqual(comparable(long));
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
