// Everything that is derived from the installation's one secret: the keys that sign tokens, the keys that encrypt what
// must be readable again, and the set-up code. Several secrets may be valid at once while one is being rotated out.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const keyBytes = 32;

export class Keyring {
  /** Newest first: the first signs, all of them verify. */
  readonly tokenKeys: readonly Uint8Array[];
  /** The same for callback tokens of jobs. */
  readonly callbackKeys: readonly Uint8Array[];
  /** For the pseudonyms of devices, where all nodes share the secret. */
  readonly deviceKey: Uint8Array;
  readonly #storageKeys: { id: string; key: Buffer }[];
  readonly #setupKey: Buffer;
  // Prepared once: a key that is given as bytes costs several times what the code itself costs.
  readonly #fingerprintKey: KeyObject;
  readonly #sealKeys: { id: string; key: KeyObject }[];

  constructor(secret: string, previousSecrets: readonly string[] = []) {
    const secrets = [secret, ...previousSecrets];
    this.tokenKeys = secrets.map((each) => derive(each, 'token signing'));
    this.callbackKeys = secrets.map((each) => derive(each, 'callback tokens'));
    this.#storageKeys = secrets.map((each) => withId(derive(each, 'storage encryption')));
    this.deviceKey = derive(secret, 'device pseudonyms');
    this.#setupKey = derive(secret, 'set-up code');
    this.#fingerprintKey = createSecretKey(derive(secret, 'fingerprints'));
    this.#sealKeys = secrets.map((each) => {
      const { id, key } = withId(derive(each, 'audit log'));
      return { id, key: createSecretKey(key) };
    });
  }

  /** Ciphertext that `decrypt` opens only with the same `context` (say, the record's id), so that rows cannot be swapped. */
  encrypt(plaintext: string, context: string): string {
    const { id, key } = this.#storageKeys[0]!;
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${id}.${iv.toString('base64url')}.${body.toString('base64url')}`;
  }

  /** Throws if the ciphertext was created with an unknown secret, or was changed. */
  decrypt(ciphertext: string, context: string): string {
    const [, id, iv, body] = ciphertext.split('.');
    const entry = this.#storageKeys.find((each) => each.id === id);
    if (!entry || !iv || !body) throw new Error('stored secret was encrypted with a key that is not configured');
    const bytes = Buffer.from(body, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', entry.key, Buffer.from(iv, 'base64url'), { authTagLength: 16 })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
  }

  /** True if the secret that created `ciphertext` is known. */
  canDecrypt(ciphertext: string): boolean {
    return this.#storageKeys.some(({ id }) => id === ciphertext.split('.')[1]);
  }

  /** True if `ciphertext` was not created with the newest secret. */
  isOutdated(ciphertext: string): boolean {
    return ciphertext.split('.')[1] !== this.#storageKeys[0]!.id;
  }

  /** Equal for equal texts, and of no use to guess them without the secret; not the same after the secret has changed. */
  fingerprint(text: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(text).digest('base64url').slice(0, 22);
  }

  /** For the audit log: a code that only the holder of the secret can compute, with the id of its key. */
  seal(text: string): string {
    const { id, key } = this.#sealKeys[0]!;
    return `${id}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }

  /** `unknown`: sealed with a secret that is not configured. */
  checkSeal(text: string, seal: string): 'good' | 'bad' | 'unknown' {
    const [id, code = ''] = seal.split('.');
    const entry = this.#sealKeys.find((each) => each.id === id);
    if (!entry) return 'unknown';
    const expected = createHmac('sha256', entry.key).update(text).digest();
    const given = Buffer.from(code, 'base64url');
    return given.length === expected.length && timingSafeEqual(given, expected) ? 'good' : 'bad';
  }

  /** The code that is required to create the first administrator from another machine; the same on every node and after a restart. */
  get setupCode(): string {
    const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
    const bytes = createHmac('sha256', this.#setupKey).update('v1').digest();
    const letters = Array.from(bytes.subarray(0, 12), (byte) => alphabet[byte % alphabet.length]);
    return [0, 4, 8].map((start) => letters.slice(start, start + 4).join('')).join('-');
  }
}

/** A new secret of 256 bits, in URL-safe letters. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form of generated secrets of 256 bits: slow hashing would not make them safer. */
export function hashGeneratedSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Keys are told apart by a hash of theirs. */
function withId(key: Buffer): { id: string; key: Buffer } {
  return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), key };
}

function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `weft ${purpose}`, keyBytes));
}
