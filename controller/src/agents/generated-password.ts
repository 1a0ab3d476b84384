// Passwords of agents that Weft has generated, as they are stored.
import { timingSafeEqual } from 'node:crypto';
import { hashGeneratedSecret } from '../secrets.ts';
import { generatedHashPrefix } from './agent-store.ts';

/** The stored form of a generated password: it has 256 bits, so slow hashing would not make it safer. */
export function toGeneratedHash(password: string): string {
  return generatedHashPrefix + hashGeneratedSecret(password);
}

/** In constant time. */
export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
