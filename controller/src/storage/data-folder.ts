// The data folder: created if missing, checked for write access, and locked by one server, because the embedded stores
// keep part of their state in memory.
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../start-error.ts';

/** Throws StartError, in one line, if the folder cannot be created or written. */
export function prepareDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `the data folder ${dataDir} cannot be written (${code}): choose another with WEFT_DATA_DIR, or change its owner`,
    );
  }
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
  const database = new DatabaseSync(join(dataDir, 'lock'));
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
