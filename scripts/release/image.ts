// The image, built with buildah from what is staged: deploy/Dockerfile without its first stage, which would build the same again.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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
    const plain = join(context, 'image.tar');
    buildah('push', '--quiet', tag, `docker-archive:${plain}:weft:${version}`);
    writeFileSync(join(folder, name), gzipSync(readFileSync(withoutChance(plain)), { level: 9 }));
    return { name, debian: debianIn(tag) };
  } finally {
    renameSync(join(context, 'staged'), staged);
    rmSync(context, { recursive: true, force: true });
  }
}

/** The same image, without the number of the container in which it was built and what is named after it. */
function withoutChance(archive: string): string {
  const parts = `${archive}.parts`;
  mkdirSync(parts);
  run('tar', ['-xf', archive, '-C', parts]);
  const [manifest] = JSON.parse(readFileSync(join(parts, 'manifest.json'), 'utf8'));
  const {
    container: _,
    container_config: _its,
    ...image
  } = JSON.parse(readFileSync(join(parts, manifest.Config), 'utf8'));
  const text = JSON.stringify({ ...image, config: { ...image.config, Hostname: '' } });
  const name = `${createHash('sha256').update(text).digest('hex')}.json`;
  writeFileSync(join(parts, name), text);
  writeFileSync(join(parts, 'manifest.json'), JSON.stringify([{ ...manifest, Config: name }]));
  const plain = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=a=r'];
  run('tar', [...plain, '-cf', `${archive}.same`, '-C', parts, ...[...manifest.Layers, name, 'manifest.json'].sort()]);
  return `${archive}.same`;
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
  return run('buildah', args);
}

function run(command: string, args: string[]): string {
  const env = { BUILDAH_ISOLATION: 'chroot', ...process.env };
  const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${stderr}`);
  return stdout.trim();
}
