// Opens the file of the embedded broker: readable by its owner only, every commit on disk, one process at a time.
import { chmodSync, closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The layout of the tables in `message-file.ts`; a file with a higher number belongs to a later version. */
const LAYOUT = 1;

/** `isNew`: there were no tables in it. Throws if it cannot be opened or somebody else has it open. */
export function openPrivateDatabase(file: string, tables: string): { connection: DatabaseSync; isNew: boolean } {
  createPrivately(file);
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    // The lock is held until the end: a second process would hand out again what the first has in its hands.
    connection.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216;',
    );
    connection.exec('BEGIN IMMEDIATE');
    const layout = Number(connection.prepare('PRAGMA user_version').get()?.user_version);
    if (layout > LAYOUT) throw new Error('it was written by a later version');
    if (layout === 0) connection.exec(`${tables}; PRAGMA user_version = ${LAYOUT};`);
    connection.exec('COMMIT');
    return { connection, isNew: layout === 0 };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** SQLite gives the `-wal` the mode of the main file, so that one is private before anything is in it. */
function createPrivately(file: string): void {
  if (!existsSync(file)) {
    try {
      closeSync(openSync(file, 'wx', 0o600));
      syncFolder(dirname(file));
    } catch {
      // The folder is missing: opening says so.
    }
  }
  for (const name of [file, `${file}-wal`]) if (existsSync(name)) chmodSync(name, 0o600);
}

/** The name of a new file is durable only once its folder is. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
