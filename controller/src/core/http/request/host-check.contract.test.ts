// Under which names a server answers: its own, and addresses; never one that somebody else's DNS could point at it.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { createHostCheck } from './host-check.ts';

let weft: TestWeft;
let named: TestWeft;

beforeAll(async () => {
  weft = await startWeft();
  named = await startWeft({
    WEFT_PUBLIC_URL: 'https://weft.example.org',
    WEFT_ALLOWED_HOSTS: 'controller.lan,Weft-2.lan',
  });
});
afterAll(() => Promise.all([weft.stop(), named.stop()]));

function ask(server: TestWeft, host: string, path = '/healthz', headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    httpRequest(server.url + path, { headers: { ...headers, host } }, async (response) => {
      resolve({ status: response.statusCode, text: (await response.toArray()).join('') });
    })
      .on('error', reject)
      .end();
  });
}

const always = [
  'localhost',
  'localhost:8000',
  'LOCALHOST',
  'a.localhost',
  '127.0.0.1',
  '192.0.2.7:80',
  '[::1]:8000',
  '[::1]',
];
const never = [
  'evil.test',
  'evil.test:8000',
  'localhost.evil.test',
  'evillocalhost',
  '127.0.0.1.evil.test',
  '127.1',
  '0x7f000001',
  '[::1].evil.test',
  '[evil.test]',
  '[::1',
  'evil.test@localhost',
  'localhost:8000:evil.test',
  'localhost, evil.test',
];

describe('the Host of a request', () => {
  it.each(always)('may be %s', async (host) => {
    expect((await ask(weft, host)).status).toBe(200);
    expect((await ask(named, host)).status).toBe(200);
  });

  it.each(never)('may not be %j', async (host) => {
    for (const server of [weft, named]) expect((await ask(server, host)).status).toBe(421);
  });

  it.each(['weft.example.org', 'weft.example.org:443', 'WEFT.example.org', 'controller.lan:8000', 'weft-2.lan'])(
    'may be %s only where the operator said so',
    async (host) => {
      expect((await ask(named, host)).status).toBe(200);
      expect((await ask(weft, host)).status).toBe(421);
    },
  );

  it.each(['example.org', 'a.weft.example.org', 'weft.example.org.evil.test', 'lan'])(
    'may not be %s, which is near to a name of ours',
    async (host) => {
      expect((await ask(named, host)).status).toBe(421);
    },
  );

  it('counts before anything else, on every path, with a sentence that helps', async () => {
    for (const path of ['/', '/docs', '/metrics', '/api/v1/users/me', '/api/v1/token/', '/nothing']) {
      const { status, text } = await ask(weft, 'evil.test', path);
      expect(status, path).toBe(421);
      expect(JSON.parse(text)).toEqual({
        code: 'host_not_allowed',
        detail: expect.stringContaining('WEFT_ALLOWED_HOSTS'),
      });
    }
  });

  it('may be left out, which only HTTP/1.0 does, but not be empty', () => {
    const isOurs = createHostCheck({ host: '127.0.0.1', allowedHosts: [] });
    expect([isOurs(''), isOurs(':8000'), isOurs(undefined)]).toEqual([false, false, true]);
  });

  it('is not what a forwarding header says instead', async () => {
    expect((await ask(weft, 'evil.test', '/healthz', { 'x-forwarded-host': 'localhost' })).status).toBe(421);
    expect((await ask(weft, 'localhost', '/healthz', { 'x-forwarded-host': 'evil.test' })).status).toBe(200);
    expect((await ask(weft, 'localhost', '/', { 'x-forwarded-host': 'evil.test' })).text).not.toContain('evil.test');
  });
});
