// The data folder: created if missing, checked for write access, and locked by one server, because the embedded stores
// keep part of their state in memory.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../errors.ts';

/** Throws StartError, in one line, if the folder cannot be created or written. */
export function prepareDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    // Only the owner may read what Weft has written: an earlier version, a restored copy or a umask may have let others.
    for (const name of readdirSync(dataDir)) if (ownNames.test(name)) makePrivateBelow(join(dataDir, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `the data folder ${dataDir} cannot be written (${code}): choose another with WEFT_DATA_DIR, or change its owner`,
    );
  }
}

/** What Weft keeps in the data folder. A secret that others could read is not corrected but refused: it may be known. */
const ownNames = /^(lock|weft\.db.*|telemetry|outbox|emulator)$/;

function makePrivateBelow(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if ((found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700);
  if (!found.isDirectory()) return;
  for (const name of readdirSync(path)) makePrivateBelow(join(path, name));
}

/** Version 0.2.0 kept its queues in this file. Everything in it is a job's row as well, and is published again from there. */
export function removeOldQueue(dataDir: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataDir, `broker.db${suffix}`), { force: true });
}

/** One by one: Node's `recursive` never returns on file systems that reject new names with ENOENT, such as /proc. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Locks the folder for this process. It is a lock of SQLite, so it is released when the process ends in any way.
 * Throws StartError if another process has it.
 */
export function lockDataFolder(dataDir: string): { release(): void } {
  const file = join(dataDir, 'lock');
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch {
    database.close();
    throw new StartError(
      `the data folder ${dataDir} is in use by another Weft: stop that one, or choose another with WEFT_DATA_DIR`,
    );
  }
  return { release: () => database.close() };
}

export function backupStampOf(dataDir: string): string {
  return join(dataDir, 'last-backup');
}

/** A backup was completed. */
export async function stampBackup(dataDir: string): Promise<void> {
  await writeFile(backupStampOf(dataDir), '');
}
