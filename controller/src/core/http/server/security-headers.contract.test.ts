// What every answer carries, whatever it answers; and who in another origin's page may read it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const origin = 'https://ui.example.org';

let weft: TestWeft;
let open: TestWeft;
let admin: string;

beforeAll(async () => {
  weft = await startWeft();
  open = await startWeft({ WEFT_CORS_ORIGINS: `${origin},http://localhost:5173` });
  admin = await weft.admin();
});
afterAll(() => Promise.all([weft.stop(), open.stop()]));

const large = 'x'.repeat(1024 * 1024 + 1);
const requests: [number, string, string, (() => object)?][] = [
  [200, 'GET', '/api/v1/users/me', () => ({ token: admin })],
  [200, 'GET', '/healthz'],
  [200, 'GET', '/docs', () => ({ headers: { accept: 'text/html' } })],
  [200, 'GET', '/redoc'],
  [404, 'GET', '/docs', () => ({ headers: { accept: 'application/json' } })],
  [200, 'GET', '/openapi.json'],
  [200, 'GET', '/metrics'],
  [400, 'GET', '/api/v1/users/%zz'],
  [401, 'GET', '/api/v1/users/me'],
  [403, 'PUT', '/api/v1/third_party_apps/a', async () => ({ token: await weft.user('ada@weft.test') })],
  [404, 'GET', '/nothing'],
  [404, 'GET', '/api/v1/agents/nobody', () => ({ token: admin })],
  [405, 'PUT', '/api/v1/token/'],
  [413, 'POST', '/api/v1/token/?login_type=user', () => ({ body: large })],
  [422, 'POST', '/api/v1/users/signup', () => ({ json: {} })],
];

describe('an answer', () => {
  it.each(requests)('with %i to %s %s has the headers that protect its reader', async (status, method, path, input) => {
    const answer = await weft.request(method, path, await input?.());
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.stringMatching(/^[\w-]+$/),
    });
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(answer.headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe/);
    for (const name of ['server', 'x-powered-by', 'strict-transport-security']) {
      expect(answer.headers.get(name), name).toBeNull();
    }
  });

  it.each([200, 401, 422])('of the login is never kept by a cache, with status %i (K5)', async (status) => {
    const form = {
      username: status === 401 ? 'nobody@weft.test' : 'admin@weft.test',
      password,
    };
    const answer = await weft.request('POST', `/api/v1/token/?login_type=${status === 422 ? 'x' : 'user'}`, { form });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
  });
});

describe('a request id', () => {
  const idFor = async (given?: string) =>
    (
      await weft.request('GET', '/healthz', given === undefined ? {} : { headers: { 'x-request-id': given } })
    ).headers.get('x-request-id');

  it('is the sender’s own where it is harmless', async () => {
    for (const given of ['a', 'abc-123', 'A.b_c:d/e+f=', 'x'.repeat(128)]) expect(await idFor(given)).toBe(given);
  });

  it('is one of ours where the sender’s is empty, too long, or could break a log', async () => {
    for (const given of ['', 'x'.repeat(129), 'a b', '{"a":1}', '<b>', "a'b", 'a;b', 'é']) {
      expect(await idFor(given), given).toMatch(/^[\w-]{8,}$/);
      expect(await idFor(given), given).not.toBe(given);
    }
  });

  it('is never the same twice', async () => {
    expect(new Set(await Promise.all(Array.from({ length: 50 }, () => idFor()))).size).toBe(50);
  });
});

describe('a page of another origin', () => {
  const preflight = (server: TestWeft, from: string): Promise<Answer> =>
    server.request('OPTIONS', '/api/v1/users/me', {
      headers: {
        origin: from,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization',
      },
    });
  const corsHeaders = ({ headers }: Answer) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

  it('may read nothing by default, nor ask whether it might', async () => {
    for (const from of [origin, 'null', 'http://localhost', weft.url]) {
      const answer = await weft.request('GET', '/api/v1/users/me', { token: admin, headers: { origin: from } });
      expect([answer.status, corsHeaders(answer)], from).toEqual([200, []]);
      const asked = await preflight(weft, from);
      expect([asked.status, corsHeaders(asked)], from).toEqual([405, []]);
    }
  });

  it('may read everything, refusals too, once the operator names its origin', async () => {
    for (const from of [origin, 'http://localhost:5173']) {
      const answer = await open.request('GET', '/api/v1/users/me', { headers: { origin: from } });
      expect(answer.status).toBe(401);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': from,
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'Origin',
      });
      expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
    }
  });

  it('is told at its preflight what it may send, without a token', async () => {
    const answer = await preflight(open, origin);
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE');
    expect(answer.headers.get('access-control-allow-headers')).toMatch(/Authorization.*Content-Type/);
  });

  it('never lends its visitor’s cookies', async () => {
    for (const answer of [
      await preflight(open, origin),
      await open.request('GET', '/healthz', { headers: { origin } }),
    ]) {
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it.each([
    'https://ui.example.org.evil.test',
    'https://evil.ui.example.org',
    'http://ui.example.org',
    'https://ui.example.org:8443',
    'https://UI.example.org',
    'https://ui.example.org/',
    'null',
    '*',
  ])('may not pass for a named one as %s', async (from) => {
    for (const answer of [
      await preflight(open, from),
      await open.request('GET', '/healthz', { headers: { origin: from } }),
    ]) {
      expect(corsHeaders(answer)).toEqual([]);
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  it('shares no cached file with another origin', async () => {
    const answer = await open.request('GET', '/docs/swagger-ui.css', { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('vary')).toMatch(/Origin/);
    expect(answer.headers.get('vary')).toMatch(/Accept-Encoding/);
  });
});
