// An agent says the same every second with other numbers. A shape is what its posts have in common, byte for byte; a
// body that has it is read without parsing it, to the very sample that the parser (parse-report.ts) would make of it.
import type { Sample } from '../store/telemetry-store.ts';
import type { ReportedDevice } from './device-list.ts';
import { DeviceScanner } from './device-scanner.ts';

/** Longer bodies are parsed: few agents send them, and shapes are kept in memory. */
export const maxShapeBytes = 2048;
/** With no more digits than this, a decimal is one whole number divided by a power of ten, rounded once: exact. */
const maxDigits = 15;
const powersOfTen = Array.from({ length: maxDigits + 1 }, (_, exponent) => 10 ** exponent);
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const quote = 0x22;
const openBrace = 0x7b;
const backslash = 0x5c;
const isNumberByte = new Set(Buffer.from('0123456789+-.eE'));

/** Reads one sample out of a body as the parser does; throws if the parser would refuse it. Called to learn a shape. */
export type ReadSample = (body: Uint8Array, nowMs: number) => Sample | undefined;

export class ReportShape {
  /** All bytes but the numbers. */
  readonly #fixed: Uint8Array;
  /** Where in `fixed` each number stands. */
  readonly #places: number[];
  readonly #names: string[];
  /** For each name the place of its number; -1 if its value never changes. */
  readonly #sources: number[];
  readonly #constants: number[];
  readonly #texts: Sample['texts'];
  readonly #timePlace: number;
  /** Among the places, that of the list of devices; -1 if there is none. */
  readonly #listPlace: number;
  readonly #scanner: DeviceScanner | undefined;
  readonly #numbers: Float64Array;

  private constructor(
    fixed: Uint8Array,
    places: number[],
    sample: Sample,
    sources: number[],
    timePlace: number,
    listPlace: number,
  ) {
    this.#fixed = fixed;
    this.#places = places;
    this.#names = sample.names;
    this.#sources = sources;
    this.#constants = sample.values;
    this.#texts = sample.texts;
    this.#timePlace = timePlace;
    this.#listPlace = listPlace;
    this.#scanner = listPlace < 0 ? undefined : new DeviceScanner();
    this.#numbers = new Float64Array(places.length);
  }

  /**
   * The shape of a body that the parser accepts, or undefined if that is not sure to be told by its numbers alone. Which
   * number is which field is found by asking the parser about the same body with other numbers. `listAt` is where in the body
   * an empty list of devices stands, behind its bracket: bodies of the shape may have any list there.
   */
  static learn(body: Uint8Array, read: ReadSample, listAt = -1): ReportShape | undefined {
    if (body.length > maxShapeBytes) return undefined;
    const { fixed, places } = split(body);
    const first = ask(fixed, places, 1_700_000_000_000, read);
    const second = ask(fixed, places, 1_600_000_000_000, read);
    if (!first || !second) return undefined;
    const sources = first.values.map((place, index) => (place === second.values[index] ? place : -1));
    const constants = first.sample.values;
    for (const [index, place] of sources.entries()) {
      if (place === -1 && !Object.is(constants[index], second.sample.values[index])) return undefined;
    }
    const timePlace = first.time;
    if (timePlace !== second.time || timePlace === notOfBody) return undefined;
    // A number that is neither a field nor the time may still matter to the parser.
    const used = sources.filter((place) => place !== -1);
    if (timePlace !== serverTime) used.push(timePlace);
    const isEachUsedOnce = used.length === places.length && new Set(used).size === used.length;
    if (!isEachUsedOnce) return undefined;
    if (listAt < 0) return new ReportShape(fixed, places, first.sample, sources, timePlace, -1);
    const list = split(body.subarray(0, listAt)).fixed.length;
    const listPlace = places.filter((place) => place < list).length;
    const after = (place: number) => (place >= listPlace ? place + 1 : place);
    const all = places.toSpliced(listPlace, 0, list);
    return new ReportShape(fixed, all, first.sample, sources.map(after), after(timePlace), listPlace);
  }

  get bytes(): number {
    return this.#fixed.length * 4 + 512;
  }

  /** Whether its bodies have a list of devices, which `takeDevices` gives after each `read`. */
  get hasDevices(): boolean {
    return this.#scanner !== undefined;
  }

  takeDevices(): readonly ReportedDevice[] {
    return this.#scanner?.take() ?? [];
  }

  get hasTime(): boolean {
    return this.#timePlace !== serverTime;
  }

  /**
   * The sample of a body of this shape, else undefined. A body that does not start at 0 has something else instead of
   * its brace. The sample's `ts` is the number as written in the body, or NaN if the body has no time. Samples of one
   * shape share their names, which are never to be changed.
   */
  read(bytes: Uint8Array, startsAt = 0): Sample | undefined {
    if (!this.#readNumbers(bytes, startsAt)) return undefined;
    const numbers = this.#numbers;
    const sources = this.#sources;
    const values: number[] = [];
    for (let index = 0; index < sources.length; index++) {
      const place = sources[index]!;
      values.push(place === -1 ? this.#constants[index]! : numbers[place]!);
    }
    const ts = this.#timePlace === serverTime ? Number.NaN : numbers[this.#timePlace]!;
    return { ts, names: this.#names, values, texts: this.#texts };
  }

  #readNumbers(bytes: Uint8Array, startsAt: number): boolean {
    const fixed = this.#fixed;
    const places = this.#places;
    const numbers = this.#numbers;
    const listPlace = this.#listPlace;
    if (startsAt === 0 ? bytes[0] !== fixed[0] : fixed[0] !== openBrace) return false;
    let at = startsAt + 1;
    let from = 1;
    for (let place = 0; place < places.length; place++) {
      const to = places[place]!;
      while (from < to) if (bytes[at++] !== fixed[from++]) return false;
      if (place === listPlace) {
        at = this.#scanner!.scan(bytes, at);
        if (at < 0) return false;
        continue;
      }
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
      if (length > maxDigits) return false;
      const size = decimals === 0 ? digits : digits / powersOfTen[decimals]!;
      numbers[place] = isNegative ? -size : size;
    }
    if (bytes.length - at !== fixed.length - from) return false;
    while (from < fixed.length) if (bytes[at++] !== fixed[from++]) return false;
    return true;
  }
}

const serverTime = -1;
const notOfBody = -2;

/** What the parser makes of the body when its numbers are `base` + 1, `base` + 2 and so on. */
function ask(fixed: Uint8Array, places: readonly number[], base: number, read: ReadSample) {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const [index, to] of places.entries()) {
    pieces.push(fixed.subarray(from, to), Buffer.from(String(base + 1 + index)));
    from = to;
  }
  pieces.push(fixed.subarray(from));
  let sample: Sample | undefined;
  try {
    sample = read(Buffer.concat(pieces), base);
  } catch {
    return undefined;
  }
  if (!sample) return undefined;
  const placeOf = (value: number) => {
    const place = value - base - 1;
    return Number.isInteger(place) && place >= 0 && place < places.length ? place : -1;
  };
  const time = sample.ts === base ? serverTime : placeOf(sample.ts) === -1 ? notOfBody : placeOf(sample.ts);
  return { sample, values: sample.values.map(placeOf), time };
}

/** Takes the numbers out of a JSON text; those in strings stay. */
function split(body: Uint8Array): { fixed: Uint8Array; places: number[] } {
  const fixed: number[] = [];
  const places: number[] = [];
  let isInString = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (!isInString && (byte === minus || (byte >= zero && byte <= nine))) {
      places.push(fixed.length);
      while (at + 1 < body.length && isNumberByte.has(body[at + 1]!)) at++;
      continue;
    }
    fixed.push(byte);
    if (byte === quote) isInString = !isInString;
    else if (byte === backslash && isInString && at + 1 < body.length) fixed.push(body[++at]!);
  }
  return { fixed: Uint8Array.from(fixed), places };
}
