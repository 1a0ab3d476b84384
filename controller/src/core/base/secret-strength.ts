// Detects weak signing secrets. A secret that others can guess lets them
// sign tokens, so Weft does not start with one that looks copied from a guide.

const minBytes = 32;

// Six letters or more: a random base64 secret contains one of these about once in ten million.
const givenAwayBy = [
  ...['changeme', 'replace', 'placeholder', 'example', 'secret', 'password', 'passphrase', 'default'],
  ...['insert', 'letmein', 'qwerty', 'supersafe', 'random', 'generate'],
];
const givenAwayByWord = new Set(['test', 'testing', 'todo', 'your', 'demo', 'sample', 'dummy', 'weft']);

/** The problem of a signing secret, as the end of a sentence that begins with its name; undefined if it is strong. */
export function weaknessOf(secret: string): string | undefined {
  const remedy = 'make a real one with: openssl rand -base64 48';
  if (hasPlaceholderWord(secret)) return `is a placeholder; ${remedy}`;
  const bytes = Buffer.byteLength(secret);
  if (bytes < minBytes) return `must have at least ${minBytes} bytes, not ${bytes}; ${remedy}`;
  if (new Set(secret).size < 8 || isRepetition(secret) || isMostlySequence(secret)) return `is too regular; ${remedy}`;
  if (secret.includes(',')) return 'must hold no comma, because WEFT_SECRET_PREVIOUS is a list with commas';
  return undefined;
}

function hasPlaceholderWord(secret: string): boolean {
  const words = secret.toLowerCase().split(/[^a-z0-9]/);
  const joined = words.join('');
  return givenAwayBy.some((word) => joined.includes(word)) || words.some((word) => givenAwayByWord.has(word));
}

/** A repeated pattern, the last repetition possibly truncated. */
function isRepetition(text: string): boolean {
  const start = text.slice(0, 1024);
  for (let period = 1; period <= start.length / 2; period++) {
    if (start.startsWith(start.slice(period))) return true;
  }
  return false;
}

/** abcdef…, 012345…, and the same backwards. */
function isMostlySequence(text: string): boolean {
  let steps = 0;
  for (let i = 1; i < text.length; i++) {
    if (Math.abs(text.charCodeAt(i) - text.charCodeAt(i - 1)) <= 1) steps++;
  }
  return steps > text.length / 2;
}
