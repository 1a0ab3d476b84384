// A newcomer's first minutes: what a start says, what the first page shows, and what a second start still knows.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adminUsername, eventually, password, root, serve, temporaryFolder } from './weft-process.ts';

test('K8 T3 a first start says what to do next, and nobody has an account; a second keeps accounts, tokens and the secret, which only its owner can read', async () => {
  const folder = temporaryFolder();
  const weft = await serve({ folder });
  expect(weft.out).toContain(`Weft is ready: ${weft.url}\n`);
  expect(weft.out).toContain(`Open ${weft.url} and create the administrator`);
  expect(weft.out).toContain(`${weft.url}/docs`);

  const page = await weft.request('GET', '/');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).toContain('href="/docs"');
  const setup = await weft.request('GET', '/setup.json');
  expect(setup.body).toMatchObject({ has_admin: false, code_needed: false });
  expect((await weft.request('GET', '/docs', { headers: { accept: 'text/html' } })).body).toContain(
    'swagger-ui-bundle.js',
  );

  for (const name of ['admin', 'admin@example.com', 'root@localhost']) {
    expect((await weft.login(name, 'admin')).status).toBe(401);
  }
  const json = { username: 'eve@example.org', password };
  expect((await weft.request('POST', '/api/v1/users/signup', { json })).status).toBe(403);
  for (const path of ['/debug', '/debug/pprof', '/__debug', '/admin', '/console', '/.env', '/api/v1/debug', '/test']) {
    expect([path, (await weft.request('GET', path)).status]).toEqual([path, 404]);
  }
  const token = await weft.createAdmin();
  expect(await weft.end()).toBe(0);
  expect(statSync(join(folder, 'data', 'secret')).mode & 0o777).toBe(0o600);

  const second = await serve({ folder });
  expect(second.out).toContain('and sign in');
  expect(second.out).not.toContain('create the administrator');
  const me = await second.request('GET', '/api/v1/users/me', { token });
  expect([me.status, me.body]).toEqual([200, { username: adminUsername, roles: 'admin', scopes: [] }]);
  expect((await second.login(adminUsername, password)).status).toBe(200);
  const another = { username: 'second@example.org', password, roles: ['admin'] };
  expect((await second.request('POST', '/api/v1/users/public', { json: another })).status).toBe(401);
  expect((await second.request('GET', '/setup.json')).body).toMatchObject({ has_admin: true });
});

test('npm start serves, and ends with npm', async () => {
  const folder = installedCopy();
  const weft = await serve({ launcher: ['npm', 'start', '--'], folder });
  expect(weft.err).not.toContain('Installing');
  expect((await weft.request('GET', '/healthz')).status).toBe(200);
  weft.child.kill('SIGTERM');
  const isAnswering = () =>
    fetch(weft.url).then(
      () => true,
      () => false,
    );
  expect(await eventually(isAnswering, (answers) => !answers)).toBe(false);
  expect(weft.err).toContain('weft: stopping');
});

/** The repository elsewhere, with the packages of this one: whatever npm start installs, it does not do it here. */
function installedCopy(): string {
  const folder = temporaryFolder();
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts', 'contract', 'controller']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.') || name === '.bin') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  writeFileSync(join(modules, '.weft-installed'), `${process.platform}-${process.arch} ${lock}\n`);
  return folder;
}
