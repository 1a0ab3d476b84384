// A request does what its own method and path say: no header turns it into another, no method goes round the guard, and
// a path is the same with and without its slash.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../../../../../test/rounds.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

interface RawAnswer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const pages = ['/healthz', '/livez', '/readyz', '/metrics', '/openapi.json', '/'];

let weft: TestWeft;
let admin: string;
let user: string;
/** What the server says it has: a method and a path with parameters in braces. */
let routes: { method: string; path: string }[];

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  user = await weft.user('ada@weft.test');
  const { paths } = (await weft.request('GET', '/openapi.json')).body;
  routes = Object.entries<object>(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
  );
});
afterAll(() => weft.stop());

/** Follows no redirect, and sends methods that a browser must not. */
function send(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    httpRequest(weft.url + path, { method, headers }, async (response) => {
      const text = (await response.toArray()).join('');
      const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
      resolve({ status: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(text) : text });
    })
      .on('error', reject)
      .end(body);
  });
}

function as(token: string, more: Record<string, string> = {}): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more };
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

/** Of a success only what it is made of: two jobs have two numbers. */
function shapeOf({ status, body }: RawAnswer): unknown {
  return status === 200 ? Object.keys(Array.isArray(body) ? { list: body } : body).sort() : body;
}

/** The methods of all routes that a path fits, since `public` may also be somebody's name. */
function methodsOf(path: string): string[] {
  const fitting = routes.filter((route) =>
    new RegExp(`^${withoutSlash(route.path).replace(/\{\w+\}/g, '[^/]+')}$`).test(withoutSlash(path)),
  );
  return [...new Set(fitting.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
}

describe('every path of the interface', () => {
  it('answers methods that it does not have with 405 and those that it has, whoever asks', async () => {
    const paths = new Set(routes.map(({ path }) => path.replace(/\{\w+\}/, 'somebody')));
    expect(paths.size).toBeGreaterThan(10);
    let asked = 0;
    for (const path of paths) {
      const allowed = methodsOf(path);
      for (const method of methods.filter((each) => !allowed.includes(each))) {
        // In turn, so that each path is asked by both.
        const callers = [{}, as(admin)].filter((_, index) => isLong || index === asked % 2);
        asked++;
        for (const headers of callers) {
          const answer = await send(method, path, headers);
          expect(answer.status, `${method} ${path}`).toBe(405);
          expect(answer.headers.allow, `${method} ${path}`).toBe(allowed.join(', '));
          if (method === 'HEAD') continue;
          expect(answer.body).toEqual({ detail: 'Method Not Allowed', code: 'method_not_allowed' });
        }
      }
    }
  });

  it('is the same with and without a slash at its end, and redirects nobody', async () => {
    for (const [index, { method, path }] of routes.entries()) {
      const plain = withoutSlash(path.replace(/\{\w+\}/, 'somebody'));
      // A stream that is let in never ends, and whoever signs out is nobody afterwards.
      const isLast = path.endsWith('/stream') || (method === 'DELETE' && plain === '/api/v1/token');
      const others = [{}, as(user)].filter((_, other) => isLong || other === index % 2);
      const callers = isLast ? [{}] : [...others, as(admin)];
      for (const headers of callers) {
        const body = method === 'POST' || method === 'PUT' ? '[]' : '';
        const [bare, slashed] = [
          await send(method, plain, headers, body),
          await send(method, `${plain}/`, headers, body),
        ];
        expect([slashed.status, shapeOf(slashed)], `${method} ${plain}/`).toEqual([bare.status, shapeOf(bare)]);
        expect([200, 401, 403, 404, 415, 422], `${method} ${plain}`).toContain(bare.status);
        expect(bare.body.code, `${method} ${plain}`).not.toBe('not_found');
      }
    }
  });

  it('keeps its query behind a slash', async () => {
    for (const path of ['/api/v1/token', '/api/v1/token/']) {
      const answer = await send('POST', `${path}?login_type=nobody`);
      expect(JSON.stringify(answer.body.detail)).toContain('"query","login_type"');
    }
  });
});

it.each(pages)('the page %s is there with and without a slash, for GET and HEAD only', async (path) => {
  expect((await send('GET', path)).status).toBe(200);
  expect((await send('GET', `${path}/`)).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE', 'TRACE']) {
    const answer = await send(method, path);
    expect([answer.status, answer.headers.allow], method).toEqual([405, 'GET, HEAD']);
  }
});

it.each(['/nothing', '/api', '/api/v1', '/api/v1/users/a/b', '/api/v2/users/', '//api/v1/users/', '/api/v1//users'])(
  'the path %s is 404 for every method',
  async (path) => {
    for (const method of methods) expect((await send(method, path, as(admin))).status, method).toBe(404);
  },
);

describe('a protected operation (Z8)', () => {
  it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])('ignores %s', async (name) => {
    const path = '/api/v1/users/ada%40weft.test';
    const read = await send('GET', path, as(admin, { [name]: 'DELETE' }));
    expect([read.status, read.body.username]).toEqual([200, 'ada@weft.test']);
    expect((await send('GET', path, as(user))).status).toBe(200);
    const created = await send('POST', '/api/v1/users/', as(admin, { [name]: 'GET' }), '{}');
    expect(created.status).toBe(422);
    expect((await send('POST', '/api/v1/users/', as(user, { [name]: 'GET' }), '{}')).status).toBe(403);
  });

  it('takes no method from its query or its form', async () => {
    expect((await send('GET', '/api/v1/users/ada%40weft.test?_method=DELETE', as(admin))).status).toBe(200);
    expect((await send('POST', '/api/v1/users/?_method=GET', as(admin), '{}')).status).toBe(422);
    expect((await send('GET', '/api/v1/users/me', as(user))).status).toBe(200);
  });

  it('gives nothing away to HEAD, OPTIONS and TRACE, and TRACE sends no header back', async () => {
    for (const method of ['HEAD', 'OPTIONS', 'TRACE']) {
      const answer = await send(method, '/api/v1/users/me', as(admin));
      expect(answer.status, method).toBe(method === 'HEAD' ? 200 : 405);
      expect(JSON.stringify([answer.headers, answer.body])).not.toContain(admin);
    }
  });

  it('reads its path once: an encoded slash or dot leads nowhere else', async () => {
    for (const path of ['/api/v1/users/%2e%2e%2fagents', '/api/v1/agents/..%2fusers%2fme', '/api/v1/users/%6De%00']) {
      expect((await send('GET', path, as(user))).status, path).not.toBe(200);
    }
    const created = { ap_id: 'me', password, configuration: {} };
    expect((await weft.request('POST', '/api/v1/agents/', { token: admin, json: created })).status).toBe(200);
    expect((await send('GET', '/api/v1/users/%6de', as(user))).body.username).toBe('ada@weft.test');
  });
});
