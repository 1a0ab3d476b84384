import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serverAddresses } from './server-addresses.ts';

test('each server gets the login, the path and the query', () => {
  expect(serverAddresses('postgres://weft:p,w@db-1:5432,[::1]:5433,db-3/weft?sslmode=verify-full')).toEqual([
    'postgres://weft:p,w@db-1:5432/weft?sslmode=verify-full',
    'postgres://weft:p,w@[::1]:5433/weft?sslmode=verify-full',
    'postgres://weft:p,w@db-3/weft?sslmode=verify-full',
  ]);
});

test('a URL of one server, and what is none, stays as it is', () => {
  for (const url of ['postgres:///weft?host=/run/pg', 'amqp://a', 'postgres://u:p@h:1/a,b?x=1,2#c,d', 'no url', '']) {
    expect(serverAddresses(url)).toEqual([url]);
  }
});

test('there are as many as hosts, and joined they are the URL again', () => {
  const part = (characters: string) => fc.string({ unit: fc.constantFrom(...characters) });
  fc.assert(
    fc.property(fc.array(part('a.1:[]'), { minLength: 1 }), part('a:,%'), part('/?#a,@'), (hosts, login, end) => {
      const rest = end === '' ? '' : `/${end}`;
      const url = `amqp://${login}@${hosts.join()}${rest}`;
      expect(serverAddresses(url)).toEqual(hosts.map((host) => `amqp://${login}@${host}${rest}`));
    }),
  );
});
