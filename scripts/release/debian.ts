// The Debian package: what is staged, the unit of deploy/one-machine with the places of the package, and what Debian wants to know.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Release } from './sbom.ts';
import { home, machine, root } from './stage.ts';

const architecture = machine === 'x64' ? 'amd64' : machine;
export const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0;

/** Returns the name of the file that it writes into the folder. */
export function buildDebian(staged: string, folder: string, { version, epoch }: Release): string {
  const source = join(root, 'deploy', 'debian');
  const tree = `${staged}-debian`;
  rmSync(tree, { recursive: true, force: true });
  cpSync(join(staged, 'program'), tree, { recursive: true });
  const put = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content, { mode });
    chmodSync(join(tree, path), mode);
  };
  const own = (name: string) => readFileSync(join(source, name), 'utf8');
  const command = `${home}/bin/node --max-semi-space-size=16 ${home}/controller/dist/weft.js`;
  put('usr/bin/weft', `#!/bin/sh\nexec ${command} "$@"\n`, 0o755);
  put('lib/systemd/system/weft.service', debianUnit());
  put('etc/weft/weft.env', own('debian.env'));
  const documents = 'usr/share/doc/weft';
  put(`${documents}/copyright`, own('copyright'));
  put(`${documents}/changelog.gz`, gzipSync(changelog(version, epoch), { level: 9 }));
  const licences = `${documents}/third-party-licences.txt`;
  put(`${licences}.gz`, gzipSync(readFileSync(join(tree, licences)), { level: 9 }));
  rmSync(join(tree, licences));
  put('usr/share/man/man1/weft.1.gz', gzipSync(manPage(version), { level: 9 }));
  put('usr/share/lintian/overrides/weft', own('lintian-overrides'));
  const size = Math.ceil(sizeOf(tree) / 1024);
  const control = own('control')
    .replace('VERSION', version)
    .replace('ARCHITECTURE', architecture)
    .replace('SIZE', `${size}`);
  put('DEBIAN/control', control);
  put('DEBIAN/conffiles', own('conffiles'));
  for (const name of ['postinst', 'prerm', 'postrm']) put(`DEBIAN/${name}`, own(name), 0o755);
  chmodSync(join(tree, 'DEBIAN'), 0o755);
  const name = `weft_${version}_${architecture}.deb`;
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
  // Twice as fast as xz, for a third more.
  const args = ['--root-owner-group', '-Zgzip', '--build', tree, join(folder, name)];
  const { status, stderr } = spawnSync('dpkg-deb', args, { env, encoding: 'utf8' });
  rmSync(tree, { recursive: true, force: true });
  if (status !== 0) throw new Error(`dpkg-deb: ${stderr}`);
  return name;
}

export function debianUnit(): string {
  return readFileSync(join(root, 'deploy', 'one-machine', 'weft.service'), 'utf8')
    .replaceAll('/opt/weft/node_modules/.bin/node', `${home}/bin/node`)
    .replaceAll('/opt/weft', home);
}

/** In Debian's form; what changed is said in words for people elsewhere. */
function changelog(version: string, epoch: number): string {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `weft (${version}) stable; urgency=medium\n\n  * See CHANGELOG in the manual of Weft, at /manual/changelog.html.\n\n -- The makers of Weft <weft@example.org>  ${date}\n`;
}

function manPage(version: string): string {
  return `.TH WEFT 1 "" "weft ${version}"
.SH NAME
weft \\- controller for 5G, WiFi and LiFi access points
.SH SYNOPSIS
.B weft
.I COMMAND
[options]
.SH DESCRIPTION
The server, started by the service of the same name, and the command line for people and access points.
.B weft help
lists the commands, and
.B weft help COMMAND
describes one. The settings of the service are in
.IR /etc/weft/weft.env ,
its data in
.IR /var/lib/weft .
The manual is served at /manual.
`;
}

function sizeOf(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (path) => statSync(join(folder, path)).size,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
