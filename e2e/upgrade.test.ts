// From versions 0.1.0 and 0.2.0 to this one: their data folders are read, and what they had built is noticed and replaced. A
// newer build beside a running Weft.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type * as BuildState from '../scripts/build-state.mjs';
import { nameOfBuild } from '../test/compile-cache.ts';
import { isLong } from '../test/rounds.ts';
import { hasOtherClock, otherClock } from './other-clock.ts';
import { runHere, serve as serveHere } from './weft-here.ts';
import { eventually, root, serve, temporaryFolder } from './weft-process.ts';

const admin = { username: 'ada@example.org', password: 'correct horse battery' };

function unpack(version: string): string {
  const kept = join(root, 'test', 'kept-data', `${version}.tar.gz`);
  const folder = temporaryFolder();
  expect(spawnSync('tar', ['-xzf', kept, '-C', folder]).status).toBe(0);
  return join(folder, 'data');
}

test('the data of version 0.1.0 is all there: accounts, keys, agents, telemetry, commands, the audit log', async () => {
  const years = '3650';
  const env = {
    WEFT_DATA_DIR: unpack('0.1.0'),
    WEFT_TELEMETRY_RETENTION_DAYS: years,
    WEFT_ROLLUP_RETENTION_DAYS: years,
    WEFT_JOB_RETENTION_HOURS: '8760',
  };
  const weft = await serveHere({ env });
  const token = (await weft.login(admin.username, admin.password)).body.access_token;
  expect((await weft.login('bob@example.org', 'password')).status).toBe(200);
  expect((await weft.login('roof-1', 'roof password', 'agent')).status).toBe(200);
  const app = await weft.login('energy-saver', 'an old key of the app', 'third_party_app');
  expect(app.status).toBe(200);
  const get = async (path: string) => (await weft.request('GET', `/api/v1/${path}`, { token })).body;
  expect(await get('agents/roof-1')).toMatchObject({ ap_id: 'roof-1', configuration: { site: 'Bristol' } });
  expect((await get('third_party_apps/energy-saver')).api_key).toBe('an old key of the app');
  const { points } = await get('metrics/agent_data?agent=roof-1&window=3650d');
  expect(points).toEqual([expect.objectContaining({ power_w: 12.5, note: 'as it was' })]);
  const commands = JSON.stringify(await get('commands'));
  for (const name of ['set_tx_power', 'sleep']) expect(commands).toContain(`"name":"${name}"`);
  const { out } = await runHere(['audit', 'verify'], env);
  expect(out).toContain('intact');
  // And it can be written: the chain of the audit log goes on.
  const json = { username: 'new@example.org', password: 'a new password', roles: ['user'] };
  expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
});

/** Soon after 0.2.0 was killed with jobs in its embedded queue: they would have expired by now. */
const restartedAt = Date.parse('2026-11-17T12:55:00Z');

test.skipIf(!hasOtherClock)(
  'the data of version 0.2.0 is all there, and what waited in its queue or was under way when it was killed gets done',
  async () => {
    const FAKETIME = `-${Math.round((Date.now() - restartedAt) / 1000)}`;
    const env = { WEFT_DATA_DIR: unpack('0.2.0'), ...otherClock({ FAKETIME }) };
    const weft = await serve({ env });
    const token = (await weft.login(admin.username, admin.password)).body.access_token;
    expect((await weft.login('bob@example.org', 'a password of bob')).status).toBe(200);
    expect((await weft.login('roof-1', 'roof password', 'agent')).status).toBe(200);
    expect((await weft.login('energy-saver', 'an old key of the app', 'third_party_app')).status).toBe(200);
    const get = async (path: string) => (await weft.request('GET', `/api/v1/${path}`, { token })).body;
    expect(await get('agents/roof-1')).toMatchObject({ ap_id: 'roof-1', configuration: { site: 'Bristol' } });
    const { body: rows } = await weft.request(
      'GET',
      '/api/v1/metrics/export?agent=roof-1&format=ndjson&start=2026-11-16T12:00:00Z',
      {
        token,
      },
    );
    const samples = String(rows).trim().split('\n');
    expect(samples).toHaveLength(24 * 60 + 1);
    expect(JSON.parse(samples.at(-1)!)).toMatchObject({ power_w: 12.5, latency_ms: 150, note: 'as it was' });
    expect((await get('alarms?agent=roof-1')).items).toMatchObject([{ state: 'firing', rule: 'Slow' }]);
    expect((await get('agents/roof-2/devices')).items).toHaveLength(1);
    expect(JSON.stringify(await get('commands'))).toContain('"name":"set_tx_power"');

    const jobs: { job_number: string; task_type: string; state: string }[] = await eventually(
      () => get('jobs?limit=200'),
      (list) =>
        list.every(
          ({ task_type, state }: Record<string, string>) => state === 'succeeded' || task_type === 'send_command',
        ),
    );
    const kinds = Object.groupBy(jobs, ({ task_type }) => task_type);
    expect([kinds.agent_data?.length, kinds.agent_details?.length, kinds.send_command?.length]).toEqual([120, 31, 1]);
    // Each with everything, once, whatever 0.2.0 had delivered of it.
    for (const { job_number } of kinds.agent_data!.filter((_, n) => n % 12 === 0)) {
      const { messages } = await get(`jobs/${job_number}`);
      const values = messages.flatMap(({ data }: { data: unknown }) => (Array.isArray(data) ? data : []));
      expect(new Set(values.map(({ time, field }: Record<string, string>) => `${time} ${field}`)).size).toBe(
        values.length,
      );
      expect(values).toHaveLength(2 * samples.length + 1);
    }
    expect((await runHere(['audit', 'verify'], env)).out).toContain('intact');
    await weft.end();
  },
);

/**
 * This checkout with Weft built and without the dashboard; the packages are those of this one. Of the dashboard it has the sources of an
 * empty page, and of the SDK those of an empty package: the whole ones were built for these tests by the same program.
 */
async function checkoutWithoutDashboard(): Promise<string> {
  const checkout = join(temporaryFolder(), 'weft');
  const builds = join('controller', 'dist');
  const isLeft = (path: string) =>
    /^(\.git|data|bench\/results|.*\bnode_modules|dashboard\/dist)$/.test(path) ||
    // The builds before this one.
    (dirname(path) === builds && statSync(join(root, path)).isDirectory() && basename(path) !== nameOfBuild());
  cpSync(root, checkout, { recursive: true, filter: (source) => !isLeft(relative(root, source)) });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  writeFileSync(join(checkout, 'dashboard', 'src', 'main.tsx'), "document.title = 'Weft';\n");
  const sdk = join(checkout, 'sdk', 'src');
  rmSync(sdk, { recursive: true });
  mkdirSync(sdk);
  for (const entry of ['index', 'browser', 'testing']) writeFileSync(join(sdk, `${entry}.ts`), 'export {};\n');
  // Weft, which has a part of the SDK in it, counts as built from these.
  const states = pathToFileURL(join(checkout, 'scripts', 'build-state.mjs')).href;
  const { controllerBuild, sourcesStamp, stampFile } = (await import(states)) as typeof BuildState;
  writeFileSync(stampFile(controllerBuild), sourcesStamp(controllerBuild));
  return checkout;
}

test('a start says what is not built or built from other sources; npm run build replaces it beside a Weft that goes on', async () => {
  const checkout = await checkoutWithoutDashboard();
  const launcher = [process.execPath, join(checkout, 'controller', 'dist', 'weft.js')];
  const start = (env = {}) => serve({ launcher, env });
  const build = () => {
    const { status, stderr } = spawnSync('npm', ['run', 'build'], { cwd: checkout, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stderr;
  };
  const missing = await start();
  expect(missing.err).toContain('are not built, and are not served: run npm run build');
  await missing.end();

  const dist = join(checkout, 'dashboard', 'dist');
  mkdirSync(join(dist, 'install'), { recursive: true });
  writeFileSync(join(dist, 'index.html'), '<title>of an older version</title>');
  writeFileSync(join(dist, 'pages.json'), '["/"]');
  writeFileSync(join(dist, 'install', 'weft.mjs'), 'of an older version');
  writeFileSync(join(dist, '.sources'), 'of an older version');
  const source = join(checkout, 'controller', 'src', 'core', 'networks', 'gazetteer.ts');
  const asItWas = readFileSync(source, 'utf8');
  const change = () => writeFileSync(source, `${asItWas}\nexport const changed = true;\n`);
  change();
  const old = await start();
  expect(old.err).toContain('were built from other sources than these: run npm run build');
  expect(old.err).toContain('this Weft was built from other sources than these: run npm run build, then restart');
  expect((await old.request('GET', '/install/weft.mjs')).body).toBe('of an older version');
  await old.end();
  // Each run of the tests in a new clone builds; to do it twice more here is for the long run.
  if (!isLong) return;

  writeFileSync(source, asItWas);
  expect(build()).toContain('Building the dashboard');
  const before = await start({ WEFT_ADMIN_USERNAME: admin.username, WEFT_ADMIN_PASSWORD: admin.password });
  expect(before.err).toBe('');
  expect((await before.request('GET', '/install/weft.mjs')).body).toBe(
    readFileSync(join(dist, 'install', 'weft.mjs'), 'utf8'),
  );
  expect((await before.request('GET', '/', { headers: { accept: 'text/html' } })).body).not.toContain('older version');

  change();
  const said = build();
  expect([said.includes('Building Weft'), said.includes('Building the dashboard')]).toEqual([true, false]);
  const current = await start();
  expect(current.err).toBe('');
  await current.end();

  // Its thread is a file that it has not read yet.
  const token = (await before.login(admin.username, admin.password)).body.access_token;
  const town = {
    access_point_type: 'WiFi',
    num_access_points: 1,
    locations: ['Bristol'],
    num_devices: 1,
    duration: 900,
  };
  const run = await before.request('POST', '/api/v1/emulator/spinup', { token, json: { emulators: [town] } });
  expect(run.status, JSON.stringify(run.body)).toBe(200);
  await expect
    .poll(async () => (await before.request('GET', '/api/v1/metrics/presence', { token })).body.agents)
    .toMatchObject([{ presence: 'online' }]);
});
