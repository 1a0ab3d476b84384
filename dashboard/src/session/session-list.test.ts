import { expect, it } from 'vitest';
import { clientWords } from './session-list.tsx';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14.5; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox on macOS'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari on iOS'],
  [`Mozilla/5.0 (Linux; Android 14) ${webkit} Chrome/140.0 Mobile Safari/537.36`, 'Chrome on Android'],
  ['weft/0.9.0 (linux)', 'weft/0.9.0'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['Mozilla/5.0', 'Mozilla/5.0'],
  ['', 'Unknown program'],
])('%s is %s', (userAgent, words) => {
  expect(clientWords(userAgent)).toBe(words);
});
