// The mark in a data folder that `weft migrate` copies from: which copy it is, and whether it is complete. Once it is, no server
// with the embedded stores starts on the folder any more: what it stored would be nowhere else.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';

export const markName = 'migration.json';

export interface MigrationMark {
  id: string;
  begun_at: string;
  completed_at: string | null;
}

export function readMark(dataDir: string): MigrationMark | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDir, markName), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as MigrationMark;
}

/** Durable when it returns; never half written. */
export function writeMark(dataDir: string, mark: MigrationMark): void {
  const file = join(dataDir, markName);
  const unfinished = `${file}.new`;
  const handle = openSync(unfinished, 'w', 0o600);
  writeSync(handle, `${JSON.stringify(mark, null, 2)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(unfinished, file);
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Throws StartError if these settings store something in a data folder whose content has moved. */
export function refuseMovedFolder(config: Pick<Config, 'dataDir' | 'databaseUrl' | 'telemetryUrl'>): void {
  if (config.databaseUrl !== undefined && config.telemetryUrl !== undefined) return;
  const mark = readMark(config.dataDir);
  if (mark === undefined || mark.completed_at === null) return;
  throw new StartError(
    `the content of ${config.dataDir} was moved to PostgreSQL at ${mark.completed_at}: set WEFT_DATABASE_URL and ` +
      `WEFT_TELEMETRY_URL, or delete ${join(config.dataDir, markName)} to go on with what was there then`,
  );
}
