// The list of parts of a file of the release (SBOM, CycloneDX 1.5): what is in it, in which version, with hash and licence.
import { createHash } from 'node:crypto';
import type { ReleasedPackage } from './packages.ts';

export interface Release {
  version: string;
  commit: string;
  /** Seconds: the time of everything in it. */
  epoch: number;
}

/** A package of Debian in an image. */
export interface DebianPackage {
  name: string;
  version: string;
  architecture: string;
}

interface Parts {
  packages: readonly ReleasedPackage[];
  debian?: readonly DebianPackage[];
}

export function sbomOf(name: string, { packages, debian = [] }: Parts, { version, commit, epoch }: Release): string {
  const ref = `${name}@${version}`;
  const components = [...packages.map(ofNpm), ...debian.map(ofDebian)];
  const digest = createHash('sha256').update(`${ref} ${commit}`).digest('hex');
  // Random numbers would make two releases of one commit differ; the bits of version and variant are those of a random one.
  const serial = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        'bom-ref': ref,
        type: 'application',
        name,
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        properties: [{ name: 'weft:commit', value: commit }],
      },
    },
    components,
    dependencies: [{ ref, dependsOn: components.map((component) => component['bom-ref']) }],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function ofNpm({ name, version, licence, integrity }: ReleasedPackage) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [group, plain] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    'bom-ref': purl,
    type: 'library',
    ...(group !== undefined && { group }),
    name: plain,
    version,
    purl,
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ license: { id: licence } }],
  };
}

function ofDebian({ name, version, architecture }: DebianPackage) {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { 'bom-ref': purl, type: 'library', name, version, purl };
}

/** From `var/lib/dpkg/status` of a base. */
export function debianPackages(status: string): DebianPackage[] {
  return status
    .split('\n\n')
    .map((entry) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(entry)?.[1] ?? '';
      return { name: field('Package'), version: field('Version'), architecture: field('Architecture') };
    })
    .filter(({ name }) => name !== '')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
