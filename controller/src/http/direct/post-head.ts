// Reads the head of a post, if it is of the plainest kind: one of each header that matters, none that would change how the
// message is read, nothing that two readers could understand differently. Every other head is left to node:http.
import type { IncomingHttpHeaders } from 'node:http';

/** The largest head that is looked at; node:http refuses larger ones anyway. */
const maxHeadBytes = 16 * 1024;
const maxLengthDigits = 7;

export interface PostHead {
  path: string;
  /** Those that the fast lane reads: host, content-type, authorization, x-request-id. */
  headers: IncomingHttpHeaders;
  bodyAt: number;
  bodyEnd: number;
}

const space = 0x20;
const colon = 0x3a;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const zero = 0x30;
const tilde = 0x7e;

/** For each byte of a header's name its lower case; 0 for bytes that no name has. */
const nameBytes = new Uint8Array(256);
for (const byte of Buffer.from("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")) nameBytes[byte] = byte;
for (let byte = 0x41; byte <= 0x5a; byte++) nameBytes[byte] = byte + 0x20;

/** Headers that the fast lane reads, and those that only node:http handles. All others change nothing. */
const kept = ['host', 'content-length', 'content-type', 'authorization', 'x-request-id', 'connection'] as const;
const special = [
  'transfer-encoding',
  'content-encoding',
  'expect',
  'upgrade',
  'trailer',
  'proxy-connection',
  'te',
  'http2-settings',
] as const;
type Name = (typeof kept)[number] | (typeof special)[number];

/** By the sum of the bytes of their name, which tells most other headers apart at once. */
const named = new Map<number, { name: Name; bytes: Uint8Array }[]>();
for (const name of [...kept, ...special]) {
  const bytes = Buffer.from(name);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  named.set(sum, [...(named.get(sum) ?? []), { name, bytes }]);
}

const method = Buffer.from('POST ');
const version = Buffer.from('HTTP/1.1\r\n');
const keepAlive = Buffer.from('keep-alive');

/** The text of the last bytes of its kind: nearly all requests have the same path, host and type. */
class LastText {
  #bytes: Uint8Array = new Uint8Array(0);
  #text = '';

  read(bytes: Buffer, from: number, to: number): string {
    if (to - from !== this.#bytes.length || !isAt(bytes, from, this.#bytes)) {
      this.#text = bytes.toString('latin1', from, to);
      this.#bytes = Uint8Array.from(bytes.subarray(from, to));
    }
    return this.#text;
  }
}

const lastPath = new LastText();
const lastHost = new LastText();
const lastType = new LastText();

/** Undefined unless the whole head is there and plain. The body may still be missing. */
export function readPostHead(bytes: Buffer): PostHead | undefined {
  if (!isAt(bytes, 0, method)) return undefined;
  const end = Math.min(bytes.length, maxHeadBytes);
  let at = method.length;
  while (at < end && bytes[at]! > space && bytes[at]! <= tilde) at++;
  if (bytes[at] !== space || !isAt(bytes, at + 1, version)) return undefined;
  const path = lastPath.read(bytes, method.length, at);
  at += 1 + version.length;
  let host: string | undefined;
  let type: string | undefined;
  let authorization: string | undefined;
  let id: string | undefined;
  let length = -1;
  let hasConnection = false;
  while (at < end && bytes[at] !== carriageReturn) {
    const name = at;
    let sum = 0;
    for (; at < end; at++) {
      const byte = nameBytes[bytes[at]!]!;
      if (byte === 0) break;
      sum += byte;
    }
    const nameEnd = at;
    if (nameEnd === name || bytes[at] !== colon) return undefined;
    at++;
    while (bytes[at] === space) at++;
    const value = at;
    while (at < end && bytes[at]! >= space && bytes[at]! <= tilde) at++;
    if (at >= end || bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) return undefined;
    let valueEnd = at;
    at += 2;
    const known = nameOf(bytes, name, nameEnd, sum);
    if (known === undefined) continue;
    while (valueEnd > value && bytes[valueEnd - 1] === space) valueEnd--;
    if (valueEnd === value) return undefined;
    if (known === 'host') {
      if (host !== undefined) return undefined;
      host = lastHost.read(bytes, value, valueEnd);
    } else if (known === 'content-type') {
      if (type !== undefined) return undefined;
      type = lastType.read(bytes, value, valueEnd);
    } else if (known === 'authorization') {
      if (authorization !== undefined) return undefined;
      authorization = bytes.toString('latin1', value, valueEnd);
    } else if (known === 'content-length') {
      if (length >= 0) return undefined;
      length = readLength(bytes, value, valueEnd);
      if (length < 0) return undefined;
    } else if (known === 'x-request-id') {
      if (id !== undefined) return undefined;
      id = bytes.toString('latin1', value, valueEnd);
    } else if (known === 'connection') {
      if (hasConnection || !isName(bytes, value, valueEnd, keepAlive)) return undefined;
      hasConnection = true;
    } else return undefined;
  }
  if (at >= end || bytes[at + 1] !== lineFeed || host === undefined || length < 0) return undefined;
  const headers = { host, 'content-type': type, authorization, 'x-request-id': id };
  return { path, headers, bodyAt: at + 2, bodyEnd: at + 2 + length };
}

function nameOf(bytes: Uint8Array, from: number, to: number, sum: number): Name | undefined {
  const candidates = named.get(sum);
  if (!candidates) return undefined;
  for (const candidate of candidates) if (isName(bytes, from, to, candidate.bytes)) return candidate.name;
  return undefined;
}

/** Whether these bytes are the name, whatever their case. */
function isName(bytes: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  if (to - from !== name.length) return false;
  for (let index = 0; index < name.length; index++) if (nameBytes[bytes[from + index]!] !== name[index]) return false;
  return true;
}

/** -1 for what is not a short row of digits. */
function readLength(bytes: Uint8Array, from: number, to: number): number {
  if (to - from > maxLengthDigits) return -1;
  let length = 0;
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - zero;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
}

function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}
