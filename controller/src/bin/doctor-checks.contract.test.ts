import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../core/base/config.ts';
import { machineChecks, nodeCheck, tlsCheck } from './doctor-command.ts';
import { openFileLimit } from './open-file-limit.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const check = async (name: string, flags: Record<string, string>) => {
  const results = await machineChecks(loadConfig({ flags: { port: '0', ...flags } }));
  return results.find((result) => result.name === name);
};

function pair(name: string): { certFile: string; keyFile: string } {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const subject = ['-subj', '/CN=weft.test', '-days', '30', '-keyout', keyFile, '-out', certFile];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject], { stdio: 'ignore' });
  return { certFile, keyFile };
}

test('Node below 24 is not well', () => {
  expect(nodeCheck('20.20.2')).toMatchObject({ ok: false, advice: expect.stringContaining('24') });
  expect(nodeCheck('24.0.0')).toEqual({ name: 'Node', ok: true, detail: '24.0.0' });
});

test('TLS: a good pair, a mixed pair, an old one, one that ends soon, and no PEM at all', () => {
  const [one, two] = [pair('one'), pair('two')];
  const day = 24 * 60 * 60 * 1000;
  expect(tlsCheck(one)).toMatchObject({ ok: true, detail: expect.stringMatching(/^valid for (29|30) more days$/) });
  expect(tlsCheck(one)).not.toHaveProperty('advice');
  expect(tlsCheck({ ...one, keyFile: two.keyFile })).toMatchObject({
    ok: false,
    detail: expect.stringContaining('does not match'),
  });
  expect(tlsCheck(one, Date.now() + 31 * day)).toMatchObject({ ok: false, detail: expect.stringContaining('expired') });
  expect(tlsCheck(one, Date.now() - day)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('not valid before'),
  });
  expect(tlsCheck(one, Date.now() + 20 * day)).toMatchObject({ ok: true, advice: expect.stringContaining('Renew') });
  expect(tlsCheck({ ...one, certFile: one.keyFile })).toMatchObject({ ok: false });
});

test('a data folder that cannot be written is not well', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  const dataDir = join(folder, 'data');
  expect(await check('data folder', { 'data-dir': join(folder, 'not', 'yet') })).toMatchObject({ ok: true });
  mkdirSync(dataDir);
  expect(await check('data folder', { 'data-dir': dataDir })).toMatchObject({ ok: true });
  expect(await check('data folder', { 'data-dir': file })).toMatchObject({
    ok: false,
    detail: expect.stringContaining(file),
  });
});

test('a port that somebody else holds is not well', async () => {
  const server = createServer((socket) => socket.destroy());
  const port = await listen(server);
  try {
    expect(await check('port', { port: String(port) })).toMatchObject({
      ok: false,
      detail: `127.0.0.1:${port} is in use`,
    });
  } finally {
    server.close();
  }
  expect(await check('port', { port: String(port) })).toMatchObject({ ok: true });
});

test('too few open files for the connections allowed are told, with both remedies', () => {
  const limits = (soft: string) => () =>
    `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}  4096  files\n`;
  expect(openFileLimit(20_000, limits('1024'))).toEqual({
    limit: 1024,
    warning: expect.stringMatching(/ulimit -n 20100.*WEFT_MAX_CONNECTIONS=924$/),
    maxConnections: 924,
  });
  expect(openFileLimit(900, limits('1024')).warning).toBeUndefined();
  expect(openFileLimit(1000, limits('1024'))).toEqual({ limit: 1024, warning: undefined, maxConnections: 924 });
  expect(openFileLimit(20_000, limits('unlimited')).warning).toBeUndefined();
  const unknown = () => {
    throw new Error('no such file');
  };
  expect(openFileLimit(20_000, unknown)).toEqual({ limit: undefined, warning: undefined, maxConnections: 20_000 });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
