// The image, built with buildah from what is staged: deploy/Dockerfile without its first stage, which would build the same again.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type DebianPackage, debianPackages, type Release } from './sbom.ts';
import { machine, root } from './stage.ts';

export const hasBuildah = spawnSync('buildah', ['--version']).status === 0;

/** Returns the name of the file that it writes into the folder, and what Debian packages the base has. */
export function buildImage(
  staged: string,
  folder: string,
  { version, epoch }: Release,
  base: string,
): { name: string; debian: DebianPackage[] } {
  const context = `${staged}-context`;
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context);
  renameSync(staged, join(context, 'staged'));
  const tag = `localhost/weft:${version}`;
  const layers = [`--build-arg=BASE=${base}`, `--build-context=staged=${context}`, `--timestamp=${epoch}`];
  try {
    // In Docker's form: that of OCI has no health check. Podman, Docker and Kubernetes read both.
    buildah(
      'bud',
      '--quiet',
      '--format=docker',
      ...layers,
      '-f',
      join(root, 'deploy', 'Dockerfile'),
      '-t',
      tag,
      context,
    );
    const name = `weft-image-${version}-${machine}.tar.gz`;
    const plain = join(folder, 'image.tar');
    buildah('push', '--quiet', tag, `docker-archive:${plain}:weft:${version}`);
    writeFileSync(join(folder, name), gzipSync(readFileSync(plain), { level: 9 }));
    rmSync(plain);
    return { name, debian: debianIn(tag) };
  } finally {
    renameSync(join(context, 'staged'), staged);
    rmSync(context, { recursive: true, force: true });
  }
}

function debianIn(image: string): DebianPackage[] {
  const container = buildah('from', image);
  try {
    const status = join(buildah('mount', container), 'var', 'lib', 'dpkg', 'status');
    return debianPackages(readFileSync(status, 'utf8'));
  } finally {
    buildah('rm', container);
  }
}

function buildah(...args: string[]): string {
  const env = { BUILDAH_ISOLATION: 'chroot', ...process.env };
  const { status, stdout, stderr } = spawnSync('buildah', args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`buildah ${args[0]}: ${stderr}`);
  return stdout.trim();
}
