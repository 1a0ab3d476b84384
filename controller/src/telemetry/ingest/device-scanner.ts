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

/** The keys of a device with a number, by their length and first letter, which tell them apart. */
const keys = ['rssi_dbm', 'snr_db', 'rx_mbps', 'tx_mbps', 'connected_seconds'] as const;
const keyBytes = keys.map((key) => Buffer.from(key));
const deviceKey = Buffer.from('device');
const heardKey = Buffer.from('heard');
const rssiKey = Buffer.from('rssi_dbm');
const apKey = Buffer.from('ap_id');
const bssidKey = Buffer.from('bssid');

export class DeviceScanner {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The string or number that was read last. */
  #from = 0;
  #to = 0;
  #number = 0;
  #devices: ReportedDevice[] = [];
  readonly #known = new Set<string>();

  /** The list that was read last. */
  take(): readonly ReportedDevice[] {
    const devices = this.#devices;
    this.#devices = [];
    return devices;
  }

  /** `at` is behind the opening bracket. Returns where the closing one stands; -1 if the list is for the parser. */
  scan(bytes: Uint8Array, at: number): number {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#at = at;
    this.#devices = [];
    this.#known.clear();
    const isRead = this.#list(() => this.#device());
    this.#known.clear();
    return isRead ? this.#at : -1;
  }

  /** Items until the closing bracket, which is not read. */
  #list(item: () => boolean): boolean {
    if (this.#peek() === closeBracket) return true;
    for (;;) {
      if (!item()) return false;
      const next = this.#peek();
      if (next === closeBracket) return true;
      if (next !== comma) return false;
      this.#at++;
    }
  }

  #device(): boolean {
    if (this.#devices.length >= maxDevicesPerReport || this.#peek() !== openBrace) return false;
    this.#at++;
    const device: ReportedDevice = {
      identity: '',
      rssi_dbm: Number.NaN,
      snr_db: Number.NaN,
      rx_mbps: Number.NaN,
      tx_mbps: Number.NaN,
      connected_seconds: Number.NaN,
      heard: hearsNothing,
    };
    do {
      if (!this.#key()) return false;
      const { fromKey, toKey } = { fromKey: this.#from, toKey: this.#to };
      const index = this.#numberKey(fromKey, toKey);
      if (index >= 0) {
        if (!this.#readNumber()) return false;
        device[keys[index]!] = this.#number;
      } else if (this.#is(deviceKey, fromKey, toKey)) {
        if (!this.#readText()) return false;
        device.identity = this.#text();
      } else if (this.#is(heardKey, fromKey, toKey)) {
        const heard = this.#heard();
        if (!heard) return false;
        device.heard = heard;
      } else return false;
    } while (this.#more());
    if (this.#bytes[this.#at - 1] !== closeBrace || device.identity === '' || this.#known.has(device.identity))
      return false;
    this.#known.add(device.identity);
    this.#devices.push(device);
    return true;
  }

  #heard(): ReportedNeighbour[] | undefined {
    if (this.#peek() !== openBracket) return undefined;
    this.#at++;
    const heard: ReportedNeighbour[] = [];
    if (!this.#list(() => heard.length < maxHeardPerDevice && this.#neighbour(heard))) return undefined;
    this.#at++;
    return heard;
  }

  #neighbour(heard: ReportedNeighbour[]): boolean {
    if (this.#peek() !== openBrace) return false;
    this.#at++;
    const neighbour: ReportedNeighbour = { name: '', isBssid: false, rssi_dbm: Number.NaN };
    do {
      if (!this.#key()) return false;
      const [from, to] = [this.#from, this.#to];
      if (this.#is(rssiKey, from, to)) {
        if (!this.#readNumber()) return false;
        neighbour.rssi_dbm = this.#number;
        continue;
      }
      const isBssid = this.#is(bssidKey, from, to);
      // One with both names is for the parser.
      if ((!isBssid && !this.#is(apKey, from, to)) || neighbour.name !== '' || !this.#readText()) return false;
      neighbour.name = this.#text();
      neighbour.isBssid = isBssid;
    } while (this.#more());
    if (this.#bytes[this.#at - 1] !== closeBrace || neighbour.name === '') return false;
    heard.push(neighbour);
    return true;
  }

  /** Whether a comma follows; else what stands there, a brace if all is well, is read. */
  #more(): boolean {
    const next = this.#peek();
    this.#at++;
    return next === comma;
  }

  #peek(): number | undefined {
    while (this.#bytes[this.#at] === space) this.#at++;
    return this.#bytes[this.#at];
  }

  /** A key and its colon. */
  #key(): boolean {
    if (!this.#readString() || this.#peek() !== colon) return false;
    this.#at++;
    return true;
  }

  #numberKey(from: number, to: number): number {
    const first = this.#bytes[from];
    for (let index = 0; index < keyBytes.length; index++) {
      const key = keyBytes[index]!;
      if (key[0] === first && this.#is(key, from, to)) return index;
    }
    return -1;
  }

  #is(key: Buffer, from: number, to: number): boolean {
    if (to - from !== key.length) return false;
    for (let index = 0; index < key.length; index++) if (this.#bytes[from + index] !== key[index]) return false;
    return true;
  }

  /** A name or an identity: printable ASCII, without a space at either end. */
  #readText(): boolean {
    if (!this.#readString()) return false;
    const length = this.#to - this.#from;
    if (length === 0 || length > maxIdentityLength) return false;
    return this.#bytes[this.#from] !== space && this.#bytes[this.#to - 1] !== space;
  }

  #text(): string {
    return this.#bytes.toString('latin1', this.#from, this.#to);
  }

  #readString(): boolean {
    if (this.#peek() !== quote) return false;
    const bytes = this.#bytes;
    let at = this.#at + 1;
    this.#from = at;
    for (;;) {
      const byte = bytes[at];
      if (byte === quote) break;
      if (byte === undefined || byte < space || byte > lastPrintable || byte === backslash) return false;
      at++;
    }
    this.#to = at;
    this.#at = at + 1;
    return true;
  }

  /** Decimal, without an exponent, of few enough digits to be exact. */
  #readNumber(): boolean {
    this.#peek();
    const bytes = this.#bytes;
    let at = this.#at;
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
    if (length === 0 || (length > 1 && bytes[begin] === zero)) return false;
    let decimals = 0;
    if (code === point) {
      code = bytes[++at]!;
      while (code >= zero && code <= nine) {
        digits = digits * 10 + (code - zero);
        decimals++;
        code = bytes[++at]!;
      }
      if (decimals === 0) return false;
      length += decimals;
    }
    // What follows a number is a comma, a brace or a space; an exponent is not.
    if (length > maxDigits || (code !== comma && code !== closeBrace && code !== space)) return false;
    const size = decimals === 0 ? digits : digits / powersOfTen[decimals]!;
    this.#number = isNegative ? -size : size;
    this.#at = at;
    return true;
  }
}

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

function skip(body: Uint8Array, start: number): number {
  let at = start;
  while (body[at] === space) at++;
  return at;
}
