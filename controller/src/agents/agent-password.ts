// Passwords of agents as they are stored: those that somebody chose by a slow hash, generated ones by a fast one.
import { timingSafeEqual } from 'node:crypto';
import { isGeneratedSecret } from '@weft/sdk/agent-secret';
import type { PasswordHasher, PasswordTurn } from '../password-hasher.ts';
import { hashGeneratedSecret } from '../secrets.ts';
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
