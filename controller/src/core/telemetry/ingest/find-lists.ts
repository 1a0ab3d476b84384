// Finds the list of devices, or that of samples, in the bytes of a report: once for each shape of reports (report-reader.ts).

const space = 0x20;
const quote = 0x22;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Where the list of devices stands in a report that the parser has accepted, beside its fields: behind the opening bracket, and
 * the closing one. The fields are the body itself, or in `payload`.
 */
export function findDeviceList(body: Uint8Array): { from: number; to: number } | undefined {
  let depth = 0;
  /** The depth of the fields. */
  let level = 1;
  let from = -1;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) {
      const end = stringEnd(body, at);
      const value = valueBehind(body, end);
      if (depth === 1 && value > 0 && body[value] === openBrace && isKey(payloadKey, body, at, end)) level = 2;
      if (depth === level && value > 0 && isKey(devicesKey, body, at, end)) {
        // One that is repeated, or no list.
        if (body[value] !== openBracket || from >= 0) return undefined;
        from = value + 1;
      }
      at = end;
    } else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (from >= 0 && depth === level && byte === closeBracket) return { from, to: at };
    }
  }
  return undefined;
}

/**
 * Where the first sample of a batch that the parser has accepted stands, where the second begins, and where the last ends.
 * Undefined if it has fewer than two.
 */
export function findSamples(
  body: Uint8Array,
): { first: { from: number; to: number }; second: number; lastEnd: number } | undefined {
  let depth = 0;
  let isInside = false;
  const first = { from: -1, to: -1 };
  let second = -1;
  let lastEnd = -1;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) {
      const end = stringEnd(body, at);
      if (depth === 1) {
        const value = valueBehind(body, end);
        isInside = value > 0 && body[value] === openBracket && isKey(samplesKey, body, at, end);
        // One that is repeated.
        if (isInside && first.from >= 0) return undefined;
      }
      at = end;
    } else if (byte === openBrace || byte === openBracket) {
      depth++;
      if (!isInside || depth !== 3) continue;
      if (first.from < 0) first.from = at;
      else if (second < 0) second = at;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (!isInside || depth !== 2) continue;
      lastEnd = at + 1;
      if (first.to < 0) first.to = lastEnd;
    }
  }
  return second < 0 ? undefined : { first, second, lastEnd };
}

const samplesKey = Buffer.from('samples');
const devicesKey = Buffer.from('devices');
const payloadKey = Buffer.from('payload');

/** Where the value of a key begins whose closing quote stands there; -1 if it is no key. */
function valueBehind(body: Uint8Array, end: number): number {
  const at = skip(body, end + 1);
  return body[at] === colon ? skip(body, at + 1) : -1;
}

function stringEnd(body: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

function isKey(key: Buffer, body: Uint8Array, start: number, end: number): boolean {
  if (end - start - 1 !== key.length) return false;
  for (let index = 0; index < key.length; index++) if (body[start + 1 + index] !== key[index]) return false;
  return true;
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skip(body: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(body[at])) at++;
  return at;
}
