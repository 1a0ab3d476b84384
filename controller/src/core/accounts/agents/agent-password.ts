// Passwords of agents as they are stored: those that somebody chose by a slow hash, generated ones by a fast one.
import { timingSafeEqual } from 'node:crypto';
import { isGeneratedSecret } from '@weft/sdk/agent-secret';
import { ReplacedError } from '../../base/errors.ts';
import type { PasswordHasher, PasswordTurn } from '../../base/password-hasher.ts';
import { hashGeneratedSecret } from '../../base/secrets.ts';
import { generatedHashPrefix } from './agent-record.ts';

/** The stored form of a password. */
export async function hashOf(password: string, hasher: PasswordHasher, turn: PasswordTurn): Promise<string> {
  return isGeneratedSecret(password) ? toGeneratedHash(password) : hasher.hash(password, turn);
}

/** A wrong password takes the same time for every agent, also for generated passwords. */
export async function isPassword(
  hash: string | undefined,
  password: string,
  hasher: PasswordHasher,
  turn?: PasswordTurn,
): Promise<boolean> {
  if (hash === undefined || !isGeneratedHash(hash)) return hasher.verify(hash, password, turn);
  if (isSameHash(hash, toGeneratedHash(password))) return true;
  return hasher.verify(undefined, password, turn);
}

/**
 * A password that is wrong. Throws AuthenticationError `credentials_replaced` if it is the generated one that the agent had
 * before: only who has all 256 bits of it is told, so that nobody learns anything by guessing.
 */
export async function refuseReplaced(
  password: string,
  isReplaced: (hash: string) => Promise<boolean>,
): Promise<undefined> {
  if (isGeneratedSecret(password) && (await isReplaced(toGeneratedHash(password)))) throw new ReplacedError();
}

/** The stored form of a generated password: it has 256 bits, so slow hashing would not make it safer. */
export function toGeneratedHash(password: string): string {
  return generatedHashPrefix + hashGeneratedSecret(password);
}

export function isGeneratedHash(hash: string): boolean {
  return hash.startsWith(generatedHashPrefix);
}

/** In constant time. */
function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
