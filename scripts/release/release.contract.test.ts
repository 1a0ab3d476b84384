// What a release says about itself: its parts are those that npm would install for production, all with a licence and a hash.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { debianUnit } from './debian.ts';
import { productionPackages } from './packages.ts';
import { debianPackages, sbomOf } from './sbom.ts';
import { root } from './stage.ts';

const release = { version: '1.2.3', commit: '0123456789abcdef', epoch: 1_700_000_000 };

test('the packages of a release are those that the lock file installs for production here', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const isForHere = ({ os = ['linux'], cpu = [process.arch], libc = ['glibc'] }: Record<string, string[]>) =>
    os.includes('linux') && cpu.includes(process.arch) && libc.includes('glibc');
  const expected = Object.entries<Record<string, string[]>>(packages)
    .filter(([path, locked]) => path.includes('node_modules/') && !locked.link && !locked.dev && isForHere(locked))
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`);
  const found = productionPackages().map(({ name, version }) => `${name}@${version}`);
  expect(found.filter((name) => !expected.includes(name))).toEqual([]);
  expect(expected.filter((name) => !found.includes(name))).toEqual([]);
  expect(productionPackages(['sdk']).map(({ name }) => name)).toEqual(['ws']);
});

test('a list of parts is the same each time, and has licence and hash of each', () => {
  const packages = productionPackages();
  const debian = debianPackages(
    'Package: libc6\nArchitecture: arm64\nVersion: 2.36-9+deb12u1\n\nPackage: adduser\nVersion: 3\n',
  );
  const text = sbomOf('weft.deb', { packages, debian }, release);
  expect(text).toBe(sbomOf('weft.deb', { packages, debian }, release));
  expect(text).not.toBe(sbomOf('weft.deb', { packages, debian }, { ...release, commit: 'other' }));
  const { components, metadata, serialNumber, dependencies } = JSON.parse(text);
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(metadata).toMatchObject({
    timestamp: '2023-11-14T22:13:20.000Z',
    component: { name: 'weft.deb', version: '1.2.3' },
  });
  expect(components).toHaveLength(packages.length + 2);
  expect(new Set(dependencies[0].dependsOn).size).toBe(components.length);
  expect(components.at(-1).purl).toBe('pkg:deb/debian/libc6@2.36-9%2Bdeb12u1?arch=arm64');
  for (const { name, licenses, hashes } of components.slice(0, packages.length)) {
    expect([name, licenses[0].license.id]).toEqual([name, expect.stringMatching(/^(?!unknown)[\w.-]+$/)]);
    expect([name, hashes[0].content]).toEqual([name, expect.stringMatching(/^[0-9a-f]{128}$/)]);
  }
});

test('the unit of the Debian package runs what it has', () => {
  const unit = debianUnit();
  expect(unit).toContain('\nExecStart=/usr/lib/weft/bin/node ');
  expect(unit).not.toContain('/opt/');
  for (const name of ['control', 'conffiles', 'copyright', 'debian.env', 'postinst', 'prerm', 'postrm']) {
    expect(existsSync(join(root, 'deploy', 'debian', name))).toBe(true);
  }
});
