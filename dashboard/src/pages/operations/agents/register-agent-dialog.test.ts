// What is typed to register an access point.
import { expect, it } from 'vitest';
import { addressesFor, enrolmentLine, installLine, isLoopbackUrl } from './register-agent-dialog.tsx';

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

it('offers what other machines reach first, and knows what they do not', () => {
  const offered = ['https://weft.example.org'];
  expect(addressesFor('http://127.0.0.1:8000', offered)).toEqual([...offered, 'http://127.0.0.1:8000']);
  expect(addressesFor('http://192.0.2.7', offered)).toEqual(['http://192.0.2.7', ...offered]);
  expect(addressesFor('https://weft.example.org', offered)).toEqual(offered);
  const urls = ['http://localhost:1', 'http://[::1]', 'http://127.1.2.3', 'http://127.example.org', 'http://10.0.0.1'];
  expect(urls.map(isLoopbackUrl)).toEqual([true, true, true, false, false]);
});
