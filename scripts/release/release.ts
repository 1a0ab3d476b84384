// Writes the files of a release into `release/`, or the folder that is named: image, Debian package, npm packages, wheel, agents,
// a list of parts of each, checksums, and their signature if a key is given. Equal byte for byte for equal commits.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDebian, hasDpkg } from './debian.ts';
import { buildImage, hasBuildah } from './image.ts';
import { productionPackages } from './packages.ts';
import { type Release, sbomOf } from './sbom.ts';
import { root, stage } from './stage.ts';

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(root, 'release') },
    base: { type: 'string', default: 'docker.io/library/debian:bookworm-slim' },
    key: { type: 'string' },
    'without-image': { type: 'boolean', default: false },
    dirty: { type: 'boolean', default: false },
  },
});
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const folder = resolve(values.to);
const startedAt = Date.now();

if (git('status', '--porcelain') !== '' && !values.dirty) {
  process.stderr.write('There are changes that are in no commit: commit them first, or say --dirty.\n');
  process.exit(1);
}
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'));
const release: Release = {
  version: JSON.parse(readFileSync(join(root, 'controller', 'package.json'), 'utf8')).version,
  commit: git('rev-parse', 'HEAD'),
  epoch,
};
// The same for everything that is started from here.
process.env.SOURCE_DATE_EPOCH = String(epoch);
process.umask(0o022);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'weft-release-'));
try {
  makeAll();
} finally {
  rmSync(work, { recursive: true, force: true });
}

function makeAll(): void {
  const all = productionPackages();
  const ofClient = productionPackages(['cli']);
  const staged = join(work, 'staged');
  stage(staged);
  if (hasDpkg) describe(buildDebian(staged, folder, release), { packages: all });
  else skip('the Debian package', 'dpkg-deb');
  if (values['without-image']) skip('the image', '--without-image left out');
  else if (hasBuildah) {
    const { name, debian } = buildImage(staged, folder, release, values.base);
    describe(name, { packages: all, debian });
  } else skip('the image', 'buildah');
  for (const [flag, workspace] of [
    [[], 'sdk'],
    [['--emulator'], 'emulator'],
  ] as const) {
    const made = join(work, workspace);
    run(process.execPath, [join(root, 'scripts', 'build-sdk.mjs'), ...flag, '--pack', made]);
    describe(take(made), { packages: workspace === 'sdk' ? productionPackages(['sdk']) : [] });
  }
  describe(commandLine(), { packages: ofClient });
  const wheel = pythonWheel();
  if (wheel === undefined) skip('the wheel', 'python3 with pip');
  else describe(wheel, { packages: [] });
  const install = join(root, 'dashboard', 'dist', 'install');
  for (const [name, packages] of [
    ['weft.mjs', ofClient],
    ['weft-agent.sh', []],
  ] as const) {
    cpSync(join(install, name), join(folder, name));
    describe(name, { packages });
  }
  finish();
}

/** The command line as a package of npm: the one file that Weft hands out. */
function commandLine(): string {
  const target = join(work, 'weft');
  mkdirSync(target);
  const { description, license } = JSON.parse(readFileSync(join(root, 'cli', 'package.json'), 'utf8'));
  const described = { name: 'weft', version: release.version, description, license, type: 'module' };
  const own = { ...described, engines: { node: '>=20' }, bin: { weft: 'weft.mjs' }, files: ['weft.mjs'] };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  cpSync(join(root, 'dashboard', 'dist', 'install', 'weft.mjs'), join(target, 'weft.mjs'));
  cpSync(join(root, 'docs', 'command-line.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  run('npm', ['pack', '--ignore-scripts', '--silent'], target);
  return take(target);
}

/** From a copy: building leaves files behind. */
function pythonWheel(): string | undefined {
  const [source, target] = [join(work, 'python'), join(work, 'wheel')];
  cpSync(join(root, 'python'), source, { recursive: true });
  const args = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', target, source];
  const { status, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
  if (status === 0) return take(target);
  process.stderr.write(stderr ?? '');
  return undefined;
}

/** Moves the one package in a folder into the release. */
function take(from: string): string {
  const name = readdirSync(from).find((file) => /\.(tgz|whl)$/.test(file))!;
  cpSync(join(from, name), join(folder, name));
  return name;
}

function describe(name: string, parts: Parameters<typeof sbomOf>[1]): void {
  writeFileSync(join(folder, `${name}.cdx.json`), sbomOf(name, parts, release));
  const megabytes = (statSync(join(folder, name)).size / 1e6).toFixed(1);
  process.stdout.write(`${name}  ${megabytes} MB, ${parts.packages.length + (parts.debian?.length ?? 0)} parts\n`);
}

function skip(what: string, lacking: string): void {
  process.stdout.write(`${what} is not made: ${lacking} ${lacking.startsWith('--') ? 'it' : 'is missing'}\n`);
}

/** Verified with `sha256sum --check`, and `openssl pkeyutl -verify -rawin -pubin -inkey PUBLIC.pem -in SHA256SUMS -sigfile SHA256SUMS.sig`. */
function finish(): void {
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  const sums = readdirSync(folder)
    .sort()
    .map((name) => `${hash(name)}  ${name}\n`)
    .join('');
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
  if (values.key !== undefined) {
    writeFileSync(
      join(folder, 'SHA256SUMS.sig'),
      sign(null, Buffer.from(sums), createPrivateKey(readFileSync(values.key))),
    );
  }
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const signed = values.key === undefined ? 'not signed' : 'signed';
  process.stdout.write(
    `Weft ${release.version} of ${release.commit.slice(0, 12)} in ${basename(folder)}/, ${signed}, in ${seconds} s\n`,
  );
}

function run(command: string, args: string[], cwd = root): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
