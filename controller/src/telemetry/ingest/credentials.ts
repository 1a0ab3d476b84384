// A report is read by everybody who may read the agent: a password or key in it would be stored in clear. What looks
// like one is refused before anything of the report is stored.
import { ValidationError } from '../../errors.ts';
import { type Loc, valueError } from '../../input/value-rules.ts';

const credentialKeys = new Set(['password', 'passwd', 'api_key', 'access_token', 'secret']);
const maxLength = 'access_token'.length;

/** Whether a text under this key is taken for a credential. Numbers may have any name. */
export function isCredentialKey(key: string): boolean {
  return key.length <= maxLength && credentialKeys.has(key.toLowerCase());
}

/** Where the first text under such a key stands, at any depth, in arrays too. */
export function findCredential(value: unknown, loc: Loc): Loc | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const place = [...loc, Array.isArray(value) ? Number(key) : key];
    if (typeof inner === 'string' && isCredentialKey(key)) return place;
    const found = findCredential(inner, place);
    if (found) return found;
  }
  return undefined;
}

/** Says where it stands and never what it is. */
export function credentialInReport(loc: Loc): ValidationError {
  const error = 'a report must not contain a credential: remove this text, and change the credential if it was in use';
  return new ValidationError([valueError(loc, error)], 'credential_in_report');
}
