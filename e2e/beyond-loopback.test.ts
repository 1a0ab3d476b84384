// Life beyond one's own machine: TLS, the set-up code, an administrator from the settings, and proxies.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { type ConnectionOptions, connect } from 'node:tls';
import { expect, test } from 'vitest';
import { serve as serveHere } from './weft-here.ts';
import { adminUsername, password, serve, temporaryFolder, type Weft } from './weft-process.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stderr.write('\n*** openssl is missing: TLS IS NOT TESTED. Install the package openssl.\n\n');

const admin = { username: adminUsername, password, roles: ['admin'] };

/** Resolves the cipher suite that was agreed upon. */
function handshake(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test.skipIf(!hasOpenssl)('with a certificate and its key it speaks HTTPS only', async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  expect(spawnSync('openssl', ['req', ...options, ...names, '-keyout', key, '-out', cert]).status).toBe(0);
  const weft = await serve({ folder, env: { WEFT_TLS_CERT: cert, WEFT_TLS_KEY: key } });
  expect(weft.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const answer = Promise.withResolvers<{ status: number | undefined; text: string }>();
  get(`${weft.url}/healthz`, { ca: readFileSync(cert), agent: false }, async (response) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    answer.resolve({ status: response.statusCode, text });
  }).on('error', answer.reject);
  expect(await answer.promise).toEqual({ status: 200, text: '{"status":"ok"}' });
  await expect(fetch(weft.url.replace('https:', 'http:'))).rejects.toThrow();
  const suiteOf = (ciphers: string) => handshake(Number(new URL(weft.url).port), { ciphers, maxVersion: 'TLSv1.2' });
  expect(await suiteOf('ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('ECDHE-ECDSA-AES128-GCM-SHA256');
  await expect(suiteOf('ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA')).rejects.toThrow();
  expect(await weft.end()).toBe(0);
});

test('on all addresses the first administrator needs the code that was printed at start', async () => {
  const weft = await serve({ env: { WEFT_HOST: '0.0.0.0', WEFT_INSECURE_HTTP: 'allow' } });
  const code = /Code +(\S+) \(/.exec(weft.out)?.[1];
  expect(code).toMatch(/^[A-Z0-9-]{8,}$/);
  const create = (query: string) => weft.request('POST', `/api/v1/users/public${query}`, { json: admin });
  expect((await create('')).body.code).toBe('setup_code_required');
  expect((await create('?code=AAAA-BBBB-CCCC')).status).toBe(403);
  expect((await weft.request('GET', '/')).body).not.toContain(code);
  expect((await create(`?code=${code}`)).status).toBe(200);
  expect((await create(`?code=${code}`)).status).toBe(401);
  expect(weft.err).not.toContain(code);
});

test('an administrator from the settings is created once, and later values change nothing', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'password');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  const env = { WEFT_ADMIN_USERNAME: adminUsername, WEFT_ADMIN_PASSWORD_FILE: file };
  const first = await serve({ folder, env });
  expect(first.out).not.toContain('create the administrator');
  expect((await first.login(adminUsername, password)).status).toBe(200);
  expect((await first.request('POST', '/api/v1/users/public', { json: admin })).status).toBe(401);
  await first.end();
  writeFileSync(file, 'another password', { mode: 0o600 });
  const second = await serveHere({ env: { ...env, WEFT_DATA_DIR: join(folder, 'data') } });
  expect((await second.login(adminUsername, password)).status).toBe(200);
  expect((await second.login(adminUsername, 'another password')).status).toBe(401);
});

/** Statuses of wrong logins that each claim to come from an address of its own. */
async function wrongLoginsFromEverywhere(weft: Weft): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 1; n <= 4; n++) {
    const { status } = await weft.request('POST', '/api/v1/token/?login_type=user', {
      form: { username: `u${n}@example.org`, password: 'wrong password' },
      headers: { 'x-forwarded-for': `198.51.100.${n}` },
    });
    statuses.push(status);
  }
  return statuses;
}

test('only a trusted proxy is believed about where a request comes from', async () => {
  const limit = { WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '2' };
  const plain = await serveHere({ env: limit });
  expect(await wrongLoginsFromEverywhere(plain)).toEqual([401, 401, 429, 429]);
  const behind = await serve({ env: { ...limit, WEFT_TRUSTED_PROXIES: '127.0.0.1' } });
  expect(await wrongLoginsFromEverywhere(behind)).toEqual([401, 401, 401, 401]);
  // Whoever comes through the proxy is not on this machine.
  expect(behind.out).toMatch(/Code +\S+/);
  expect((await behind.request('POST', '/api/v1/users/public', { json: admin })).status).toBe(403);
});
