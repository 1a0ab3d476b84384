// Requests to what is listed and to nothing else: names and networks, each with a port or for every port.
import { describe, expect, test } from 'vitest';
import { webhookDestination } from '../setting-values.ts';
import { RequestRefused } from './allow-list.ts';
import { GuardedHttp, type GuardedHttpOptions } from './guarded-http.ts';

const options = { addressName: 'it', notListed: 'is not allowed', timeoutMs: 10_000 };
const clientOf = (...entries: string[]) => new GuardedHttp({ ...options, allow: entries.map(webhookDestination) });

describe('the setting', () => {
  test.each([
    ['Hooks.example.org', { host: 'hooks.example.org', port: 0 }],
    ['hooks.example.org:8443', { host: 'hooks.example.org', port: 8443 }],
    ['10.1.0.0/16', { host: '10.1.0.0/16', port: 0 }],
    ['10.1.0.0/16:9093', { host: '10.1.0.0/16', port: 9093 }],
    ['127.0.0.1', { host: '127.0.0.1/32', port: 0 }],
    ['127.0.0.1:9093', { host: '127.0.0.1/32', port: 9093 }],
    ['fd00::/8', { host: 'fd00::/8', port: 0 }],
    ['::1', { host: '::1/128', port: 0 }],
    ['[fd00::/8]:9093', { host: 'fd00::/8', port: 9093 }],
  ])('%s', (text, entry) => expect(webhookDestination(text)).toEqual(entry));

  test.each(['*', 'http://x', 'a b', 'x:0', 'x:65536', '10.0.0.0/33', '10.0.0.0/8:x', ''])('%s is refused', (text) => {
    expect(() => webhookDestination(text)).toThrow('must hold names and networks');
  });
});

describe('a destination', () => {
  const check = (client: GuardedHttp, url: string) => {
    try {
      client.check(url);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(RequestRefused);
      return false;
    }
  };

  test('is allowed by its name or network, on the ports of the entry', () => {
    const client = clientOf('hooks.example.org', 'other.example.org:8443');
    expect(check(client, 'https://hooks.example.org/x')).toBe(true);
    expect(check(client, 'http://hooks.example.org:8080/x')).toBe(true);
    expect(check(client, 'https://other.example.org/')).toBe(false);
    expect(check(client, 'https://other.example.org:8443/')).toBe(true);
    expect(check(client, 'https://hooks.example.org.evil.example/')).toBe(false);
    expect(check(client, 'http://127.0.0.1/')).toBe(false);
    expect(check(clientOf('127.0.0.0/8'), 'http://0x7f000001:81/')).toBe(true);
    expect(check(clientOf(), 'https://hooks.example.org/')).toBe(false);
  });

  const request = { body: '{}', headers: {}, signal: new AbortController().signal };
  const open = (more: Partial<GuardedHttpOptions>, ...entries: string[]) =>
    new GuardedHttp({ ...options, allow: entries.map(webhookDestination), ...more });

  test('that is a name is not followed to a local or private address', async () => {
    const resolve = async () => ['127.0.0.1'];
    const refused = open({ resolve }, 'hooks.example.org').post('http://hooks.example.org:9/', request);
    await expect(refused).rejects.toThrow(new RequestRefused('hooks.example.org:9 is not allowed'));
  });

  test('whose name cannot be resolved fails without a word about addresses', async () => {
    const failing = async () => Promise.reject(Object.assign(new Error('of 10.0.0.1'), { code: 'ENOTFOUND' }));
    for (const [resolve, message] of [
      [failing, 'ENOTFOUND'],
      [async () => [], 'the name stands for no address'],
    ] as const) {
      const posted = open({ resolve }, 'hooks.example.org').post('http://hooks.example.org/', request);
      await expect(posted).rejects.toMatchObject({ name: 'OutgoingError', message });
    }
  });

  test('has its name resolved again each time, unless that is kept for a while', async () => {
    for (const [keepNamesMs, times] of [
      [0, 2],
      [60_000, 1],
    ] as const) {
      let asked = 0;
      const resolve = async () => {
        asked++;
        return ['127.0.0.1'];
      };
      const client = open({ resolve, keepNamesMs }, 'hooks.example.org');
      for (let n = 0; n < 2; n++) await expect(client.post('http://hooks.example.org/', request)).rejects.toThrow();
      expect([keepNamesMs, asked]).toEqual([keepNamesMs, times]);
    }
  });

  test('that is given up while its name is being resolved is given up at once', async () => {
    const stopping = new AbortController();
    const client = open({ resolve: () => new Promise(() => {}) }, 'hooks.example.org');
    const posted = client.post('http://hooks.example.org/', { ...request, signal: stopping.signal });
    stopping.abort(new Error('stopping'));
    await expect(posted).rejects.toThrow('stopping');
  });
});
