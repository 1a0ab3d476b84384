// Secrets made in the browser, from its cryptographic source of chance.

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
