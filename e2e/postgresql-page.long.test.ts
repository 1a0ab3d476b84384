// Two servers of PostgreSQL under Patroni and an etcd, with deploy/cluster/patroni.yml, and every command of docs/postgresql.md
// on them while Weft uses them: a database, a switchover, a base backup, and the way back to a moment before a mistake.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPostgres } from '../test/postgres.ts';
import { endProcess, findFreePort } from '../test/server-process.ts';
import { stepsOf } from './document-pages.ts';
import { adminUsername, eventually, password, root, serve } from './weft-process.ts';

const page = 'docs/postgresql.md';
const isMissing = !['/usr/bin/patroni', '/usr/bin/etcd'].every((path) => existsSync(path)) || !findPostgres();
const isRoot = process.getuid?.() === 0;
const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** What stands for the machines of the page. */
async function machines() {
  const folder = mkdtempSync(join(tmpdir(), 'weft-pg-page-'));
  chmodSync(folder, 0o755);
  const own = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (isRoot) execFileSync('chown', ['postgres:', path]);
    return path;
  };
  const state = own('state');
  for (const name of ['state/archive', 'state/15', 'state2', 'state2/15', 'sock', 'etcd']) own(name);
  const etc = own('etc');
  const certificate = ['-keyout', join(etc, 'server.key'), '-out', join(etc, 'server.crt'), '-subj', '/CN=db'];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', [...kind, ...certificate, '-addext', 'subjectAltName=IP:127.0.0.1'], { stdio: 'ignore' });
  const ports = await Promise.all(Array.from({ length: 7 }, findFreePort));
  const [first, second, restored, api1, api2, client, peer] = ports as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const here = (text: string) =>
    text
      .replaceAll('port=5432,5432', `port=${first},${second}`)
      .replaceAll('10.0.0.11:5432,10.0.0.12:5432', `127.0.0.1:${first},127.0.0.1:${second}`)
      .replaceAll(/10\.0\.0\.1[12]:5432/g, `127.0.0.1:${first}`)
      .replaceAll('10.0.0.11:8008', `127.0.0.1:${api1}`)
      .replace(/hosts: .*/, `hosts: 127.0.0.1:${client}`)
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replaceAll(/10\.0\.0\.1[12]/g, '127.0.0.1')
      .replaceAll('5433', String(restored))
      .replaceAll('/tmp', join(folder, 'sock'))
      .replaceAll('/etc/weft/ca.crt', join(etc, 'server.crt'))
      .replaceAll('/etc/patroni', etc)
      .replaceAll('/usr/lib/postgresql/15/bin', findPostgres()!)
      .replaceAll('/var/lib/postgresql', state);
  const file = here(readFileSync(join(root, 'deploy/cluster/patroni.yml'), 'utf8')).replace(
    'pgpass:',
    `parameters:\n    unix_socket_directories: ${join(folder, 'sock')}\n  pgpass:`,
  );
  writeFileSync(join(etc, 'config.yml'), file);
  writeFileSync(
    join(etc, 'second.yml'),
    file
      .replace('name: db-1', 'name: db-2')
      .replaceAll(`127.0.0.1:${first}`, `127.0.0.1:${second}`)
      .replaceAll(`127.0.0.1:${api1}`, `127.0.0.1:${api2}`)
      .replaceAll(`${state}/15`, join(folder, 'state2/15'))
      .replaceAll(`${state}/.pgpass`, join(folder, 'state2/.pgpass')),
  );
  if (isRoot) execFileSync('chown', ['-R', 'postgres:', etc]);
  execFileSync('chmod', ['755', etc]);
  const bin = own('bin');
  const sudo = isRoot ? 'shift 2; exec runuser -u postgres -- "$@"' : 'shift 2; exec "$@"';
  writeFileSync(join(bin, 'sudo'), `#!/bin/sh\ncd /\n${sudo}\n`, { mode: 0o755 });
  execFileSync('chmod', ['755', bin]);

  const children: ChildProcess[] = [];
  const run = (program: string, ...args: string[]) => {
    const user = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: state, ETCD_UNSUPPORTED_ARCH: process.arch };
    const child = spawn(program, args, { ...user, cwd: folder, env, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  onTestFinished(async () => {
    for (const child of children.toReversed()) await endProcess(child, 'SIGKILL');
    for (const data of ['state/15/weft', 'state2/15/weft', 'state/restored']) {
      const pid = join(folder, data, 'postmaster.pid');
      if (!existsSync(pid)) continue;
      const number = Number.parseInt(readFileSync(pid, 'utf8'), 10);
      try {
        process.kill(number, 'SIGQUIT');
        while (process.kill(number, 0)) await new Promise((next) => setTimeout(next, 50));
      } catch {
        // It has ended.
      }
    }
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);
  const address = (port: number) => `http://127.0.0.1:${port}`;
  run(
    '/usr/bin/etcd',
    ...['--data-dir', join(folder, 'etcd', 'data'), '--name', 'one', '--initial-cluster', `one=${address(peer)}`],
    ...['--listen-client-urls', address(client), '--advertise-client-urls', address(client)],
    ...['--listen-peer-urls', address(peer), '--initial-advertise-peer-urls', address(peer)],
  );
  const isAt = (port: number, path: string) => async () =>
    (await fetch(address(port) + path).catch(() => undefined))?.status ?? 0;
  run('/usr/bin/patroni', join(etc, 'config.yml'));
  await eventually(isAt(api1, '/leader'), (status) => status === 200);
  run('/usr/bin/patroni', join(etc, 'second.yml'));
  await eventually(isAt(api2, '/sync'), (status) => status === 200);
  const untilStandby = () => eventually(isAt(api1, '/sync'), (status) => status === 200);
  return { here, bin, folder, untilStandby };
}

test.skipIf(isMissing)('every command of docs/postgresql.md', { timeout: 900_000 }, async () => {
  const { here, bin, folder, untilStandby } = await machines();
  const [names, ...blocks] = stepsOf(page).map(({ content }) => here(content));
  const named = (part: string) => {
    const found = blocks.filter((text) => text.includes(part));
    expect([part, found.length]).toEqual([part, 1]);
    return found[0]!;
  };
  const done = new Set<string>();
  const run = (part: string, env: Record<string, string> = {}) => {
    const block = named(part);
    done.add(block);
    const { status, stdout, stderr } = spawnSync('bash', ['-eu', '-o', 'pipefail', '-c', `${names}\n${block}`], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', PATH: `${bin}:${findPostgres()}:${process.env.PATH}`, ...env },
    });
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    return stdout;
  };

  expect(run('CREATE ROLE weft')).toMatch(/db-1.*(Leader|Master)/);
  const setting = /WEFT_DATABASE_URL=(\S+)/.exec(here(readFileSync(join(root, page), 'utf8')))?.[1] ?? '';
  const env = {
    WEFT_DATABASE_URL: setting,
    WEFT_TELEMETRY_URL: setting,
    WEFT_SECRET: '8kX1vT0cQnE4bYw7ZpLr2sUd9fGhJmKo3iAa5eNqRtVx',
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
  };
  let weft = await serve({ env });
  await weft.untilStarted();
  const token = async () => (await weft.login(adminUsername, password)).body.access_token as string;
  const create = async (username: string) => {
    const json = { username, password, roles: ['user'] };
    return (await weft.request('POST', '/api/v1/users/', { token: await token(), json })).status;
  };
  expect(await create('before@example.org')).toBe(200);

  run('switchover weft');
  await untilStandby();
  await eventually(
    () => create('switched@example.org'),
    (status) => status === 200,
  );
  run('pg_basebackup');
  expect(await create('after-base@example.org')).toBe(200);
  const until = await eventually(
    async () => (await weft.request('GET', '/api/v1/audit?limit=1', { token: await token() })).body,
    (body) => JSON.stringify(body).includes('after-base@example.org'),
  );
  expect(until).toBeDefined();
  // The clock of the server, between the last good change and the mistake.
  const moment = spawnSync('bash', ['-c', `${names}\npsql "$LEADER dbname=postgres" -Atc 'SELECT clock_timestamp()'`], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${findPostgres()}:${process.env.PATH}` },
  }).stdout.trim();
  for (const username of ['before@example.org', 'after-base@example.org']) {
    const { status } = await weft.request('DELETE', `/api/v1/users/${username}`, { token: await token() });
    expect(status).toBe(200);
  }
  expect(run('recovery_target_time', { UNTIL: moment })).toMatch(/count *\n-+\n +4\n/);
  await weft.end();
  run('pg_restore');
  expect(blocks.filter((block) => !done.has(block))).toEqual([]);

  weft = await serve({ env });
  await weft.untilStarted();
  for (const username of ['before@example.org', 'switched@example.org', 'after-base@example.org']) {
    expect([username, (await weft.login(username, password)).status]).toEqual([username, 200]);
  }
  expect(await create('afterwards@example.org')).toBe(200);
  await weft.end();
});
