import { LoginForm } from '@weft/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Problem, UnusableRequestError } from '../errors.ts';
import { checkForm, readForm } from './form-reader.ts';
import { createFormats } from './formats.ts';
import { Validator } from './validator.ts';

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=XX';
const unreadable = new UnusableRequestError(400, 'unreadable_body', 'There was an error parsing the body');
const validator = new Validator(createFormats({ passwordLength: { min: 8, max: 128 } }));

const read = (contentType: string | undefined, body: string) =>
  Object.fromEntries(readForm(contentType, Buffer.from(body)));
const part = (headers: string, content: string) => `--XX\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string) => part(`Content-Disposition: form-data; name="${name}"`, content);

describe('url-encoded', () => {
  it('decodes names and values; the last of equal names counts', () => {
    expect(read(`${URL_ENCODED}; charset=utf-8`, 'username=a%40b.co&pass+word=%C3%A9+%2B&x=1&x=2&raw=é;=')).toEqual({
      username: 'a@b.co',
      'pass word': 'é +',
      x: '2',
      raw: 'é;=',
    });
  });

  it.each([Buffer.from('a=%ff'), Buffer.from([0x61, 0x3d, 0xff])])('refuses bytes that are not UTF-8', (body) => {
    expect(() => readForm(URL_ENCODED, body)).toThrow(unreadable);
  });

  it('refuses more than a hundred fields', () => {
    expect(() => read(URL_ENCODED, 'a=1&'.repeat(100))).not.toThrow();
    expect(() => read(URL_ENCODED, 'a=1&'.repeat(101))).toThrow(unreadable);
  });
});

describe('multipart', () => {
  it('reads fields and leaves files out', () => {
    const file = part('Content-Disposition: form-data; name="f"; filename="x"\r\nContent-Type: a/b', 'password');
    const body = `preamble\r\n${field('username', 'a@b.co')}${file}${field('password', 'é\r\n--X ;')}--XX--\r\nrest`;
    expect(read(MULTIPART, body)).toEqual({ username: 'a@b.co', password: 'é\r\n--X ;' });
  });

  it('understands quoting, and header names in any case', () => {
    const body = `--a;b\r\ncontent-type: text/plain\r\nCONTENT-DISPOSITION: form-data; name="a\\"; b"\r\n\r\n1\r\n--a;b--`;
    expect(read('Multipart/Form-Data; charset=x; Boundary="a;b"', body)).toEqual({ 'a"; b': '1' });
  });

  it('reads what fetch writes', async () => {
    const form = new FormData();
    form.set('username', 'ap-1');
    form.set('password', 'p&=+% "é"');
    const request = new Request('http://x/', { method: 'POST', body: form });
    const contentType = request.headers.get('content-type') ?? '';
    const fields = readForm(contentType, new Uint8Array(await request.arrayBuffer()));
    expect(Object.fromEntries(fields)).toEqual({ username: 'ap-1', password: 'p&=+% "é"' });
  });

  it.each([
    ['no boundary', 'multipart/form-data', '--XX--'],
    ['an endless boundary', `multipart/form-data; boundary=${'x'.repeat(201)}`, '--XX--'],
    ['no delimiter', MULTIPART, 'hello'],
    ['an empty body', MULTIPART, ''],
    ['no end', MULTIPART, field('a', '1')],
    ['no headers', MULTIPART, '--XX\r\n\r\n--XX--'],
    ['no name', MULTIPART, `${part('Content-Disposition: form-data', '1')}--XX--`],
    ['no disposition', MULTIPART, `${part('Content-Type: text/plain', '1')}--XX--`],
    ['text after the boundary', MULTIPART, `${field('a', '1').replace('--XX', '--XXtra')}--XX--`],
    ['too many fields', MULTIPART, `${field('a', '1').repeat(101)}--XX--`],
    ['a long header', MULTIPART, `${field('a'.repeat(9000), '1')}--XX--`],
  ])('%s is refused', (_name, contentType, body) => {
    expect(() => read(contentType, body)).toThrow(unreadable);
  });

  it('refuses a field that is not UTF-8', () => {
    const body = Buffer.from(`${field('a', '\xff')}--XX--`, 'latin1');
    expect(() => readForm(MULTIPART, body)).toThrow(unreadable);
  });
});

it.each(['application/json', 'text/plain', '', undefined])('a body of type %j has no fields', (contentType) => {
  expect(read(contentType, 'username=a&password=b')).toEqual({});
});

it('throws nothing but the one foreseen error', () => {
  const piece = fc.constantFrom(
    '--XX',
    '\r\n',
    '--',
    'Content-Disposition: form-data',
    '; name="a"',
    ': ',
    '%',
    '=',
    'é',
  );
  const body = fc.array(piece, { maxLength: 15 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.constantFrom(URL_ENCODED, MULTIPART), body, (contentType, text) => {
      try {
        read(contentType, text);
      } catch (error) {
        expect(error).toBeInstanceOf(UnusableRequestError);
      }
    }),
  );
});

describe('checkForm', () => {
  const check = (fields: Record<string, string>) => {
    const problems: Problem[] = [];
    const value = checkForm(validator, LoginForm, new Map(Object.entries(fields)), problems);
    return { value, problems };
  };

  it('takes the fields of a login; an empty one is absent', () => {
    expect(check({ grant_type: '', username: 'a', password: ' b ', client_id: '', extra: 'x' })).toEqual({
      value: { username: 'a', password: ' b ', scope: '' },
      problems: [],
    });
  });

  it('takes any grant type with the word in it', () => {
    expect(check({ grant_type: 'xpasswordx', username: 'a', password: 'b' }).problems).toEqual([]);
  });

  it('reports what is missing or wrong under `body`', () => {
    expect(check({ grant_type: 'code', username: '', password: 'x'.repeat(1025) }).problems).toEqual([
      {
        loc: ['body', 'grant_type'],
        msg: "String should match pattern 'password'",
        type: 'string_pattern_mismatch',
        ctx: { pattern: 'password' },
      },
      { loc: ['body', 'username'], msg: 'Field required', type: 'missing' },
      {
        loc: ['body', 'password'],
        msg: 'String should have at most 1024 characters',
        type: 'string_too_long',
        ctx: { max_length: 1024 },
      },
    ]);
  });

  it('finds nothing in a JSON body', () => {
    expect(check({}).problems.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'username'], 'missing'],
      [['body', 'password'], 'missing'],
    ]);
  });
});
