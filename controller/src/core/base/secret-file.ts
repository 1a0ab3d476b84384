// The installation's secret with the embedded default: generated at the first start, stored in the data folder, readable by its
// owner only.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './errors.ts';
import { generateSecret } from './secrets.ts';

/** What to do where the secret of stored keys is missing: the same words after `weft restore` and when Weft does not start. */
export const putOldSecret = (dataDir: string) =>
  `put the old secret into WEFT_SECRET, or into ${dataDir}/secret (chmod 600)`;
export const ifOldSecretIsLost = (dataDir: string, file = 'FILE') =>
  `If it is lost: weft restore ${inShell(file)} --force --forget-app-keys --data-dir ${inShell(dataDir)}`;

export function oldSecretAdvice({ dataDir, databaseUrl }: { dataDir: string; databaseUrl?: string | undefined }) {
  const rotation = 'To use a new one, name the old one in WEFT_SECRET_PREVIOUS';
  if (databaseUrl !== undefined) return `put the old secret into WEFT_SECRET. ${rotation}`;
  return `${putOldSecret(dataDir)}. ${rotation}. ${ifOldSecretIsLost(dataDir)}`;
}

function inShell(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether none was given, and none was generated yet. */
export function hasNoSecret({ secret, dataDir }: { secret?: string | undefined; dataDir: string }): boolean {
  return secret === undefined && !existsSync(join(dataDir, 'secret'));
}

/** Throws StartError if the file can be read by others or is too short. */
export function readOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, 'secret');
  createSecretFile(file, generateSecret);
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new StartError(
      `${file} can be read by others: run chmod 600 on it, and consider it compromised (delete it to revoke all tokens)`,
    );
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32)
    throw new StartError(`${file} is damaged: restore it from a backup; without it stored api keys cannot be read`);
  return secret;
}

/** Writes it durably, for its owner only, unless there is one. */
export function createSecretFile(file: string, generate: () => string): void {
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  writeSync(handle, `${generate()}\n`);
  fsyncSync(handle);
  closeSync(handle);
}
