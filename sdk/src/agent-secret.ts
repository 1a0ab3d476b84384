// Secrets that a program has made for an access point: 256 random bits in one exact form, which nobody chooses by chance.
// Weft checks them by one SHA-256 instead of a slow hash, so that ten thousand agents can log in again within a minute.
import { createHash, randomBytes } from 'node:crypto';

const prefix = 'wfs_';
const bodyLetters = 64;
const sumLetters = 8;
const form = new RegExp(`^${prefix}[0-9a-f]{${bodyLetters + sumLetters}}$`);

export function generateAgentSecret(): string {
  const body = prefix + randomBytes(bodyLetters / 2).toString('hex');
  return body + sumOf(body);
}

/** Only the exact form, with the right sum: a password that merely begins like one is one that somebody has chosen. */
export function isGeneratedSecret(text: string): boolean {
  return form.test(text) && text.slice(-sumLetters) === sumOf(text.slice(0, -sumLetters));
}

function sumOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, sumLetters);
}
