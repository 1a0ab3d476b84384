// When the data folder was backed up last: the time of an empty file in it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export function backupStampOf(dataDir: string): string {
  return join(dataDir, 'last-backup');
}

/** A backup was completed. */
export async function stampBackup(dataDir: string): Promise<void> {
  await writeFile(backupStampOf(dataDir), '');
}
