// Builds the guest of the lab once: a kernel of Debian with mac80211_hwsim, and a first file system with hostapd,
// wpa_supplicant, iw, iproute2, busybox, curl and jq. Nothing is installed on this machine: packages are downloaded and
// unpacked into a cache. QEMU comes the same way. Everything is of this machine's architecture.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

export interface GuestImage {
  folder: string;
  /** As Debian calls it. */
  architecture: 'amd64' | 'arm64';
}

/** This machine cannot build or run the guest; the message says why. */
export class CannotRun extends Error {
  override name = 'CannotRun';
}

const packages = [
  ...['hostapd', 'wpasupplicant', 'iw', 'wireless-regdb', 'iproute2', 'busybox-static', 'dash'],
  ...['curl', 'jq', 'libmptcpwrap0', 'libstdc++6', 'e2fsprogs'],
];
const programs = [
  ...['bin/dash', 'usr/sbin/hostapd', 'usr/sbin/hostapd_cli', 'sbin/wpa_supplicant', 'sbin/wpa_cli', 'sbin/iw'],
  ...['bin/ip', 'sbin/tc', 'bin/ss', 'usr/bin/curl', 'usr/bin/jq', 'sbin/mke2fs'],
];
/** Loaded by name at run time, or needed by Node, which comes from the host. */
const libraries = ['libstdc++.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'libgcc_s.so.1', 'libatomic.so.1'];
const modules = [
  ...['virtio_pci', 'virtio_net', '9p', '9pnet_virtio', 'mac80211_hwsim', 'ccm', 'ctr', 'cmac', 'gcm'],
  ...['ghash-generic', 'bridge', 'veth', 'sch_tbf', 'sch_netem', 'mptcp_diag', 'tcp_diag'],
  ...['virtio_blk', 'ext4', 'crc32c_generic'],
];
const folders = ['bin', 'lib64', 'lib/firmware', 'proc', 'sys', 'dev', 'tmp', 'run', 'etc', 'mnt', 'opt/node', 'root'];

/** Of the cache if it has one. Throws CannotRun. */
export function ensureGuestImage(cache: string, say: (text: string) => void): GuestImage {
  const architecture = architectureOfHost();
  const recipe = [import.meta.filename, join(import.meta.dirname, 'guest', 'init')].map((file) => readFileSync(file));
  const version = createHash('sha256').update(Buffer.concat(recipe)).digest('hex').slice(0, 12);
  const folder = join(cache, `${architecture}-${version}`);
  if (existsSync(join(folder, 'initrd'))) return { folder, architecture };
  say('Building the guest of the lab (once, about a minute, 150 MB of Debian packages) ...');
  mkdirSync(cache, { recursive: true });
  const building = `${folder}.new`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building);
  build(building, architecture);
  for (const name of readdirSync(cache)) {
    // Guests of older recipes.
    if (name.startsWith(architecture) && name !== basename(building)) {
      rmSync(join(cache, name), { recursive: true, force: true });
    }
  }
  renameSync(building, folder);
  return { folder, architecture };
}

function architectureOfHost(): GuestImage['architecture'] {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) {
    throw new CannotRun('the guest is built from Debian packages, and this is not Debian');
  }
  if (process.arch === 'x64') return 'amd64';
  if (process.arch === 'arm64') return 'arm64';
  throw new CannotRun(`there is no guest for ${process.arch}`);
}

function build(folder: string, architecture: GuestImage['architecture']): void {
  download(folder, 'qemu', [architecture === 'amd64' ? 'qemu-system-x86' : 'qemu-system-arm']);
  download(folder, 'guest', packages);
  const depends = run('apt-cache', ['depends', `linux-image-${architecture}`]);
  const kernelPackage = /Depends: (linux-image-\d\S+)/.exec(depends)?.[1];
  if (kernelPackage === undefined) throw new CannotRun('Debian’s kernel was not found');
  download(folder, 'kernel', [kernelPackage], true);
  // The C library of the host runs QEMU: another one beside it would not fit to its loader.
  unpack(folder, 'qemu', (file) => !file.startsWith('libc6_'));
  unpack(folder, 'guest');
  unpack(folder, 'kernel');
  const root = join(folder, 'root');
  layOut(folder, root);
  const version = addModules(folder, root);
  pack(folder, root);
  copyKernel(folder, version, architecture);
  for (const name of ['guest', 'kernel-package', 'root', 'debs']) rmSync(join(folder, name), { recursive: true });
}

/** With all that they depend on, as if nothing were installed here; the kernel without. */
function download(folder: string, group: string, names: readonly string[], isAlone = false): void {
  const target = join(folder, 'debs', group);
  mkdirSync(join(target, 'partial'), { recursive: true });
  writeFileSync(join(folder, 'nothing-installed'), '');
  const options = [
    ...['-qq', '-y', '--no-install-recommends', '-o', 'APT::Sandbox::User=root', '-o', 'Debug::NoLocking=1'],
    ...['-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache='],
    ...['-o', `Dir::State::status=${folder}/nothing-installed`, '-o', `Dir::Cache::archives=${target}`],
  ];
  const action = isAlone ? ['download', ...names] : ['-d', 'install', ...names];
  const get = () => spawnSync('apt-get', [...options, ...action], { cwd: target, encoding: 'utf8' });
  let result = get();
  // A new machine has no package lists, an old one has outdated lists.
  if (result.status !== 0 && spawnSync('apt-get', ['-qq', 'update']).status === 0) result = get();
  if (result.status !== 0) {
    throw new CannotRun(`apt-get cannot download ${names[0]}: ${result.stderr.trim().split('\n').at(-1)}`);
  }
}

function unpack(folder: string, group: string, isWanted: (file: string) => boolean = () => true): void {
  const target = join(folder, group === 'kernel' ? 'kernel-package' : group);
  mkdirSync(target);
  const debs = join(folder, 'debs', group);
  for (const file of readdirSync(debs)) {
    if (file.endsWith('.deb') && isWanted(file)) run('dpkg', ['-x', join(debs, file), target]);
  }
}

function layOut(folder: string, root: string): void {
  const guest = join(folder, 'guest');
  for (const path of folders) mkdirSync(join(root, path), { recursive: true });
  mkdirSync(join(root, 'var/lib'), { recursive: true });
  symlinkSync('../run', join(root, 'var/run'));
  symlinkSync('bin', join(root, 'sbin'));
  // All of /usr is in the root, but what is installed there by hand.
  mkdirSync(join(root, 'usr/local/lib'), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib']) symlinkSync(`../${name}`, join(root, 'usr', name));
  copyFileSync(join(guest, 'bin/busybox'), join(root, 'bin/busybox'));
  const applets = run(join(guest, 'bin/busybox'), ['--list']).trim().split('\n');
  for (const applet of applets) if (applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet));
  const libraryFolder = basename(globSync(join(guest, 'usr/lib/*-linux-gnu'))[0]!);
  mkdirSync(join(root, 'lib', libraryFolder), { recursive: true });
  const copier = new LibraryCopier(guest, join(root, 'lib', libraryFolder), libraryFolder);
  for (const program of programs) {
    const target = join(root, 'bin', basename(program));
    rmSync(target, { force: true });
    copyFileSync(join(guest, program), target);
    copier.addThoseOf(target);
  }
  for (const name of [...libraries, 'libmptcpwrap.so.0']) copier.add(name);
  // dash, because the shell of busybox prefers its own `ip` to that of iproute2.
  rmSync(join(root, 'bin/sh'));
  symlinkSync('dash', join(root, 'bin/sh'));
  const loader = basename(globSync(join(root, 'lib', libraryFolder, 'ld-linux*'))[0]!);
  symlinkSync(`../lib/${libraryFolder}/${loader}`, join(root, 'lib64', loader));
  symlinkSync(`${libraryFolder}/${loader}`, join(root, 'lib', loader));
  // Without the rules of the country there is no 5 GHz.
  for (const name of ['regulatory.db', 'regulatory.db.p7s']) {
    copyFileSync(join(guest, 'lib/firmware', `${name}-debian`), join(root, 'lib/firmware', name));
  }
  copyFileSync(join(import.meta.dirname, 'guest/init'), join(root, 'init'));
  chmodSync(join(root, 'init'), 0o755);
}

/** Finds libraries by the names that stand in a program, which works without running its loader. */
class LibraryCopier {
  readonly #guest: string;
  readonly #target: string;
  readonly #name: string;

  constructor(guest: string, target: string, name: string) {
    this.#guest = guest;
    this.#target = target;
    this.#name = name;
  }

  addThoseOf(file: string): void {
    const text = readFileSync(file, 'latin1');
    for (const [name] of text.matchAll(/(?:lib[\w+.-]+?|ld-linux[\w-]*)\.so(?:\.\d+)*/g)) this.add(name);
  }

  add(name: string): void {
    const target = join(this.#target, name);
    if (existsSync(target)) return;
    const places = [`lib/${this.#name}`, `usr/lib/${this.#name}`, `usr/lib/${this.#name}/mptcpize`];
    const source = places
      .map((place) => join(this.#guest, place, name))
      .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    if (source === undefined) return;
    copyFileSync(source, target);
    this.addThoseOf(target);
  }
}

function addModules(folder: string, root: string): string {
  const [version = ''] = readdirSync(join(folder, 'kernel-package/lib/modules'));
  const from = join(folder, 'kernel-package/lib/modules', version);
  const to = join(root, 'lib/modules', version);
  mkdirSync(to, { recursive: true });
  const nameOf = (file: string) => basename(file).replace(/\.ko$/, '').replaceAll('-', '_');
  const known = new Map(globSync(join(from, '**/*.ko')).map((file) => [nameOf(file), file]));
  const add = (name: string) => {
    const file = known.get(name.replaceAll('-', '_'));
    // Built into the kernel, or there already.
    if (file === undefined || existsSync(join(to, basename(file)))) return;
    copyFileSync(file, join(to, basename(file)));
    const depends = /\0depends=([^\0]*)/.exec(readFileSync(file, 'latin1'))?.[1] ?? '';
    for (const other of depends.split(',')) if (other !== '') add(other);
  };
  for (const name of modules) add(name);
  for (const file of globSync(join(from, 'modules.{order,builtin*}'))) copyFileSync(file, join(to, basename(file)));
  run(join(root, 'bin/busybox'), ['depmod', '-b', root, version]);
  return version;
}

/** Not compressed: to unpack it takes long where the processor is emulated. */
function pack(folder: string, root: string): void {
  const busybox = join(root, 'bin/busybox');
  const script = 'find . | "$0" cpio -o -H newc > "$1" 2>/dev/null';
  execFileSync('/bin/sh', ['-c', script, busybox, join(folder, 'initrd')], { cwd: root });
}

/** As a plain image, for the same reason. */
function copyKernel(folder: string, version: string, architecture: GuestImage['architecture']): void {
  const target = join(folder, 'kernel');
  copyFileSync(join(folder, 'kernel-package/boot', `vmlinuz-${version}`), target);
  if (architecture !== 'amd64') return;
  const image = readFileSync(target);
  const at = image.indexOf(Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]));
  if (at < 0) return;
  const options = { input: image.subarray(at), maxBuffer: 512 * 1024 * 1024 };
  const { stdout } = spawnSync('xz', ['-dcq', '--single-stream'], options);
  if (stdout?.length > image.length) writeFileSync(target, stdout);
}

function run(command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  if (error) throw new CannotRun(`${command} cannot be run: ${error.message}`);
  if (status !== 0) throw new CannotRun(`${command} ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`);
  return stdout;
}
