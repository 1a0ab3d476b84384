// What a program calls itself in its requests, in words that people know: `Firefox on Windows`.
import { sessionText } from '../text/session.ts';

// The first that matches: others name themselves after their ancestors too.
const browsers: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Of a program that is no browser: its own words, without what follows them. */
export function clientWords(userAgent: string): string {
  const find = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = userAgent.startsWith('Mozilla/') ? find(browsers) : undefined;
  if (browser === undefined) return userAgent.trim().split(' ')[0] || sessionText.list.unknownClient;
  const system = find(systems);
  return system === undefined ? browser : sessionText.list.on(browser, system);
}
