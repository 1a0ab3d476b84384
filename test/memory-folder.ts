// A folder in memory for what the tests of one run write: most of it is flushed again and again, and no test cuts the power. Where there
// is no such memory, or little of it, it is the usual folder for temporary files.
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const variable = 'WEFT_TEST_MEMORY_FOLDER';
const place = '/dev/shm';
const prefix = 'weft-tests-';
const neededBytes = 2 * 1024 ** 3;

/** Once, before the processes of the run start. */
export function openMemoryFolder(): string {
  if (!hasMemory()) return tmpdir();
  removeLeft();
  const folder = join(place, `${prefix}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.env[variable] = folder;
  return folder;
}

export function memoryFolder(): string {
  return process.env[variable] ?? tmpdir();
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize > neededBytes;
  } catch {
    return false;
  }
}

/** By runs that were killed. */
function removeLeft(): void {
  for (const name of readdirSync(place).filter((each) => each.startsWith(prefix))) {
    try {
      process.kill(Number(name.slice(prefix.length)), 0);
    } catch {
      rmSync(join(place, name), { recursive: true, force: true });
    }
  }
}
