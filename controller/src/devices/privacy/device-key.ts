// The key of the pseudonyms. With the embedded default it is a file of its own, which backups leave out: who has both a backup
// and the key could guess addresses. With PostgreSQL it is derived from the secret that all nodes share.
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSecretFile } from '../../secret-file.ts';
import { StartError } from '../../start-error.ts';

const keyBytes = 32;

/** Throws StartError if the file can be read by others or is damaged. */
export function readOrCreateDeviceKey(dataDir: string): Uint8Array {
  const file = join(dataDir, 'device-key');
  createSecretFile(file, () => randomBytes(keyBytes).toString('base64url'));
  if ((statSync(file).mode & 0o077) !== 0) throw new StartError(`${file} can be read by others: run chmod 600 on it`);
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (key.length !== keyBytes) {
    throw new StartError(`${file} is damaged: delete it; then all devices get new names`);
  }
  return key;
}
