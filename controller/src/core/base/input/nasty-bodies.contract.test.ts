// The bodies of one MiB that cost the most to refuse or to take: none of them holds the event loop for long. What is held
// against the guarantee (a tenth of a second) is the processor time of its thread, client included, as a multiple of what it takes
// to parse a body of numbers: other processes use this machine too.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const maxBytes = 1024 * 1024;
/** What `JSON.parse` takes for as many bytes. */
const mostTimes = 8;
const mostTries = 10;

let weft: TestWeft;
let token: string;

beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
});
afterAll(() => weft.stop());

const fill = (start: string, piece: string, end: string) =>
  start + piece.repeat(Math.floor((maxBytes - start.length - end.length) / piece.length)) + end;
const configuration = '{"ap_id":"a","password":"12345678","configuration":';
const numbers = fill('[', '1,', '1]');
const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const users = '/api/v1/users/';
const agents = '/api/v1/agents/';
const login = '/api/v1/token/?login_type=user';

it.each<[string, string, string, string]>([
  ['spaces', users, json, fill('{', ' ', '}')],
  ['open brackets', agents, json, fill('', '[', '')],
  ['empty lists', agents, json, fill(`${configuration}{"a":[`, '[],', '[]]}}')],
  ['empty objects', agents, json, fill(`${configuration}{"a":[`, '{},', '{}]}}')],
  ['keys', agents, json, fill(`${configuration}{`, '"a":1,', '"a":1}}')],
  ['numbers', agents, json, fill(`${configuration}{"a":[`, '1,', '1]}}')],
  ['numbers that are not finite', agents, json, fill(`${configuration}{"a":[`, '1e999,', '1]}}')],
  ['NaN', agents, json, fill(`${configuration}{"a":[`, 'NaN,', '1]}}')],
  ['integers that are not exact', agents, json, fill(`${configuration}{"a":[`, '12345678901234567,', '1]}}')],
  ['one number of a million digits', agents, json, fill(`${configuration}{"a":`, '1', '}}')],
  ['one fraction of a million digits', agents, json, fill(`${configuration}{"a":1.`, '1', 'e1000}}')],
  ['lone surrogates', agents, json, fill(`${configuration}{"a":"`, '\\ud800', '"}}')],
  ['strings that cannot be stored', agents, json, fill(`${configuration}{"a":[`, '"\\u0000",', '1]}}')],
  ['backslashes', agents, json, fill(`${configuration}{"a":"`, '\\\\', '"}}')],
  ['a string without an end', agents, json, fill(`${configuration}{"a":"`, 'a', '')],
  ['a list that breaks at its end', agents, json, fill(`${configuration}{"a":[`, '"é",', '}')],
  ['roles', users, json, fill('{"username":"a@b.co","password":"12345678","roles":[', '"a",', '"a"]}')],
  ['an e-mail address of at signs', users, json, fill('{"username":"', '@', '"}')],
  ['an e-mail address of dots', users, json, fill('{"username":"a@', 'a.', '"}')],
  ['an e-mail address in brackets', users, json, fill('{"username":"', '<a@b.co>', '"}')],
  ['an e-mail address of spaces', users, json, fill('{"username":"a', ' ', 'a@b.co"}')],
  ['an e-mail address of accents', users, json, fill('{"username":"e', '\u0301', '@b.co"}')],
  [
    'a long password',
    users,
    json,
    fill('{"username":"a@b.co","password":"', 'é', '","roles":["user"]}').slice(0, maxBytes / 2),
  ],
  [
    'patterns of an app',
    '/api/v1/third_party_apps/',
    json,
    fill('{"app_name":"a","api_key":"k","permissions":{"agents":[', '"*a",', '"*"]}}'),
  ],
  ['a pattern of stars', '/api/v1/enrolment_tokens', json, fill('{"ap_id_pattern":"', '*', '"}')],
  ['form fields', login, form, fill('username=a&password=b', '&a', '')],
  ['escapes in a form', login, form, fill('username=', '%C3%A9', '&password=b')],
  ['plus signs in a form', login, form, fill('username=', '+', '&password=b')],
  ['parts of a form', login, 'multipart/form-data; boundary=x', fill('', '--x\r\n', '--x--')],
  ['almost boundaries', login, 'multipart/form-data; boundary=aaaaaaaab', fill('--aaaaaaaab', '\r\n--aaaaaaaa', '')],
  [
    'a header of a part',
    login,
    'multipart/form-data; boundary=x',
    fill('--x\r\nContent-Disposition:', ';', '\r\n\r\n\r\n--x--'),
  ],
])('a body full of %s', async (_what, path, contentType, text) => {
  const body = Buffer.from(text).subarray(0, maxBytes);
  let best = Number.POSITIVE_INFINITY;
  let plain = Number.POSITIVE_INFINITY;
  for (let count = 0; count < mostTries; count += 1) {
    const start = process.threadCpuUsage();
    JSON.parse(numbers);
    const before = process.threadCpuUsage();
    plain = Math.min(plain, before.user + before.system - start.user - start.system);
    const answer = await weft.request('POST', path, { token, body, headers: { 'content-type': contentType } });
    const { user, system } = process.threadCpuUsage(before);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(JSON.stringify(answer.body).length).toBeLessThan(100_000);
    best = Math.min(best, user + system);
    if (best < (mostTimes / 2) * plain) break;
  }
  expect(best / plain).toBeLessThan(mostTimes);
});
