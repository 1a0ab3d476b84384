// A report is read by everybody who may read the agent: a password or key in it would be stored in clear. What looks
// like one is refused before anything of the report is stored.
import { ValidationError } from '../../base/errors.ts';
import { namesSecret } from '../../base/input/secret-names.ts';
import { type Loc, valueError } from '../../base/input/value-rules.ts';

/**
 * Where the first text under the name of a credential stands, at any depth, in lists too. `isSecret`: `value` itself is under
 * such a name. An object under one is not a credential, but what describes one: the declaration of an argument, say.
 */
export function findCredential(value: unknown, loc: Loc, isSecret = false): Loc | undefined {
  if (typeof value === 'string') return isSecret ? loc : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    const found = findCredential(inner, [...loc, isList ? Number(key) : key], isList ? isSecret : namesSecret(key));
    if (found) return found;
  }
  return undefined;
}

/** Says where it stands and never what it is. */
export function credentialInReport(loc: Loc): ValidationError {
  const error = 'a report must not contain a credential: remove this text, and change the credential if it was in use';
  return new ValidationError([valueError(loc, error)], 'credential_in_report');
}
