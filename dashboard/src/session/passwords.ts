// How good a password is, roughly and without asking anybody; and secrets made in the browser, from its source of chance.

export type Strength = 'too_short' | 'weak' | 'fair' | 'strong';

const habits =
  /password|passwort|passw0rd|qwert[yz]|asdf|letmein|welcome|admin|secret|iloveyou|dragon|monkey|football|weft|abc|123|111|000|(19|20)\d\d/gi;

/** `own` are words that somebody who attacks this person would try first: their name, the product's. */
export function passwordStrength(password: string, minLength: number, own: readonly string[] = []): Strength {
  if (password.length < minLength) return 'too_short';
  const bits = guessBits(password, own);
  if (bits < 45) return 'weak';
  return bits < 60 ? 'fair' : 'strong';
}

function guessBits(password: string, own: readonly string[]): number {
  let rest = password.replaceAll(habits, '~');
  for (const word of own) {
    if (word.length >= 3) rest = rest.replaceAll(new RegExp(literally(word), 'gi'), '~');
  }
  const characters = [...rest];
  // What repeats its predecessor, or counts on from it, adds next to nothing.
  const surprising = characters.filter((character, index) => {
    const step = character.codePointAt(0)! - (characters[index - 1]?.codePointAt(0) ?? -99);
    return Math.abs(step) > 1;
  });
  const alphabet =
    (/[a-z]/.test(rest) ? 26 : 0) +
    (/[A-Z]/.test(rest) ? 26 : 0) +
    (/\d/.test(rest) ? 10 : 0) +
    (/[^A-Za-z0-9]/.test(rest) ? 20 : 0);
  const distinct = new Set(surprising).size;
  return Math.min(surprising.length, distinct * 2) * Math.log2(Math.max(2, alphabet));
}

function literally(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** 256 bits, in letters, digits, `-` and `_`. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

// Without those that look alike: somebody will type it from a note.
const letters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** `k7mq-x3rt-…`: over 95 bits, in groups that can be read out. */
export function randomPassword(): string {
  const groups = Array.from({ length: 5 }, () => Array.from({ length: 4 }, randomLetter).join(''));
  return groups.join('-');
}

function randomLetter(): string {
  // Bytes beyond the last whole multiple would favour the first letters.
  const limit = 256 - (256 % letters.length);
  for (;;) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1));
    if (byte! < limit) return letters[byte! % letters.length]!;
  }
}
