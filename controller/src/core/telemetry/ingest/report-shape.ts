// An agent says the same every second with other numbers. A shape is what its posts have in common, byte for byte; a
// body that has it is read without parsing it, to the very sample that the parser (parse-report.ts) would make of it.
import type { Sample } from '../store/telemetry-store.ts';
import type { ReportedDevice } from './device-list.ts';
import { DeviceScanner } from './device-scanner.ts';
import { type LearnedShape, learnShape, type ReadSample, serverTime, splitNumbers } from './learn-shape.ts';
import { matchEnd, readNumbers } from './shape-numbers.ts';

const openBrace = 0x7b;

export class ReportShape {
  readonly #fixed: Uint8Array;
  readonly #places: number[];
  readonly #names: string[];
  readonly #sources: number[];
  readonly #constants: number[];
  readonly #texts: Sample['texts'];
  readonly #timePlace: number;
  /** Among the places, that of the list of devices; -1 if there is none. */
  readonly #listPlace: number;
  readonly #scanner: DeviceScanner | undefined;
  readonly #numbers: Float64Array;

  private constructor({ fixed, places, sample, sources, timePlace }: LearnedShape, listPlace: number) {
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
   * As learnShape. `listAt` is where in the body an empty list of devices stands, behind its bracket: bodies of the shape
   * may have any list there.
   */
  static learn(body: Uint8Array, read: ReadSample, listAt = -1): ReportShape | undefined {
    const learned = learnShape(body, read);
    if (!learned || listAt < 0) return learned && new ReportShape(learned, -1);
    const { places, sources, timePlace } = learned;
    const list = splitNumbers(body.subarray(0, listAt)).fixed.length;
    const listPlace = places.filter((place) => place < list).length;
    const after = (place: number) => (place >= listPlace ? place + 1 : place);
    const all = places.toSpliced(listPlace, 0, list);
    const shape = { ...learned, places: all, sources: sources.map(after), timePlace: after(timePlace) };
    return new ReportShape(shape, listPlace);
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
    let first = 0;
    if (listPlace >= 0) {
      const list = places[listPlace]!;
      at = readNumbers(bytes, at, fixed, from, places, 0, listPlace, numbers);
      if (at < 0) return false;
      if (listPlace > 0) from = places[listPlace - 1]!;
      while (from < list) if (bytes[at++] !== fixed[from++]) return false;
      at = this.#scanner!.scan(bytes, at);
      if (at < 0) return false;
      first = listPlace + 1;
    }
    at = readNumbers(bytes, at, fixed, from, places, first, places.length, numbers);
    if (at < 0) return false;
    if (places.length > first) from = places.at(-1)!;
    return bytes.length - at === fixed.length - from && matchEnd(bytes, at, fixed, from) >= 0;
  }
}
