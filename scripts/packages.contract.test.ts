// What Weft ships and what it stands on: the lock file, the licences, and the files in the repository and its packages.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';

const root = resolve(import.meta.dirname, '..');

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  license?: string;
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
const production = installed.filter(([, { dev }]) => !dev);
/** Of tools, for machines that Weft is not developed on; not every registry has them, so their hashes are not known. */
const isElsewhere = ({ dev, optional, os, cpu }: Locked) =>
  dev && optional && !(os?.includes('linux') && (cpu?.includes('x64') || cpu?.includes('arm64')));

describe('L12 the lock file', () => {
  test('has a strong hash of every package and says nowhere where to load it from, also that of ClickHouse', () => {
    expect(installed.length).toBeGreaterThan(50);
    const { packages }: typeof lock = JSON.parse(readFileSync(join(root, 'test/clickhouse/package-lock.json'), 'utf8'));
    const { '': _itself, ...ofClickHouse } = packages;
    expect(Object.keys(ofClickHouse)).toContain('node_modules/@chdb/lib-linux-x64-gnu');
    for (const [path, locked] of [...installed, ...Object.entries(ofClickHouse)]) {
      const { integrity = '', resolved, version } = locked;
      if (integrity !== '' || !isElsewhere(locked)) {
        expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)]);
      }
      expect([path, resolved]).toEqual([path, undefined]);
      expect([path, version]).toEqual([path, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
    }
  });

  test.each(['x64', 'arm64'])('has the native packages for Linux on %s', (cpu) => {
    for (const name of [`node-linux-${cpu}`, `@node-rs/argon2-linux-${cpu}-gnu`]) {
      expect([name, lock.packages[`node_modules/${name}`]?.integrity]).toEqual([name, expect.any(String)]);
    }
  });

  test('has everything that a package in it names, of any platform: npm ci accepts nothing less', () => {
    /** In its own folder, or in that of whatever holds it. */
    const holds = (path: string, name: string): boolean =>
      `${path === '' ? '' : `${path}/`}node_modules/${name}` in lock.packages ||
      (path !== '' &&
        holds(path.includes('/node_modules/') ? path.replace(/\/node_modules\/(@[^/]+\/)?[^/]+$/, '') : '', name));
    const missing = Object.entries(lock.packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !holds(path, name)),
    );
    expect(missing).toEqual([]);
  });

  test('pins exactly what the package files name', () => {
    for (const folder of [
      '.',
      'contract',
      'broker',
      'timeseries',
      'sdk',
      'cli',
      'emulator',
      'controller',
      'dashboard',
    ]) {
      const own = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const named = { ...own.dependencies, ...own.devDependencies, ...own.optionalDependencies };
      for (const [name, version] of Object.entries(named)) {
        expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
      }
    }
  });
});

test('all packages have one version, which the SDK carries in its file name and its document', () => {
  const folders = ['contract', 'broker', 'timeseries', 'sdk', 'cli', 'emulator', 'controller', 'dashboard'];
  const versions = folders.map(
    (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version,
  );
  expect(new Set(versions).size).toBe(1);
  const named = readFileSync(join(root, 'docs', 'sdk.md'), 'utf8').match(/weft-sdk-.*?\.tgz/g) ?? [];
  expect(new Set(named)).toEqual(new Set([`weft-sdk-${versions[0]}.tgz`]));
  // As files and images are named elsewhere.
  const places = ['README.md', 'docs/installation.md', 'python/pyproject.toml', 'deploy/kubernetes/kustomization.yaml'];
  for (const place of [...places, ...['one-machine', 'cluster'].map((name) => `deploy/${name}/compose.yml`)]) {
    expect([place, readFileSync(join(root, place), 'utf8').includes(versions[0])]).toEqual([place, true]);
  }
});

const allowedLicences = ['Apache-2.0', 'MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'MIT-0'];

/** As the lock file says, which leaves out what the registry did not tell; then the package itself. */
function licenceOf(path: string, { license }: Locked): string {
  if (license !== undefined) return license;
  const file = join(root, path, 'package.json');
  const told = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).license : undefined;
  return typeof told === 'string' ? told : (told?.type ?? 'unknown');
}

test('L12 every package that runs in production has a licence that suits Apache-2.0', () => {
  expect(production.length).toBeGreaterThan(20);
  const strange = production
    .map(([path, locked]) => `${path}: ${licenceOf(path, locked)}`)
    .filter((line) => !allowedLicences.some((licence) => line.endsWith(`: ${licence}`)));
  expect(strange).toEqual([]);
});

const forbiddenNames = [
  /(^|\/)\.env(\.|$)/,
  /(^|\/)weft\.env$/,
  /\.(pem|key|p12|pfx|jks|keystore|crt)$/,
  /(^|\/)id_(rsa|ecdsa|ed25519)/,
  /\.(db|sqlite3?)(-wal|-shm|-journal)?$/,
  /^data\//,
  /(^|\/)(outbox|secret|lock)$/,
  /\.eml$/,
  /\.log$/,
  /(^|\/)node_modules\//,
];
const forbidden = (files: string[]) => files.filter((file) => forbiddenNames.some((name) => name.test(file)));
const forbiddenText =
  /-----BEGIN (\w+ )?PRIVATE KEY-----\n[A-Za-z0-9+/=]{32}|\bAKIA[0-9A-Z]{16}\b|\bghp_\w{36}\b|\bnpm_\w{36}\b/;

test('K6 the names of secrets, keys and data are known as such', () => {
  const bad = ['.env', 'a/.env.local', 'tls.key', 'x/cert.pem', 'data/weft.db', 'weft.db-wal', 'data/secret', 'x.eml'];
  expect(forbidden(bad)).toEqual(bad);
  expect(
    forbidden(['controller/src/core/base/secrets.ts', 'controller/src/core/base/settings.ts', 'package-lock.json']),
  ).toEqual([]);
});

test('K6 the repository holds no secrets, keys or data', () => {
  const { status, stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  // Unpacked from an archive there is no list of files to judge.
  if (status !== 0) return;
  const files = stdout.trim().split('\n');
  expect(files).toContain('package.json');
  expect(forbidden(files)).toEqual([]);
  const readable = files.filter((file) => existsSync(join(root, file)));
  expect(readable.filter((file) => forbiddenText.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

// They are made of the files of the repository, which are looked at above.
test.runIf(isLong)('K6 no package, as npm makes it, holds secrets, keys or data', () => {
  const workspaces = ['contract', 'broker', 'timeseries', 'sdk', 'cli', 'emulator', 'controller', 'dashboard'];
  // One process for all of them: each takes a second to begin.
  const args = ['pack', '--workspaces', '--dry-run', '--json', '--ignore-scripts'];
  const { status, stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  expect(status).toBe(0);
  const packs: { name: string; files: { path: string }[] }[] = Object.values(JSON.parse(stdout));
  expect(packs.map(({ name }) => name).sort()).toEqual(workspaces.map((name) => `@weft/${name}`).sort());
  for (const { name, files } of packs) {
    const paths = files.map(({ path }) => path);
    expect([name, paths.some((path) => path.startsWith('src/'))]).toEqual([name, true]);
    expect([name, forbidden(paths)]).toEqual([name, []]);
  }
});

test('the package of the emulator compiles by itself, without the rest of the repository', () => {
  const to = mkdtempSync(join(tmpdir(), 'weft-emulator-package-'));
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'scripts', 'build-sdk.mjs'), '--emulator', '--pack', to],
    { encoding: 'utf8' },
  );
  const made = readdirSync(to);
  rmSync(to, { recursive: true, force: true });
  expect([status, stdout, made]).toEqual([0, '', [expect.stringMatching(/^weft-emulator-.+\.tgz$/)]]);
});
