// What is typed to register an access point.
import { expect, it } from 'vitest';
import { enrolmentLine, installLine, parsePlace } from './registration.ts';

it.each(['51.4552, -2.5966', '51.4552 −2.5966', ' 51.4552;-2.5966 '])('the place %s is understood', (text) => {
  expect(parsePlace(text)).toEqual({ latitude: 51.4552, longitude: -2.5966 });
});

it.each(['', 'Bristol', '51.4', '91, 0', '1, 2, 3', 'a, b'])('“%s” is no place', (text) => {
  expect(parsePlace(text)).toBeUndefined();
});

it('the enrolment line names this server, the token and a name that fits the pattern', () => {
  const line = enrolmentLine('http://weft.test', { token: 'weft-enrol-x', ap_id_pattern: "ap-o'hall-*" });
  expect(line).toContain('curl -s http://weft.test/api/v1/agents/public');
  expect(line).toContain('Bearer weft-enrol-x');
  expect(line).toContain(`"ap_id":"ap-o'\\''hall-1"`);
});

it('the line for Linux fetches the agent from this server and quotes what a shell would take apart', () => {
  const token = { token: 'weft-enrol-x', ap_id_pattern: "o'hall-*" };
  const line = installLine('http://weft.test', token, { 'weft.mjs': 'abc' });
  expect(line).toContain('curl -fsSL http://weft.test/install/weft.mjs');
  expect(line).toContain('printf %s weft-enrol-x |');
  expect(line).toContain(`--url http://weft.test --ap-id 'o'\\''hall-1'`);
});
