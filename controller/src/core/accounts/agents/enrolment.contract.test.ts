// Enrolment: an administrator mints a token, access points register themselves with it.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { eachDatabase } from '../../../../../test/databases.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const tokens = '/api/v1/enrolment_tokens';
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
let weft: TestWeft;
let admin: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
});
afterEach(() => vi.useRealTimers());
afterAll(() => weft.stop());

function mint(json: Record<string, unknown>, token: string | undefined = admin) {
  return weft.request('POST', tokens, { token, json });
}

function enrol(token: string, ap_id: string, node = weft) {
  const json = { ap_id, password, configuration: { site: 'x' } };
  return node.request('POST', '/api/v1/agents/public', { token, json });
}

async function mintFor(ap_id_pattern: string, max_uses = 1): Promise<string> {
  return (await mint({ ap_id_pattern, max_uses })).body.token;
}

test('a token is shown once, listed without itself, and revoked', async () => {
  const { status, body } = await mint({ ap_id_pattern: 'list-*', expires_in: 60, max_uses: 3 });
  const listed = {
    id: uuid,
    ap_id_pattern: 'list-*',
    expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    max_uses: 3,
    uses: 0,
    created_by: 'admin@weft.test',
    site: null,
    tags: [],
  };
  expect([status, body]).toEqual([
    200,
    { ...listed, token: expect.stringMatching(/^weft-enrol-[\w-]{43}$/), urls: [] },
  ]);
  expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(50_000);
  const list = await weft.request('GET', tokens, { token: admin });
  expect(list.body.filter(({ id }: { id: string }) => id === body.id)).toEqual([listed]);
  expect(JSON.stringify(list.body)).not.toContain(body.token);
  const remove = () => weft.request('DELETE', `${tokens}/${body.id}`, { token: admin });
  expect((await remove()).body).toEqual({ status: 'success', detail: expect.any(String) });
  const again = await remove();
  expect([again.status, again.body.code]).toEqual([404, 'enrolment_token_not_found']);
  expect((await enrol(body.token, 'list-1')).status).toBe(401);
});

test('without further wishes a token is good for one use within a day', async () => {
  const { body } = await mint({ ap_id_pattern: '*' });
  expect(body.max_uses).toBe(1);
  expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(86_390_000);
});

test.each([
  [{}, 'ap_id_pattern'],
  [{ ap_id_pattern: '' }, 'ap_id_pattern'],
  [{ ap_id_pattern: 'a[bc]' }, 'ap_id_pattern'],
  [{ ap_id_pattern: 'a'.repeat(129) }, 'ap_id_pattern'],
  [{ ap_id_pattern: '*', expires_in: 0 }, 'expires_in'],
  [{ ap_id_pattern: '*', expires_in: 31_536_001 }, 'expires_in'],
  [{ ap_id_pattern: '*', max_uses: 0 }, 'max_uses'],
  [{ ap_id_pattern: '*', max_uses: 1.5 }, 'max_uses'],
])('%o cannot be minted', async (json, field) => {
  const { status, body } = await mint(json);
  expect(status).toBe(422);
  expect(body.detail[0].loc).toEqual(['body', field]);
});

describe('an access point', () => {
  test('registers itself and can then log in', async () => {
    const { status, body } = await enrol(await mintFor('site-?-*'), 'site-1-ap');
    expect([status, body]).toEqual([200, { id: uuid, ap_id: 'site-1-ap', configuration: { site: 'x' } }]);
    await weft.login('agent', 'site-1-ap');
  });

  test.each([
    ['site-?', 'site-12'],
    ['site-*', 'Site-1'],
    ['a.c', 'abc'],
    ['*-ap', 'ap'],
  ])('with a token for %s cannot be called %s', async (pattern, ap_id) => {
    const token = await mintFor(pattern);
    const { status, body } = await enrol(token, ap_id);
    expect([status, body.code]).toEqual([403, 'ap_id_not_permitted']);
  });

  test('whose name is taken leaves the token unused', async () => {
    const token = await mintFor('twin-*', 2);
    expect((await enrol(token, 'twin-1')).status).toBe(200);
    const taken = await enrol(token, 'twin-1');
    expect([taken.status, taken.body.code]).toEqual([409, 'agent_exists']);
    expect((await enrol(token, 'twin-2')).status).toBe(200);
    expect((await enrol(token, 'twin-3')).status).toBe(401);
  });

  test('with a bad body is told so, without its password, and leaves the token unused', async () => {
    const token = await mintFor('bad-*');
    const json = { ap_id: 'bad/1', password: 'canary password' };
    const { status, body } = await weft.request('POST', '/api/v1/agents/public', { token, json });
    expect(status).toBe(422);
    expect(body.detail).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain('canary');
    expect((await enrol(token, 'bad-1')).status).toBe(200);
  });

  test('with an unknown or expired token is refused', async () => {
    const { body } = await mint({ ap_id_pattern: '*', expires_in: 60 });
    const unknown = await enrol(`weft-enrol-${'x'.repeat(43)}`, 'late-1');
    expect([unknown.status, unknown.body.code]).toEqual([401, 'invalid_enrolment_token']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    const late = await enrol(body.token, 'late-1');
    expect([late.status, late.body]).toEqual([401, unknown.body]);
    const { body: list } = await weft.request('GET', tokens, { token: admin });
    expect(list.map(({ id }: { id: string }) => id)).not.toContain(body.id);
  });

  test('gets nothing else with its enrolment token', async () => {
    const token = await mintFor('*', 100);
    const requests: [string, string][] = [
      ['POST', '/api/v1/agents/'],
      ['GET', '/api/v1/agents/site-1-ap'],
      ['GET', '/api/v1/users/me'],
      ['POST', '/api/v1/users/public'],
      ['POST', tokens],
      ['GET', tokens],
    ];
    for (const [method, path] of requests) expect((await weft.request(method, path, { token })).status).toBe(401);
  });
});

eachDatabase((kind) => {
  test('of many access points that use one token at the same time, as many register as it allows', async () => {
    const namespace = await kind.createNamespace();
    const shared = { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') };
    const nodes =
      kind.dialect === 'postgres' ? [await startWeft(shared), await startWeft(shared)] : [await startWeft()];
    const token = await nodes[0]!.admin();
    const json = { ap_id_pattern: 'ap-*', max_uses: 3 };
    const { body } = await nodes[0]!.request('POST', tokens, { token, json });
    const names = Array.from({ length: 12 }, (_, n) => `ap-${n}`);
    const answers = await Promise.all(names.map((name, n) => enrol(body.token, name, nodes[n % nodes.length])));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(9).fill(401)]);
    const seen = await Promise.all(names.map((name) => nodes[0]!.request('GET', `/api/v1/agents/${name}`, { token })));
    expect(seen.map(({ status }) => status === 200)).toEqual(answers.map(({ status }) => status === 200));
    const list = await nodes[0]!.request('GET', tokens, { token });
    expect(list.body).toEqual([expect.objectContaining({ max_uses: 3, uses: 3 })]);
    await Promise.all(nodes.map((node) => node.stop()));
    await namespace.remove();
  });
});

test('only administrators mint, list and revoke', async () => {
  const user = await weft.user('user@weft.test');
  for (const [token, status] of [
    [undefined, 401],
    [user, 403],
  ] as const) {
    expect((await weft.request('POST', tokens, { token, json: { ap_id_pattern: '*' } })).status).toBe(status);
    expect((await weft.request('GET', tokens, { token })).status).toBe(status);
    expect((await weft.request('DELETE', `${tokens}/x`, { token })).status).toBe(status);
  }
});
