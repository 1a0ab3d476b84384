// HEAD is GET without the body: the same status and headers for every caller, on pages and operations.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let callers: Record<string, string | undefined>;
/** Paths of all operations that read, with names that exist. */
let paths: string[];
const names: Record<string, string> = { ap_id: 'ap-1', username: 'ada@weft.test', app_name: 'an-app' };

beforeAll(async () => {
  weft = await startWeft();
  const admin = await weft.admin();
  callers = {
    nobody: undefined,
    admin,
    user: await weft.user('ada@weft.test'),
    agent: await weft.agent('ap-1', { site: 'x'.repeat(3000) }),
    app: await weft.app('an-app', {}),
  };
  const document = (await weft.request('GET', '/openapi.json')).body;
  paths = Object.entries<Record<string, unknown>>(document.paths)
    .filter(([, operations]) => operations.get !== undefined)
    .map(([path]) => path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(names[name] ?? 'nothing')));
});
afterAll(() => weft.stop());

interface Seen {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

function send(method: string, path: string, headers: Record<string, string>): Promise<Seen> {
  return new Promise((resolve, reject) => {
    httpRequest(weft.url + path, { method, headers }, async (response) => {
      const text = (await response.toArray()).join('');
      resolve({ status: response.statusCode, headers: response.headers, text });
    })
      .on('error', reject)
      .end();
  });
}

/** What is the same from one answer to the next. How long a stream is, nobody knows before. */
function lasting({ status, headers }: Seen) {
  const { date: _, 'x-request-id': id, 'transfer-encoding': __, ...others } = headers;
  return { status, hasId: id !== undefined, headers: others };
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

const endless = (path: string) => /\/(stream|ap-1\/commands|config\/next)$/.test(path);

it('every operation that reads answers HEAD like GET, for every kind of caller', async () => {
  expect(paths.length).toBeGreaterThan(20);
  let allowed = 0;
  for (const path of paths.filter((each) => !endless(each))) {
    const query = path.includes('/metrics/') ? '?agent=ap-1&metrics=a' : '';
    for (const [kind, token] of Object.entries(callers)) {
      const headers = { ...bearer(token), 'accept-encoding': 'br' };
      const got = await send('GET', path + query, headers);
      const head = await send('HEAD', path + query, headers);
      expect(head.text).toBe('');
      const isFleeting = ['/presence', '/latest', '/energy', '/figures'].some((end) => path.endsWith(end));
      if (!isFleeting) expect(lasting(head), `${kind} ${path}`).toEqual(lasting(got));
      expect(head.status, `${kind} ${path}`).toBe(got.status);
      if (head.status === 200) allowed++;
    }
  }
  expect(allowed).toBeGreaterThan(40);
});

describe.each(['/healthz', '/livez', '/readyz', '/openapi.json', '/asyncapi.json', '/docs', '/'])('%s', (path) => {
  it('answers HEAD like GET', async () => {
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
    const [got, head] = [await send('GET', path, headers), await send('HEAD', path, headers)];
    expect(head.text).toBe('');
    expect(lasting(head)).toEqual(lasting(got));
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  });
});

it('/metrics answers HEAD to whom it answers GET', async () => {
  const [got, head] = [await send('GET', '/metrics', {}), await send('HEAD', '/metrics', {})];
  expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', got.headers['content-type']]);
  expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
});

it('what GET would hold open is answered at once, and takes nothing', async () => {
  const stream = await send('HEAD', '/api/v1/metrics/stream', bearer(callers.admin));
  expect([stream.status, stream.headers['content-type'], stream.text]).toEqual([200, 'text/event-stream', '']);
  expect((await send('HEAD', '/api/v1/metrics/stream', {})).status).toBe(401);

  const command = { agent_id: 'ap-1', command: 'sleep' };
  const sent = await weft.request('POST', '/api/v1/send_command?agent_id=ap-1&command=sleep', {
    token: callers.admin,
    json: command,
  });
  expect(sent.status).toBe(200);
  const poll = '/api/v1/agents/ap-1/commands?wait=60';
  expect((await send('HEAD', poll, bearer(callers.agent))).status).toBe(200);
  expect((await send('HEAD', `${poll}0`, bearer(callers.agent))).status).toBe(422);
  const taken = await weft.request('GET', poll, { token: callers.agent });
  expect(taken.body).toHaveLength(1);
});

it('a HEAD between other requests leaves the connection in order', async () => {
  const token = callers.admin!;
  const answers = await Promise.all(
    ['HEAD', 'GET', 'HEAD', 'GET'].map((method) =>
      weft.request(method, '/api/v1/metrics/agent_details', { token }).catch((error) => error),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
