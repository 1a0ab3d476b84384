// What the running server makes of input that is wrong, odd or hostile: the reference's own words, every problem at once,
// and nothing stored that was not meant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameRule } from '../../../../../contract/src/core/functions/ap-id.ts';
import { type Answer, adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import type { Route } from '../../http/request/route.ts';
import type { Part } from '../../part.ts';

let weft: TestWeft;
let token: string;

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
const missing = (...loc: string[]) => problem(loc, 'missing', 'Field required');
const badEmail = (reason: string) =>
  problem(['body', 'username'], 'value_error', `value is not a valid email address: ${reason}`, { reason });
const badName = (field: string) => {
  const error = `the name of an access point has ${nameRule}`;
  return problem(['body', field], 'value_error', `Value error, ${error}`, { error });
};
const oneOf = (loc: (string | number)[], expected: string) =>
  problem(loc, 'literal_error', `Input should be ${expected}`, { expected });

function postText(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  contentType = 'application/json',
): Promise<Answer> {
  return weft.request('POST', path, { token, body, headers: { 'content-type': contentType } });
}

const users = '/api/v1/users/';
const agents = '/api/v1/agents/';
const apps = '/api/v1/third_party_apps/';
const login = '/api/v1/token/?login_type=user';

describe('I1: what is wrong is said in the words of the reference', () => {
  it.each<[string, string, unknown, object[]]>([
    ['nothing at all', users, {}, [missing('body', 'username'), missing('body', 'password'), missing('body', 'roles')]],
    [
      'every field wrong, in the order of the model',
      users,
      { roles: 'admin', password: 12345678, username: ['a@b.co'] },
      [
        problem(['body', 'username'], 'string_type', 'Input should be a valid string'),
        problem(['body', 'password'], 'string_type', 'Input should be a valid string'),
        problem(['body', 'roles'], 'list_type', 'Input should be a valid list'),
      ],
    ],
    [
      'bounds',
      users,
      { username: 'a', password: '1234567', roles: [] },
      [
        badEmail('An email address must have an @-sign.'),
        problem(['body', 'password'], 'string_too_short', 'String should have at least 8 characters', {
          min_length: 8,
        }),
        problem(['body', 'roles'], 'too_short', 'List should have at least 1 item after validation, not 0', {
          field_type: 'List',
          min_length: 1,
          actual_length: 0,
        }),
      ],
    ],
    [
      'roles that are none, each by its index',
      users,
      { username: 'a@b.co', password, roles: ['nonadmin', 'user', 'Admin', ' admin', 'аdmin', 'admin,user', 1] },
      [0, 2, 3, 4, 5, 6].map((index) => oneOf(['body', 'roles', index], "'admin' or 'user'")),
    ],
    [
      'null fields',
      agents,
      { ap_id: null, password, configuration: null },
      [
        problem(['body', 'ap_id'], 'string_type', 'Input should be a valid string'),
        problem(['body', 'configuration'], 'dict_type', 'Input should be a valid dictionary'),
      ],
    ],
    [
      'a list for an object',
      agents,
      { ap_id: 'a', password, configuration: [] },
      [problem(['body', 'configuration'], 'dict_type', 'Input should be a valid dictionary')],
    ],
    ['null for a body', users, null, [missing('body')]],
    [
      'a list for a body',
      users,
      [],
      [
        problem(
          ['body'],
          'model_attributes_type',
          'Input should be a valid dictionary or object to extract fields from',
        ),
      ],
    ],
    [
      'too long a password',
      agents,
      { ap_id: 'a', password: 'a'.repeat(129), configuration: {} },
      [
        problem(['body', 'password'], 'string_too_long', 'String should have at most 128 characters', {
          max_length: 128,
        }),
      ],
    ],
    [
      'an empty key',
      apps,
      { app_name: 'a', api_key: '', permissions: {} },
      [problem(['body', 'api_key'], 'string_too_short', 'String should have at least 1 character', { min_length: 1 })],
    ],
    [
      'numbers',
      '/api/v1/enrolment_tokens',
      { ap_id_pattern: '*', expires_in: 0, max_uses: 1.5 },
      [
        problem(['body', 'expires_in'], 'greater_than', 'Input should be greater than 0', { gt: 0 }),
        problem(
          ['body', 'max_uses'],
          'int_from_float',
          'Input should be a valid integer, got a number with a fractional part',
        ),
      ],
    ],
    [
      'numbers in strings',
      '/api/v1/enrolment_tokens',
      { ap_id_pattern: '*', expires_in: '1e3', max_uses: '100001' },
      [
        problem(
          ['body', 'expires_in'],
          'int_parsing',
          'Input should be a valid integer, unable to parse string as an integer',
        ),
        problem(['body', 'max_uses'], 'less_than_equal', 'Input should be less than or equal to 100000', {
          le: 100_000,
        }),
      ],
    ],
  ])('%s', async (_what, path, json, detail) => {
    const answer = await weft.request('POST', path, { token, json });
    expect([answer.status, answer.body]).toEqual([422, { detail, code: 'validation_error' }]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('a text that is not JSON is told with the character where it breaks', async () => {
    const answer = await postText(users, '{"username": }');
    expect(answer.body.detail).toEqual([
      problem(['body', 13], 'json_invalid', 'JSON decode error', { error: 'Expecting value' }),
    ]);
  });

  it('the problems of the form come before those of the query', async () => {
    const answer = await weft.request('POST', '/api/v1/token/?login_type=root', {
      form: { grant_type: 'code', username: '' },
    });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [
        problem(['body', 'grant_type'], 'string_pattern_mismatch', "String should match pattern 'password'", {
          pattern: 'password',
        }),
        missing('body', 'username'),
        missing('body', 'password'),
        oneOf(['query', 'login_type'], "'user', 'agent' or 'third_party_app'"),
      ],
    ]);
  });

  it('no answer repeats what was sent', async () => {
    const secret = 'do-not-echo';
    const answer = await weft.request('POST', users, { token, json: { username: secret, password: [secret] } });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  it('who may not is told so before what is wrong', async () => {
    expect((await weft.request('POST', users, { json: {} })).status).toBe(401);
    expect((await weft.request('PUT', `${users}nobody%40weft.test`, { token, json: { roles: 1 } })).status).toBe(422);
  });
});

describe('I17: a body that is not declared as what it is', () => {
  const json = JSON.stringify({ username: 'plain@weft.test', password, roles: ['user'] });

  it.each([
    ['', 422],
    ['text/plain', 415],
    ['text/json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/octet-stream', 415],
    ['application/xml', 415],
    ['json', 415],
    [';;;', 415],
  ])('JSON as %j is %i, and no user is created', async (contentType, status) => {
    const body = new Blob([json]);
    const headers: Record<string, string> = contentType === '' ? {} : { 'content-type': contentType };
    const answer = await weft.request('POST', users, { token, body, headers });
    expect(answer.status).toBe(status);
    if (status === 422) {
      expect(answer.body.detail[0]).toMatchObject({ loc: ['body'], type: 'model_attributes_type' });
      const error = 'the body has no Content-Type; send it as application/json';
      expect(answer.body.detail[0].ctx).toEqual({ error });
    } else {
      expect(answer.body.code).toBe('unsupported_media_type');
      expect(answer.body.detail).toMatch(/application\/json|Content-Type/);
    }
    expect((await weft.request('GET', `${users}plain%40weft.test`, { token })).status).toBe(404);
  });

  it('every operation with a JSON body answers 415 to text/plain, with a token that may call it', async () => {
    const routes = Object.values<Part>(weft.parts).flatMap(({ routes = [] }) => routes);
    const isOfAdmins = ({ permission: { admin }, url }: Route) => admin === 'yes' || url.includes('/users/');
    const answers: unknown[] = [];
    for (const { method, url, body } of routes.filter((route) => route.body && isOfAdmins(route))) {
      const headers = { 'content-type': 'text/plain' };
      const answer = await weft.request(method, url.replaceAll(/:\w+/g, 'nobody'), { token, headers, body: '{}' });
      if (answer.status !== 415) answers.push([method, url, body && answer.status]);
    }
    expect(answers).toEqual([]);
  });

  it('application/*+json and a charset are JSON', async () => {
    expect((await postText(users, '{}', 'application/vnd.x+json')).body.detail).toHaveLength(3);
    expect((await postText(users, '{}', 'Application/JSON; charset=UTF-8')).body.detail).toHaveLength(3);
  });

  it('the token is given for a multipart form as for a url-encoded one, and not for JSON', async () => {
    const form = new FormData();
    form.set('username', adminUsername);
    form.set('password', password);
    expect((await weft.request('POST', login, { body: form })).status).toBe(200);
    const notForm = 'the body has the Content-Type application/json; send it as application/x-www-form-urlencoded';
    const answer = await weft.request('POST', login, { json: { username: adminUsername, password } });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      ['username', 'password'].map((field) => ({ ...missing('body', field), ctx: { error: notForm } })),
    ]);
  });

  it.each(['json', '', ';;;', 'text/plain'])('an operation without a body does not mind the type %j', async (type) => {
    const answer = await weft.request('DELETE', `${agents}nowhere`, { token, headers: { 'content-type': type } });
    expect(answer.status).toBe(404);
  });
});

describe('I18: names that would be something else elsewhere', () => {
  const refused = ['', '/', 'a/b', '\\', '..', '%2e%2e%2f', 'a\r\nb', 'a\nb', 'a#', 'a*', 'a?', '😀', '-a'];

  it.each([...refused, 'a'.repeat(129), 'a\n'])('%j is no name', async (name) => {
    const agent = await weft.request('POST', agents, { token, json: { ap_id: name, password, configuration: {} } });
    expect([agent.status, agent.body.detail]).toEqual([422, [badName('ap_id')]]);
  });

  it.each([
    'a.b',
    'a..b',
    '.a',
    'a b',
    'é',
    '_a',
    'A+1',
    'a@b.co',
    '00:11:22',
    'a_b-c',
    'a'.repeat(128),
    'public',
    'me',
  ])('%s is one, and found again', async (name) => {
    const json = { ap_id: name, password, configuration: {} };
    expect((await weft.request('POST', agents, { token, json })).status).toBe(200);
    const escaped = encodeURIComponent(name);
    for (const path of [escaped, `${escaped}/`]) {
      expect((await weft.request('GET', agents + path, { token })).body.ap_id).toBe(name);
    }
  });
});

describe('I20: what is given twice', () => {
  it('of two login types the last counts', async () => {
    const form = { username: adminUsername, password };
    const asUser = await weft.request('POST', '/api/v1/token/?login_type=agent&login_type=user', { form });
    const asAgent = await weft.request('POST', '/api/v1/token/?login_type=user&login_type=agent', { form });
    expect([asUser.status, asAgent.status]).toEqual([200, 401]);
  });

  it('of two passwords the last counts', async () => {
    const type = 'application/x-www-form-urlencoded';
    const pair = `username=${encodeURIComponent(adminUsername)}`;
    const good = encodeURIComponent(password);
    expect((await postText(login, `${pair}&password=wrong&password=${good}`, type)).status).toBe(200);
    expect((await postText(login, `${pair}&password=${good}&password=wrong`, type)).status).toBe(401);
  });
});
