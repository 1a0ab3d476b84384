// Where webhooks may go: names and networks, each with a port or for every port.
import { describe, expect, test } from 'vitest';
import { PushAllowList, PushRefused } from '../../commands/delivery/push/push-address.ts';
import { webhookDestination } from '../../setting-values.ts';
import { WebhookClient } from './webhook-client.ts';

const clientOf = (...entries: string[]) =>
  new WebhookClient({ allow: new PushAllowList(entries.map(webhookDestination)) });

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
  const check = (client: WebhookClient, url: string) => {
    try {
      client.check(url);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(PushRefused);
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

  test('that is a name is not followed to a local or private address, unless a network allows it', async () => {
    const resolve = async () => ['127.0.0.1'];
    const signal = new AbortController().signal;
    const allow = new PushAllowList([webhookDestination('hooks.example.org')]);
    const answer = await new WebhookClient({ allow, resolve }).post('http://hooks.example.org:9/', '{}', {}, signal);
    expect(answer).toMatchObject({ status: null, error: expect.stringContaining('is not allowed') });
  });
});
