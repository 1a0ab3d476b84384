// E-mail addresses as usernames: the rules and the reasons of Python's email-validator, as pydantic applies it. Domains
// reserved for testing are accepted: testbeds use them. Every step is linear in the length of the text.
import { domainToASCII, domainToUnicode } from 'node:url';

const MAX_TEXT_LENGTH = 2048;
const MAX_ADDRESS_BYTES = 254;
const MAX_DOMAIN_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

const LOCAL_CHARACTER = /^[A-Za-z0-9_!#$%&'*+\-/=?^`{|}~.\u0080-\u{10ffff}]$/u;
const DOMAIN_CHARACTER = /^[A-Za-z0-9.\-\u0080-\u{10ffff}]$/u;
const DISPLAY_NAME_CHARACTER = /^[\p{L}\p{N}_!#$%&'*+\-/=?^`{|}~\s]$/u;
const VISIBLE = /^[\p{L}\p{N}\p{P}\p{S}]$/u;
const COMBINING = /^\p{M}$/u;
const CHARACTER_NAMES: ReadonlyMap<string, string> = new Map([
  [' ', 'SPACE'],
  ['\u00a0', 'NO-BREAK SPACE'],
]);

class Refusal extends Error {}

/** `address` is trimmed, in lower case and NFC, its domain in Unicode: one spelling for one mailbox. */
export function parseEmailAddress(text: string): { address: string } | { reason: string } {
  try {
    return { address: toAddress(text) };
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message };
    throw error;
  }
}

function toAddress(text: string): string {
  if (text.length > MAX_TEXT_LENGTH) throw new Refusal(`Length must not exceed ${MAX_TEXT_LENGTH} characters`);
  const { local, domain } = split(withoutDisplayName(text).trim());
  checkLocal(local);
  const domains = toDomain(domain);
  checkLength(`${local}@${domain}`, '');
  const address = `${local}@${domains.unicode}`.normalize('NFC').toLowerCase().normalize('NFC');
  checkLength(address, 'after normalization ');
  checkLength(`${local}@${domains.ascii}`, 'when the part after the @-sign is converted to IDNA ASCII ');
  return address;
}

/** `Jo Doe <jo@example.com>` and `"Doe, Jo" <jo@example.com>` stand for the address inside. */
function withoutDisplayName(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.endsWith('>') || trimmed.includes('\n')) return text;
  if (trimmed.startsWith('"')) {
    for (let quote = trimmed.lastIndexOf('"'); quote > 1; quote = trimmed.lastIndexOf('"', quote - 1)) {
      const rest = trimmed.slice(quote + 1).trimStart();
      if (rest.startsWith('<') && rest.length > 2) return rest.slice(1, -1);
    }
    return text;
  }
  const open = trimmed.indexOf('<');
  const isName = open >= 0 && [...trimmed.slice(0, open)].every((character) => DISPLAY_NAME_CHARACTER.test(character));
  return isName && trimmed.length - open > 2 ? trimmed.slice(open + 1, -1) : text;
}

function split(text: string): { local: string; domain: string } {
  const at = findUnquotedSign(text);
  if (at < 0) throw new Refusal(missingAtSign(text));
  if (text[at] === '<') {
    throw new Refusal(
      text.includes('>')
        ? 'A display name and angle brackets around the email address are not permitted here.'
        : 'An open angle bracket at the start of the email address has to be followed by a close angle bracket at the end.',
    );
  }
  if (text.startsWith('"')) throw new Refusal('Quoting the part before the @-sign is not allowed here.');
  return { local: text.slice(0, at), domain: text.slice(at + 1) };
}

/** Where the first `@` or `<` outside of quotes is, or -1. */
function findUnquotedSign(text: string): number {
  let isInQuotes = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInQuotes && character === '\\') index += 1;
    else if (character === '"') isInQuotes = !isInQuotes;
    else if (!isInQuotes && (character === '@' || character === '<')) return index;
  }
  return -1;
}

function missingAtSign(text: string): string {
  if (text.includes('\uff20')) {
    return 'The email address has the "full-width" at-sign (@) character instead of a regular at-sign.';
  }
  return 'An email address must have an @-sign.';
}

function checkLocal(local: string): void {
  if (local === '') throw new Refusal('There must be something before the @-sign.');
  refuseCharacters(local, LOCAL_CHARACTER, 'The email address contains invalid characters before the @-sign');
  checkPeriods(local, {
    atStart: 'An email address cannot start with a period.',
    atEnd: 'An email address cannot have a period immediately before the @-sign.',
  });
  refuseUnsafe(local);
}

function toDomain(domain: string): { ascii: string; unicode: string } {
  if (domain === '') throw new Refusal('There must be something after the @-sign.');
  if (domain.startsWith('[') && domain.endsWith(']')) {
    throw new Refusal('A bracketed IP address after the @-sign is not allowed here.');
  }
  refuseCharacters(domain, DOMAIN_CHARACTER, 'The part after the @-sign contains invalid characters');
  refuseUnsafe(domain);
  const isPlain = /^[\x20-\x7e]*$/.test(domain) && !/xn--/i.test(domain);
  // Other scripts have periods and hyphens of their own; these become the ASCII ones before the rules apply.
  const mapped = isPlain ? domain.toLowerCase() : domain.normalize('NFKC').replaceAll('\u3002', '.').toLowerCase();
  checkPeriods(mapped, {
    atStart: 'An email address cannot have a period immediately after the @-sign.',
    atEnd: 'An email address cannot end with a period.',
  });
  checkHyphens(mapped);
  const ascii = isPlain ? mapped : domainToASCII(mapped);
  if (ascii === '') throw new Refusal('The part after the @-sign contains invalid characters (not a valid IDNA name).');
  checkDomainLength(ascii);
  if (!ascii.includes('.')) throw new Refusal('The part after the @-sign is not valid. It should have a period.');
  if (!/[a-z]$/.test(ascii) && !isPunycodeTop(ascii)) {
    throw new Refusal('The part after the @-sign is not valid. It is not within a valid top-level domain.');
  }
  const unicode = isPlain ? ascii : domainToUnicode(ascii);
  if (unicode.split('.').some((label) => label.startsWith('xn--'))) {
    throw new Refusal('The part after the @-sign is not valid IDNA (Invalid A-label).');
  }
  return { ascii, unicode };
}

/** Top-level names end with a letter, or are written in Punycode, which may end with a digit. */
function isPunycodeTop(ascii: string): boolean {
  return ascii.slice(ascii.lastIndexOf('.') + 1).startsWith('xn--');
}

function checkDomainLength(ascii: string): void {
  if (ascii.length > MAX_DOMAIN_LENGTH) {
    throw new Refusal(`The email address is too long after the @-sign ${tooMany(ascii.length - MAX_DOMAIN_LENGTH)}.`);
  }
  for (const label of ascii.split('.')) {
    if (label.length > MAX_LABEL_LENGTH) {
      const excess = tooMany(label.length - MAX_LABEL_LENGTH);
      throw new Refusal(`After the @-sign, periods cannot be separated by so many characters ${excess}.`);
    }
  }
}

function checkPeriods(text: string, reasons: { atStart: string; atEnd: string }): void {
  if (text.endsWith('.')) throw new Refusal(reasons.atEnd);
  if (text.startsWith('.')) throw new Refusal(reasons.atStart);
  if (text.includes('..')) throw new Refusal('An email address cannot have two periods in a row.');
}

function checkHyphens(domain: string): void {
  if (domain.endsWith('-')) throw new Refusal('An email address cannot end with a hyphen.');
  if (domain.startsWith('-')) {
    throw new Refusal('An email address cannot have a hyphen immediately after the @-sign.');
  }
  if (domain.includes('.-') || domain.includes('-.')) {
    throw new Refusal('An email address cannot have a period and a hyphen next to each other.');
  }
  if (domain.split('.').some((label) => label.slice(2, 4) === '--' && !label.startsWith('xn'))) {
    throw new Refusal(
      'An email address cannot have two letters followed by two dashes immediately after the @-sign or after a period, except Punycode.',
    );
  }
}

function refuseCharacters(text: string, allowed: RegExp, reason: string): void {
  const refused = new Set<string>();
  for (const character of text) if (!allowed.test(character)) refused.add(display(character));
  if (refused.size > 0) throw new Refusal(`${reason}: ${[...refused].sort().join(', ')}.`);
}

/** What could make the address look like another one: invisible characters, and marks that attach to what precedes. */
function refuseUnsafe(text: string): void {
  const refused = new Set<string>();
  let isFirst = true;
  for (const character of text) {
    if (!VISIBLE.test(character) && (isFirst || !COMBINING.test(character))) refused.add(character);
    isFirst = false;
  }
  if (refused.size === 0) return;
  throw new Refusal(`The email address contains unsafe characters: ${[...refused].sort().map(display).join(', ')}.`);
}

function display(character: string): string {
  if (character === '\\') return '"\\"';
  if (VISIBLE.test(character)) return character === "'" ? '"\'"' : `'${character}'`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  return CHARACTER_NAMES.get(character) ?? `U+${hex.padStart(code < 0xffff ? 4 : 8, '0')}`;
}

function checkLength(address: string, when: string): void {
  const excess = Buffer.byteLength(address) - MAX_ADDRESS_BYTES;
  if (excess > 0) throw new Refusal(`The email address is too long ${when}${tooMany(excess)}.`);
}

function tooMany(count: number): string {
  return `(${count} character${count === 1 ? '' : 's'} too many)`;
}
