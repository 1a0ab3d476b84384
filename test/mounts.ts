// Small file systems of a test's own: one that is soon full, and one in an image that can be copied as a power cut
// would leave it. Both want root; where mounting is not permitted the tests that need them are skipped, loudly.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const canMount = tryOut(['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs']);
export const canLoop = canMount && spawnSync('mkfs.ext4', ['-V']).status === 0;
if (!canMount || !canLoop) {
  const line = '!'.repeat(100);
  const text = `Mounting ${canMount ? 'images' : 'file systems'} is not permitted here: TESTS OF FULL DISKS AND POWER CUTS ARE SKIPPED.`;
  process.stderr.write(`\n${line}\n${text} Run them as root.\n${line}\n\n`);
}

function tryOut(args: string[]): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'weft-mount-'));
  const isMounted = spawnSync('mount', [...args, folder]).status === 0;
  if (isMounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
}

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}

/** Mounted for the length of the test. Whatever runs in it must be started later, so that it ends first. */
function mounted(folder: string, args: string[]): string {
  mkdirSync(folder, { recursive: true });
  run('mount', ...args, folder);
  onTestFinished(() => {
    // Lazily: a process that was killed a moment ago may still hold a file.
    spawnSync('umount', ['--lazy', folder]);
  });
  return folder;
}

export function smallDisk(folder: string, megabytes: number): string {
  return mounted(folder, ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs']);
}

/** Makes an image with an ext4 in it. */
export function createImage(image: string, megabytes: number): void {
  run('truncate', '-s', `${megabytes}M`, image);
  run('mkfs.ext4', '-q', '-F', image);
}

export function mountImage(image: string, folder: string): string {
  // Else the file system flushes by itself every five seconds, and on a busy machine nothing is left to be lost.
  return mounted(folder, ['-o', 'loop,commit=600', image]);
}

export function copyImage(image: string, copy: string): void {
  run('cp', '--sparse=always', image, copy);
}
