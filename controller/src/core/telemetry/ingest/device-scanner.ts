// Reads the list of devices out of the bytes of a report without parsing JSON, to the very list that device-list.ts would make of
// it. Whatever is unusual (escapes, other keys, other numbers, too many) is left to the parser.
import { maxDevicesPerReport, maxHeardPerDevice, maxIdentityLength } from '@weft/contract';
import { hearsNothing, type ReportedDevice, type ReportedNeighbour } from './device-list.ts';

const maxDigits = 15;
const powersOfTen = Array.from({ length: maxDigits + 1 }, (_, exponent) => 10 ** exponent);
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const lastPrintable = 0x7e;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const deviceKey = Buffer.from('device');
const heardKey = Buffer.from('heard');
const rssiKey = Buffer.from('rssi_dbm');
const snrKey = Buffer.from('snr_db');
const rxKey = Buffer.from('rx_mbps');
const txKey = Buffer.from('tx_mbps');
const connectedKey = Buffer.from('connected_seconds');
const apKey = Buffer.from('ap_id');
const bssidKey = Buffer.from('bssid');
/** Identities of the last list that are compared with those of the next one: nearly always the same ones in the same places. */
const maxRemembered = 256;
/** Names of access points, by a hash of their bytes: the same few stand in very many lists. */
const maxNames = 4_096;
const names: string[] = Array(maxNames).fill('');

// What was read last, beside where it ends: an object for each would cost more than the reading.
let lastNumber = 0;
let stringFrom = 0;
let stringHash = 0;

export class DeviceScanner {
  #devices: ReportedDevice[] = [];
  #identities: string[] = [];

  /** The list that was read last. */
  take(): readonly ReportedDevice[] {
    const devices = this.#devices;
    this.#devices = [];
    return devices;
  }

  /** `start` is behind the opening bracket. Returns where the closing one stands; -1 if the list is for the parser. */
  scan(bytes: Uint8Array, start: number): number {
    const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const devices: ReportedDevice[] = [];
    let at = skip(buffer, start);
    if (buffer[at] !== closeBracket) {
      for (;;) {
        at = this.#device(buffer, at, devices);
        if (at < 0) return -1;
        at = skip(buffer, at);
        const next = buffer[at];
        if (next === closeBracket) break;
        if (next !== comma || devices.length === maxDevicesPerReport) return -1;
        at = skip(buffer, at + 1);
      }
    }
    if (hasRepeated(devices)) return -1;
    if (devices.length <= maxRemembered) this.#identities = devices.map(({ identity }) => identity);
    this.#devices = devices;
    return at;
  }

  /** Returns where it ends; -1 if it is for the parser. */
  #device(bytes: Buffer, start: number, devices: ReportedDevice[]): number {
    if (bytes[start] !== openBrace) return -1;
    let at = start + 1;
    let identity = '';
    let rssi_dbm = Number.NaN;
    let snr_db = Number.NaN;
    let rx_mbps = Number.NaN;
    let tx_mbps = Number.NaN;
    let connected_seconds = Number.NaN;
    let heard = hearsNothing;
    for (;;) {
      const end = readString(bytes, skip(bytes, at));
      if (end < 0) return -1;
      const key = stringFrom;
      at = skip(bytes, end + 1);
      if (bytes[at] !== colon) return -1;
      at = skip(bytes, at + 1);
      if (is(deviceKey, bytes, key, end)) {
        const close = readString(bytes, at);
        if (!isText(bytes, stringFrom, close)) return -1;
        const known = this.#identities[devices.length];
        identity =
          known !== undefined && isSame(known, bytes, stringFrom, close) ? known : textOf(bytes, stringFrom, close);
        at = close + 1;
      } else if (is(heardKey, bytes, key, end)) {
        const list: ReportedNeighbour[] = [];
        at = readHeard(bytes, at, list);
        if (at < 0) return -1;
        heard = list;
      } else {
        at = readNumber(bytes, at);
        if (at < 0) return -1;
        if (is(rssiKey, bytes, key, end)) rssi_dbm = lastNumber;
        else if (is(snrKey, bytes, key, end)) snr_db = lastNumber;
        else if (is(rxKey, bytes, key, end)) rx_mbps = lastNumber;
        else if (is(txKey, bytes, key, end)) tx_mbps = lastNumber;
        else if (is(connectedKey, bytes, key, end)) connected_seconds = lastNumber;
        else return -1;
      }
      at = skip(bytes, at);
      const next = bytes[at++];
      if (next === closeBrace) break;
      if (next !== comma) return -1;
    }
    if (identity === '') return -1;
    devices.push({ identity, rssi_dbm, snr_db, rx_mbps, tx_mbps, connected_seconds, heard });
    return at;
  }
}

/** Behind the closing bracket; -1 if it is for the parser. */
function readHeard(bytes: Buffer, start: number, heard: ReportedNeighbour[]): number {
  if (bytes[start] !== openBracket) return -1;
  let at = skip(bytes, start + 1);
  if (bytes[at] === closeBracket) return at + 1;
  for (;;) {
    at = readNeighbour(bytes, at, heard);
    if (at < 0) return -1;
    at = skip(bytes, at);
    const next = bytes[at++];
    if (next === closeBracket) return at;
    if (next !== comma || heard.length === maxHeardPerDevice) return -1;
    at = skip(bytes, at);
  }
}

function readNeighbour(bytes: Buffer, start: number, heard: ReportedNeighbour[]): number {
  if (bytes[start] !== openBrace) return -1;
  let at = start + 1;
  let name = '';
  let isBssid = false;
  let rssi_dbm = Number.NaN;
  for (;;) {
    const end = readString(bytes, skip(bytes, at));
    if (end < 0) return -1;
    const key = stringFrom;
    at = skip(bytes, end + 1);
    if (bytes[at] !== colon) return -1;
    at = skip(bytes, at + 1);
    if (is(rssiKey, bytes, key, end)) {
      at = readNumber(bytes, at);
      if (at < 0) return -1;
      rssi_dbm = lastNumber;
    } else {
      isBssid = is(bssidKey, bytes, key, end);
      // One with both names is for the parser.
      if ((!isBssid && !is(apKey, bytes, key, end)) || name !== '') return -1;
      const close = readString(bytes, at);
      if (!isText(bytes, stringFrom, close)) return -1;
      name = nameOf(bytes, stringFrom, close);
      at = close + 1;
    }
    at = skip(bytes, at);
    const next = bytes[at++];
    if (next === closeBrace) break;
    if (next !== comma) return -1;
  }
  if (name === '') return -1;
  heard.push({ name, isBssid, rssi_dbm });
  return at;
}

function hasRepeated(devices: readonly ReportedDevice[]): boolean {
  const known = new Set<string>();
  for (const { identity } of devices) known.add(identity);
  return known.size < devices.length;
}

/** Where its closing quote stands: printable ASCII without escapes; -1 for any other. */
function readString(bytes: Buffer, start: number): number {
  if (bytes[start] !== quote) return -1;
  let at = start + 1;
  stringFrom = at;
  let hash = 0;
  for (;;) {
    const byte = bytes[at];
    if (byte === quote) break;
    if (byte === undefined || byte < space || byte > lastPrintable || byte === backslash) return -1;
    hash = (Math.imul(hash, 31) + byte) | 0;
    at++;
  }
  stringHash = hash;
  return at;
}

/** A name or an identity: not empty, not too long, without a space at either end. */
function isText(bytes: Buffer, from: number, to: number): boolean {
  return to > from && to - from <= maxIdentityLength && bytes[from] !== space && bytes[to - 1] !== space;
}

function isSame(text: string, bytes: Buffer, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[from + index]) return false;
  return true;
}

function textOf(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}

function nameOf(bytes: Buffer, from: number, to: number): string {
  const place = stringHash & (maxNames - 1);
  const known = names[place]!;
  if (isSame(known, bytes, from, to)) return known;
  const name = textOf(bytes, from, to);
  names[place] = name;
  return name;
}

function is(key: Buffer, bytes: Buffer, from: number, to: number): boolean {
  const { length } = key;
  if (to - from !== length) return false;
  for (let index = 0; index < length; index++) if (bytes[from + index] !== key[index]) return false;
  return true;
}

/** Where it ends: decimal, without an exponent, of few enough digits to be exact; -1 for any other. */
function readNumber(bytes: Buffer, start: number): number {
  let at = start;
  const isNegative = bytes[at] === minus;
  if (isNegative) at++;
  const begin = at;
  let digits = 0;
  let code = bytes[at]!;
  while (code >= zero && code <= nine) {
    digits = digits * 10 + (code - zero);
    code = bytes[++at]!;
  }
  let length = at - begin;
  if (length === 0 || (length > 1 && bytes[begin] === zero)) return -1;
  let decimals = 0;
  if (code === point) {
    code = bytes[++at]!;
    while (code >= zero && code <= nine) {
      digits = digits * 10 + (code - zero);
      decimals++;
      code = bytes[++at]!;
    }
    if (decimals === 0) return -1;
    length += decimals;
  }
  // What follows a number is a comma, a brace or a space; an exponent is not.
  if (length > maxDigits || (code !== comma && code !== closeBrace && code !== space)) return -1;
  const size = decimals === 0 ? digits : digits / powersOfTen[decimals]!;
  lastNumber = isNegative ? -size : size;
  return at;
}

function skip(body: Uint8Array, start: number): number {
  let at = start;
  while (body[at] === space) at++;
  return at;
}
