// Parses the bytes of a request body as JSON. The only JSON reader of the interface: what it returns is bounded in depth
// and size, finite, and storable in every backend.
import { UnusableRequestError, ValidationError } from '../errors.ts';
import './json-parse.ts';
import { type JsonPath, jsonInvalid, scanJson } from './json-scanner.ts';
import { invalidValue } from './value-rules.ts';

/**
 * What a body may not exceed, whatever its schema. Keys are measured as they are written. Twice as many objects and lists are allowed as
 * keys: hundreds of thousands of empty ones fit into a body, and cost more than all else in it.
 */
export const JSON_LIMITS = { depth: 32, keys: 20_000, keyBytes: 1024 } as const;

export interface JsonBody {
  value: unknown;
  /**
   * The paths of integers that a double cannot hold and that are rounded here, also of those that a later equal key
   * replaces. Free-form objects that are stored refuse them.
   */
  inexact: JsonPath[];
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

// Only an escape can put NUL or half a surrogate pair into a string, only integers of sixteen digits and more can be
// rounded, and only those or an exponent of three digits can overflow. Why no reviver of JSON.parse: it is slower than the
// scan, loses repeated keys and the order of the text, and knows no paths.
const NEEDS_A_CLOSER_LOOK = /\\u(?:0000|[dD][89a-fA-F])|(?<![0-9.])[0-9]{16}|[eE][+-]?[0-9]{3}/;

/**
 * Throws UnusableRequestError (400) for bytes that are not UTF-8 or begin with a byte order mark, ValidationError for a
 * text that is not JSON, has a number that is not finite or a string that cannot be stored, or exceeds JSON_LIMITS (of
 * which `maxKeys` replaces `keys`). Of equal keys the last one counts; `__proto__` and the like are ordinary keys.
 */
export function readJson(bytes: Uint8Array, maxKeys: number = JSON_LIMITS.keys): JsonBody {
  const text = decode(bytes);
  if (mayExceedLimits(bytes, text)) checkLimits(bytes, maxKeys);
  let value: unknown;
  let isParsed = true;
  try {
    value = JSON.parse(text);
  } catch {
    isParsed = false;
  }
  if (isParsed && !NEEDS_A_CLOSER_LOOK.test(text)) return { value, inexact: [] };

  const { problems, inexact } = scanJson(text);
  if (problems.length > 0) throw new ValidationError(problems);
  if (!isParsed) throw jsonInvalid('Expecting value', 0);
  return { value, inexact };
}

function decode(bytes: Uint8Array): string {
  const startsWithMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  // JSON begins with ASCII, so a NUL this early means two or four bytes a character.
  if (!startsWithMark && !bytes.subarray(0, 4).includes(0)) {
    try {
      return utf8.decode(bytes);
    } catch {
      // The error below is the same for every such body.
    }
  }
  throw new UnusableRequestError(400, 'unreadable_body', 'There was an error parsing the body');
}

/** Nearly all bodies are too short, and have too few brackets, to exceed any limit: two native searches tell. */
function mayExceedLimits(bytes: Uint8Array, text: string): boolean {
  return bytes.length > JSON_LIMITS.keyBytes || countUpTo(text, '{') + countUpTo(text, '[') > JSON_LIMITS.depth;
}

/** How often the character occurs, counting no further than the depth that is allowed. */
function countUpTo(text: string, character: string): number {
  let count = 0;
  let at = text.indexOf(character);
  while (at >= 0 && count <= JSON_LIMITS.depth) {
    count += 1;
    at = text.indexOf(character, at + 1);
  }
  return count;
}

/** One pass over the bytes, before a parser spends time and memory on a body that is refused anyway. */
function checkLimits(bytes: Uint8Array, maxKeys: number): void {
  let depth = 0;
  let keys = 0;
  let containers = 0;
  let stringLength = 0;
  let isInString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (isInString) {
      if (byte === QUOTE) isInString = false;
      else stringLength += 1;
      if (byte === BACKSLASH) index += 1;
    } else if (byte === QUOTE) {
      isInString = true;
      stringLength = 0;
    } else if (byte === COLON) {
      keys += 1;
      if (keys > maxKeys) throw invalidValue(['body'], `the body has more than ${maxKeys} keys`);
      if (stringLength > JSON_LIMITS.keyBytes)
        throw invalidValue(['body'], `a key is longer than ${JSON_LIMITS.keyBytes} bytes`);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      containers += 1;
      if (containers > 2 * maxKeys)
        throw invalidValue(['body'], `the body has more than ${2 * maxKeys} objects and lists`);
      if (depth > JSON_LIMITS.depth)
        throw invalidValue(['body'], `the body is nested more than ${JSON_LIMITS.depth} levels deep`);
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
    }
  }
}
