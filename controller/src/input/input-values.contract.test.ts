// Values that a body can hold and a store should not: bytes that are no text, numbers that are none, shapes that cost more
// than they say, keys with a meaning elsewhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, adminUsername, password, startWeft, type TestWeft } from '../../../test/weft.ts';

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
