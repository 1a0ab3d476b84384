import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { reachableUrls } from './enrolment-service.ts';

const address = (text: string, internal = false) =>
  ({ address: text, internal, family: text.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;
const interfaces = {
  lo: [address('127.0.0.1', true), address('::1', true)],
  eth0: [address('fe80::1'), address('2001:db8::7'), address('192.0.2.7')],
  wlan0: [address('169.254.3.4'), address('198.51.100.2')],
};
const own = 'http://127.0.0.1:8000';

test.each<[string, string, string | undefined, string[]]>([
  ['a public URL alone', '0.0.0.0', 'https://weft.example.org', ['https://weft.example.org']],
  ['nothing where a public URL is on loopback', '127.0.0.1', 'http://localhost:8000', []],
  ['nothing on loopback', '127.0.0.1', undefined, []],
  ['the one address that it listens on', '192.0.2.7', undefined, ['http://192.0.2.7:8000']],
  ['IPv4 of all interfaces', '0.0.0.0', undefined, ['http://192.0.2.7:8000', 'http://198.51.100.2:8000']],
  [
    'all that are not link-local, IPv4 first',
    '::',
    undefined,
    ['http://192.0.2.7:8000', 'http://198.51.100.2:8000', 'http://[2001:db8::7]:8000'],
  ],
])('offers %s', (_what, host, publicUrl, urls) => {
  expect(reachableUrls({ host, publicUrl }, own, interfaces)).toEqual(urls);
});
