// Which passwords are too easy to guess for people beyond this machine: the most common ones, one character repeated,
// and the own name.
import { readFileSync } from 'node:fs';

let common: ReadonlySet<string> | undefined;

/** As the end of a sentence about the password; undefined if nothing is wrong. Letter case does not count. */
export function weaknessOfPassword(password: string): string | undefined {
  const text = normalize(password);
  if (new Set(text).size <= 1) return 'must not be one character repeated';
  common ??= readCommon();
  return common.has(text) ? 'is one of the most common passwords; choose another' : undefined;
}

/** The name as a whole, or the part before the @. */
export function isNameAsPassword(password: string, username: string): boolean {
  const name = normalize(username);
  return [name, name.split('@')[0]].includes(normalize(password));
}

function normalize(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

function readCommon(): ReadonlySet<string> {
  const file = new URL('../../../../data/common-passwords.txt', import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')));
}
