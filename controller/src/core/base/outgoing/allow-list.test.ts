// S1: where pushes and webhooks may go, in all the ways that an address can be written.
import { describe, expect, test } from 'vitest';
import { pushDestination } from '../setting-values.ts';
import { AllowList, isSpecial, parseDestination, RequestRefused } from './allow-list.ts';

const allowing = (...entries: string[]) => new AllowList(entries.map(pushDestination));

describe('S1 api_url', () => {
  test.each([
    ['http://127.0.0.1/', '127.0.0.1', 80],
    ['http://0x7f000001/', '127.0.0.1', 80],
    ['http://2130706433:81/', '127.0.0.1', 81],
    ['http://127.1/', '127.0.0.1', 80],
    ['http://0177.0.0.1/', '127.0.0.1', 80],
    ['http://127.0.0.1./', '127.0.0.1', 80],
    ['http://[::1]:8080/x', '::1', 8080],
    ['http://[::ffff:127.0.0.1]/', '127.0.0.1', 80],
    ['http://[::ffff:a9fe:a9fe]/', '169.254.169.254', 80],
    ['http://[0:0:0:0:0:ffff:7f00:0001]/', '127.0.0.1', 80],
    ['https://AP.Example.org./agents', 'ap.example.org', 443],
    ['https://１２７.0.0.1/', '127.0.0.1', 443],
  ])('%s is %s, port %d', (api_url, host, port) => {
    expect(parseDestination(api_url, 'api_url')).toMatchObject({ host, port });
  });

  test.each([
    'http://a@b/',
    'http://a:c@b/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:70/x',
    'ftp://ap.example.org/',
    'data:text/plain,x',
    'javascript:alert(1)',
    '//ap.example.org/',
    'ap.example.org',
    'http://',
    '',
    7,
    null,
    { toString: () => 'http://ap.example.org' },
    `http://ap.example.org/${'x'.repeat(3000)}`,
  ])('%o is refused', (api_url) => {
    expect(() => parseDestination(api_url, 'api_url')).toThrow(RequestRefused);
  });
});

describe('addresses that are not of the public internet', () => {
  test.each([
    ...[
      '127.0.0.1',
      '127.255.0.9',
      '0.0.0.0',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.100.100.200',
    ],
    ...['169.254.169.254', '168.63.129.16', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:a00:1',
      '::7f00:1',
      '64:ff9b::7f00:1',
      'fe80::1',
      'fd00:ec2::254',
    ],
    ...['fc00::1', 'ff02::1', '2002:7f00:1::', '2001::1', '2001:db8::1', 'not an address', ''],
  ])('%s', (address) => expect(isSpecial(address)).toBe(true));

  test.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('%s is not one', (address) => expect(isSpecial(address)).toBe(false));
});

describe('the list', () => {
  const ap = parseDestination('https://ap.example.org/x', 'api_url');

  test('an empty one permits nothing, and has no name looked up', () => {
    expect([allowing().mayReach(ap), allowing().permits(ap, '8.8.8.8')]).toEqual([false, false]);
  });

  test('a name permits its public addresses on its port', () => {
    const list = allowing('AP.example.org:443');
    expect([list.mayReach(ap), list.isListed(ap), list.permits(ap, '8.8.8.8')]).toEqual([true, true, true]);
    expect(list.permits(ap, '2606:4700::1111')).toBe(true);
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254']) {
      expect(list.permits(ap, address)).toBe(false);
    }
    expect(list.mayReach(parseDestination('https://ap.example.org:8443/', 'api_url'))).toBe(false);
    expect(list.mayReach(parseDestination('http://ap.example.org/', 'api_url'))).toBe(false);
    expect(list.mayReach(parseDestination('https://other.example.org/', 'api_url'))).toBe(false);
    expect(list.mayReach(parseDestination('https://ap.example.org.evil.example/', 'api_url'))).toBe(false);
  });

  test('a network permits its addresses, by whatever name, on its port', () => {
    const list = allowing('10.1.0.0/16:443', 'fd00::/8:443', '[fd00::/8]:8443', '127.0.0.1:9000');
    expect(list.permits(ap, '10.1.2.3')).toBe(true);
    expect(list.permits(ap, '::ffff:10.1.2.3')).toBe(true);
    expect(list.permits(ap, 'fd00::7')).toBe(true);
    expect([list.permits(ap, '10.2.0.1'), list.permits(ap, '8.8.8.8'), list.permits(ap, '127.0.0.1')]).toEqual([
      ...[false, false, false],
    ]);
    const local = parseDestination('http://0x7f000001:9000/', 'api_url');
    expect([list.isListed(local), list.permits(local, local.host)]).toEqual([true, true]);
    expect(list.mayReach(parseDestination('http://127.0.0.1:9001/', 'api_url'))).toBe(false);
  });

  test.each([
    'ap.example.org',
    ':80',
    '10.0.0.0/8',
    '10.0.0.0/33:80',
    'a b:80',
    'x:0',
    'x:65536',
    'x:-1',
    '*:80',
    'http://x:80',
  ])('%s is no entry', (entry) => expect(() => pushDestination(entry)).toThrow('must hold destinations'));
});
