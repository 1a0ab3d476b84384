// E-mail addresses as usernames: the rules and the messages of Python's email-validator, as pydantic applies it. Domains
// reserved for testing are accepted: testbeds use them. The text is short when a pattern sees it, and each is linear.
import { domainToASCII, domainToUnicode } from 'node:url';

const MAX_TEXT_LENGTH = 2048;
const MAX_ADDRESS_BYTES = 254;
const MAX_DOMAIN_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** `Jo Doe <jo@example.com>` and `"Doe, Jo" <jo@example.com>`. */
const WITH_DISPLAY_NAME = /^(?:".+"\s*|[\p{L}\p{N}_!#$%&'*+\-/=?^`{|}~\s]*)<(.+)>$/su;
/** The first `@` or `<` outside of quotes, and what is before and behind it. */
const PARTS = /^((?:[^"@<]|"(?:[^"\\]|\\.)*")*)([@<])(.*)$/s;
const INVALID_LOCAL = /[^A-Za-z0-9_!#$%&'*+\-/=?^`{|}~.\u0080-\u{10ffff}]/gu;
const INVALID_DOMAIN = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/gu;
/** What makes an address look like another one: invisible characters, and a first mark that attaches to what precedes. */
const UNSAFE = /^\p{M}|[^\p{L}\p{N}\p{P}\p{S}\p{M}]/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** Top-level names end with a letter, or are written in Punycode, which may end with a digit. */
const TOP_LEVEL = /(?:[a-z]|\.xn--[^.]*)$/;

type Rules = readonly (readonly [broken: RegExp, reason: string])[];

const TWO_PERIODS = [/\.\./, 'An email address cannot have two periods in a row.'] as const;
const LOCAL_RULES: Rules = [
  [/\.$/, 'An email address cannot have a period immediately before the @-sign.'],
  [/^\./, 'An email address cannot start with a period.'],
  TWO_PERIODS,
];
const DOMAIN_RULES: Rules = [
  [/\.$/, 'An email address cannot end with a period.'],
  [/^\./, 'An email address cannot have a period immediately after the @-sign.'],
  TWO_PERIODS,
  [/-$/, 'An email address cannot end with a hyphen.'],
  [/^-/, 'An email address cannot have a hyphen immediately after the @-sign.'],
  [/\.-|-\./, 'An email address cannot have a period and a hyphen next to each other.'],
  [
    /(?:^|\.)(?!xn)[^.]{2}--/,
    'An email address cannot have two letters followed by two dashes immediately after the @-sign or after a period, except Punycode.',
  ],
];

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
  const { ascii, unicode } = toDomain(domain);
  checkLength(`${local}@${domain}`, '');
  const address = `${local}@${unicode}`.normalize('NFC').toLowerCase().normalize('NFC');
  checkLength(address, 'after normalization ');
  checkLength(`${local}@${ascii}`, 'when the part after the @-sign is converted to IDNA ASCII ');
  return address;
}

function withoutDisplayName(text: string): string {
  const trimmed = text.trim();
  // The pattern is linear only for a text that can match at its end.
  const mayMatch = trimmed.endsWith('>') && !trimmed.includes('\n');
  const inner = mayMatch ? WITH_DISPLAY_NAME.exec(trimmed)?.[1] : undefined;
  return inner ?? text;
}

function split(text: string): { local: string; domain: string } {
  const [, local = '', sign, domain = ''] = PARTS.exec(text) ?? [];
  if (sign === undefined) {
    throw new Refusal(
      text.includes('\uff20')
        ? 'The email address has the "full-width" at-sign (@) character instead of a regular at-sign.'
        : 'An email address must have an @-sign.',
    );
  }
  if (sign === '<') {
    throw new Refusal(
      text.includes('>')
        ? 'A display name and angle brackets around the email address are not permitted here.'
        : 'An open angle bracket at the start of the email address has to be followed by a close angle bracket at the end.',
    );
  }
  if (text.startsWith('"')) throw new Refusal('Quoting the part before the @-sign is not allowed here.');
  return { local, domain };
}

function checkLocal(local: string): void {
  if (local === '') throw new Refusal('There must be something before the @-sign.');
  refuseInvalid(local, INVALID_LOCAL, 'The email address contains invalid characters before the @-sign');
  applyRules(local, LOCAL_RULES);
  refuseUnsafe(local);
}

function toDomain(domain: string): { ascii: string; unicode: string } {
  if (domain === '') throw new Refusal('There must be something after the @-sign.');
  if (domain.startsWith('[') && domain.endsWith(']')) {
    throw new Refusal('A bracketed IP address after the @-sign is not allowed here.');
  }
  refuseInvalid(domain, INVALID_DOMAIN, 'The part after the @-sign contains invalid characters');
  refuseUnsafe(domain);
  const isPlain = /^[\x20-\x7e]*$/.test(domain) && !/xn--/i.test(domain);
  // Other scripts have periods and hyphens of their own; these become the ASCII ones before the rules apply.
  const mapped = isPlain ? domain.toLowerCase() : domain.normalize('NFKC').replaceAll('\u3002', '.').toLowerCase();
  applyRules(mapped, DOMAIN_RULES);
  const ascii = isPlain ? mapped : domainToASCII(mapped);
  if (ascii === '') throw new Refusal('The part after the @-sign contains invalid characters (not a valid IDNA name).');
  checkDomainLength(ascii);
  if (!ascii.includes('.')) throw new Refusal('The part after the @-sign is not valid. It should have a period.');
  if (!TOP_LEVEL.test(ascii)) {
    throw new Refusal('The part after the @-sign is not valid. It is not within a valid top-level domain.');
  }
  const unicode = isPlain ? ascii : domainToUnicode(ascii);
  if (/(?:^|\.)xn--/.test(unicode)) {
    throw new Refusal('The part after the @-sign is not valid IDNA (Invalid A-label).');
  }
  return { ascii, unicode };
}

function checkDomainLength(ascii: string): void {
  if (ascii.length > MAX_DOMAIN_LENGTH) {
    throw new Refusal(`The email address is too long after the @-sign ${tooMany(ascii.length - MAX_DOMAIN_LENGTH)}.`);
  }
  const long = ascii.split('.').find((label) => label.length > MAX_LABEL_LENGTH);
  if (long !== undefined) {
    const excess = tooMany(long.length - MAX_LABEL_LENGTH);
    throw new Refusal(`After the @-sign, periods cannot be separated by so many characters ${excess}.`);
  }
}

function applyRules(text: string, rules: Rules): void {
  for (const [broken, reason] of rules) if (broken.test(text)) throw new Refusal(reason);
}

function refuseInvalid(text: string, invalid: RegExp, reason: string): void {
  const found = new Set(text.match(invalid)?.map(display));
  if (found.size > 0) throw new Refusal(`${reason}: ${[...found].sort().join(', ')}.`);
}

function refuseUnsafe(text: string): void {
  const found = [...new Set(text.match(UNSAFE))].sort();
  if (found.length > 0) {
    throw new Refusal(`The email address contains unsafe characters: ${found.map(display).join(', ')}.`);
  }
}

function display(character: string): string {
  if (character === ' ') return 'SPACE';
  if (character === '\u00a0') return 'NO-BREAK SPACE';
  if (character === '\\' || character === "'") return `"${character}"`;
  if (VISIBLE.test(character)) return `'${character}'`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  return `U+${hex.padStart(code < 0xffff ? 4 : 8, '0')}`;
}

function checkLength(address: string, when: string): void {
  const excess = Buffer.byteLength(address) - MAX_ADDRESS_BYTES;
  if (excess > 0) throw new Refusal(`The email address is too long ${when}${tooMany(excess)}.`);
}

function tooMany(count: number): string {
  return `(${count} character${count === 1 ? '' : 's'} too many)`;
}
