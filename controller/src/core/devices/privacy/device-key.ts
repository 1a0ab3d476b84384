// The key of the pseudonyms. With the embedded default it is a file of its own, which backups leave out: who has both a backup
// and the key could guess addresses. With PostgreSQL it is derived from the secret that all nodes share.
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../base/errors.ts';
import { createSecretFile } from '../../base/secret-file.ts';
import type { Keyring } from '../../base/secrets.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';

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

// The key of the pseudonyms of an installation that had it in a file before it moved to PostgreSQL: a row, encrypted, so that
// all nodes agree and devices keep their names. Without a row the key is derived from the secret.
const context = 'device key';

export function encryptDeviceKey(key: Uint8Array, keyring: Keyring): string {
  return keyring.encrypt(Buffer.from(key).toString('base64url'), context);
}

/** Undefined if there is none. It is encrypted with the newest secret from then on. Throws if it was encrypted with a secret that is not configured. */
export async function readMovedDeviceKey(database: SqlQueries, keyring: Keyring): Promise<Uint8Array | undefined> {
  const [row] = await database.query<{ key_encrypted: string }>('SELECT key_encrypted FROM device_key');
  if (!row) return undefined;
  const key = Buffer.from(keyring.decrypt(row.key_encrypted, context), 'base64url');
  if (keyring.isOutdated(row.key_encrypted)) {
    await database.query('UPDATE device_key SET key_encrypted = ?', [encryptDeviceKey(key, keyring)]);
  }
  return key;
}
