// The key of the pseudonyms of an installation that had it in a file before it moved to PostgreSQL: a row, encrypted, so that
// all nodes agree and devices keep their names. Without a row the key is derived from the secret.
import type { Keyring } from '../../secrets.ts';
import type { SqlQueries } from '../../storage/sql-database.ts';

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
