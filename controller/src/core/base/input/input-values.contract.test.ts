// Values that a body can hold and a store should not: bytes that are no text, numbers that are none, shapes that cost more
// than they say, keys with a meaning elsewhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let token: string;
let count = 0;

beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
});
afterAll(() => weft.stop());

const problem = (loc: (string | number)[], type: string, msg: string, ctx?: object) => ({
  loc,
  type,
  msg,
  ...(ctx && { ctx }),
});
const notUnicode = (...loc: (string | number)[]) =>
  problem(loc, 'string_unicode', 'Input should be a valid string, unable to parse raw data as a unicode string');
const ownRule = (loc: (string | number)[], error: string) =>
  problem(loc, 'value_error', `Value error, ${error}`, { error });

function postText(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Answer> {
  return weft.request('POST', path, { token, body, headers: { 'content-type': 'application/json' } });
}

/** Creates an agent with this text as its configuration. */
function createAgent(configuration: string, ap_id = `input-${++count}`): Promise<Answer> {
  return postText('/api/v1/agents/', `{"ap_id":"${ap_id}","password":"${password}","configuration":${configuration}}`);
}

const users = '/api/v1/users/';
const agents = '/api/v1/agents/';
const apps = '/api/v1/third_party_apps/';
const login = '/api/v1/token/?login_type=user';

describe('I2: bytes that are no text', () => {
  it.each([
    ['FF FE', [0xff, 0xfe]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half a character', [0xe2, 0x82]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ])('%s inside a body is 400, and nothing is stored', async (_what, bytes) => {
    const ap_id = `bytes-${++count}`;
    const [start, end] = [`{"ap_id":"${ap_id}","password":"${password}","configuration":{"a":"`, '"}}'];
    const answer = await postText(agents, Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]));
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: 'There was an error parsing the body', code: 'unreadable_body' },
    ]);
    expect((await weft.request('GET', agents + ap_id, { token })).status).toBe(404);
  });

  it.each(['utf16le', 'utf8'] as const)(
    'a body with a byte order mark, or two bytes a character, is 400: %s',
    async (encoding) => {
      expect((await postText(users, Buffer.from('\ufeff{"a":1}', encoding))).status).toBe(400);
    },
  );
});

describe('I3: numbers that are none', () => {
  it.each(['NaN', 'Infinity', '-Infinity', '1e999', '-1e999'])('%s is 422', async (number) => {
    const answer = await createAgent(`{"a":${number}}`);
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [problem(['body', 'configuration', 'a'], 'finite_number', 'Input should be a finite number')],
    ]);
  });

  it('-0, 1e308 and 0.1 are numbers', async () => {
    const answer = await createAgent('{"a":-0,"b":1e308,"c":0.1}');
    expect([answer.status, answer.body.configuration]).toEqual([200, { a: 0, b: 1e308, c: 0.1 }]);
  });
});

describe('I4, I5: shapes that cost more than they say', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  it('what is nested 32 deep is stored and comes back', async () => {
    const answer = await createAgent(nested(30), 'deep');
    expect(answer.status).toBe(200);
    expect(JSON.stringify((await weft.request('GET', `${agents}deep`, { token })).body.configuration)).toBe(nested(30));
  });

  it.each([31, 65, 1000, 100_000, 500_000])('%i levels more are 422', async (depth) => {
    const answer = await createAgent(nested(depth));
    const error = 'the body is nested more than 32 levels deep';
    expect([answer.status, answer.body.detail]).toEqual([422, [ownRule(['body'], error)]]);
  });

  it.each([
    ['100,000 keys', `{${Array.from({ length: 100_000 }, (_, index) => `"${index}":1`).join()}}`],
    ['100,000 equal keys', `{${Array(100_000).fill('"a":1').join()}}`],
    ['one long key', `{"${'a'.repeat(1_000_000)}":1}`],
    ['one long value', `{"a":"${'a'.repeat(1_000_000)}"}`],
    ['65 KiB of escapes', `{"a":"${'\\u0001'.repeat(12_000)}"}`],
  ])('%s are 422', async (_what, configuration) => {
    const answer = await createAgent(configuration);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toHaveLength(1);
  });

  it('of very many problems only the first are told', async () => {
    const json = { username: 'a@b.co', password, roles: Array(50_000).fill('root') };
    const answer = await weft.request('POST', users, { token, json });
    expect(answer.status).toBe(422);
    expect(answer.body.detail.length).toBeLessThanOrEqual(100);
  });
});

describe('I7, I8, I9: keys and numbers that parsers disagree about', () => {
  it('of equal keys the last one counts, everywhere', async () => {
    const answer = await postText(
      agents,
      `{"ap_id":"../x","ap_id":"twice","password":"x","password":"${password}","configuration":1,"configuration":{"a":1,"a":2}}`,
    );
    expect([answer.status, answer.body.ap_id, answer.body.configuration]).toEqual([200, 'twice', { a: 2 }]);
  });

  it('names that mean something to JavaScript are data', async () => {
    const text =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":{"__proto__":[]}}';
    for (const path of [agents, apps]) {
      const name = path === agents ? 'ap_id' : 'app_name';
      const rest =
        path === agents
          ? `"password":"${password}","configuration":${text}`
          : `"api_key":"a longer key","permissions":${text}`;
      const created = await postText(path, `{"${name}":"proto","__proto__":{"${name}":"other"},${rest}}`);
      expect(created.status).toBe(200);
      const stored = (await weft.request('GET', `${path}proto`, { token })).body;
      expect(JSON.stringify(path === agents ? stored.configuration : stored.permissions)).toBe(text);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('a field that is only inherited counts as missing', async () => {
    const answer = await postText(
      users,
      `{"__proto__":{"username":"a@b.co","password":"${password}","roles":["user"]}}`,
    );
    expect([answer.status, answer.body.detail.length]).toEqual([422, 3]);
  });

  it('integers that would be rounded are 422, those that are exact come back', async () => {
    const refused = await createAgent('{"a":[1,12345678901234567890]}');
    const error = 'an integer of this size cannot be kept exactly, write it as a string';
    expect([refused.status, refused.body.detail]).toEqual([422, [ownRule(['body', 'configuration', 'a', 1], error)]]);
    const kept = await createAgent(`{"a":${Number.MAX_SAFE_INTEGER}}`);
    expect(kept.body.configuration).toEqual({ a: Number.MAX_SAFE_INTEGER });
  });
});

describe('I10: characters that no store keeps', () => {
  it.each(['\\u0000', 'a\\u0000b', '\\ud800', '\\udfffx', '\\ud800\\ud800'])(
    '%s is 422 wherever it stands',
    async (text) => {
      const inValue = await createAgent(`{"a":{"b":["${text}"]}}`);
      expect([inValue.status, inValue.body.detail]).toEqual([422, [notUnicode('body', 'configuration', 'a', 'b', 0)]]);
      expect((await createAgent(`{"${text}":1}`)).status).toBe(422);
      const inPassword = await postText(users, `{"username":"a@b.co","password":"12345678${text}","roles":["user"]}`);
      expect(inPassword.status).toBe(422);
    },
  );

  it.each(['username', 'password'])('NUL in the %s of a login is 422', async (field) => {
    const form = { username: adminUsername, password, [field]: 'a\0b' };
    const answer = await weft.request('POST', login, { form });
    expect([answer.status, answer.body.detail]).toEqual([422, [notUnicode('body', field)]]);
  });
});

describe('a value of another JSON type than its place wants', () => {
  const emulators = [
    { access_point_type: 'WiFi', num_access_points: 1, locations: ['Bristol'], num_devices: 1, duration: 60 },
  ];
  const permissions = { agents: ['ap-*'], selector: 'site:uk', read: true, priority: 5, expires_at: '2030-01-01' };
  /** Of every operation of the specification whose body has a shape, one that is right. */
  const bodies: [string, string, unknown][] = [
    ['POST', users, { username: 'x@weft.test', password, roles: ['user'] }],
    ['POST', '/api/v1/users/signup', { username: 'x@weft.test', password }],
    ['PUT', `/api/v1/users/${adminUsername}`, { password, roles: ['admin'] }],
    ['POST', '/api/v1/users/public', { username: 'x@weft.test', password, roles: ['admin'] }],
    ['POST', '/api/v1/agents/public', { ap_id: 'typed-1', password, configuration: { a: 1 } }],
    ['POST', agents, { ap_id: 'typed-1', password, configuration: { a: 1 } }],
    ['PUT', '/api/v1/agents/typed-0', { password, configuration: { a: 1 } }],
    ['POST', apps, { app_name: 'typed', api_key: password, permissions }],
    ['PUT', `${apps}typed`, { api_key: password, permissions }],
    ['POST', '/api/v1/emulator/spinup', { emulators, seed: 1, mix: { web: 1 } }],
    ['POST', '/api/v1/callback/agent_data?job_number=typed', [1]],
    ['POST', '/api/v1/callback/agent_details?job_number=typed', [{}]],
    ['POST', '/api/v1/callback/emulator?job_number=typed', { a: 1 }],
  ];

  function* places(value: unknown, path: string[] = []): Generator<string[]> {
    yield path;
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) yield* places(inner, [...path, key]);
  }

  it('#25: a location that is no text is string_type', async () => {
    const json = { emulators: [{ ...emulators[0], locations: ['Bristol', 5, null] }] };
    const { status, body } = await weft.request('POST', '/api/v1/emulator/spinup', { token, json });
    const at = (index: number) => ['body', 'emulators', 0, 'locations', index];
    const wrong = (index: number) => problem(at(index), 'string_type', 'Input should be a valid string');
    expect([status, body.detail]).toEqual([422, [wrong(1), wrong(2)]]);
  });

  type Json = Record<string, unknown>;

  it.each(bodies)('%s %s names the type, not a rule of our own', async (method, path, right) => {
    const free = ['configuration', 'a'];
    for (const place of places(right)) {
      if (place.join() === free.join() || (path.endsWith('/emulator') && place.length > 0)) continue;
      const there = place.reduce((at, key) => at[key] as Json, right as Json);
      for (const wrong of [5, true, 'x', [], {}].filter((value) => kindOf(value) !== kindOf(there))) {
        // A place may be an object too, and this one is none.
        if (place.includes('locations') && kindOf(wrong) === 'object') continue;
        const json = place.length === 0 ? wrong : structuredClone(right);
        const parent = place.slice(0, -1).reduce((at, key) => at[key] as Json, json as Json);
        if (place.length > 0) parent[place.at(-1)!] = wrong;
        const { status, body } = await weft.request(method, path, { token, json });
        const told = Array.isArray(body.detail) ? body.detail.map(({ type }: { type: string }) => type) : [];
        expect([place, wrong, status, told]).toEqual([
          place,
          wrong,
          status,
          told.filter((t: string) => t !== 'value_error'),
        ]);
      }
    }
  });

  function kindOf(value: unknown): string {
    return Array.isArray(value) ? 'array' : typeof value;
  }
});
