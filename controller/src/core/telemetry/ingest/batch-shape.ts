// A batch repeats what one sample looks like. The shape of a batch is that of one of its samples and what stands before,
// between and behind them; a body that has it is read without parsing it, to the very samples that the parser
// (parse-report.ts) would make of it.
import type { Sample } from '../store/telemetry-store.ts';
import { findSamples } from './find-lists.ts';
import { type LearnedShape, learnShape, type ReadSample, serverTime, splitNumbers } from './learn-shape.ts';
import { matchEnd, readNumbers } from './shape-numbers.ts';

const openBrace = 0x7b;
const colon = 0x3a;

export interface BatchLimits {
  maxSamples: number;
  /** Of the whole body, as the reader of JSON counts them. */
  maxKeys: number;
}

interface Frame {
  before: Uint8Array;
  between: Uint8Array;
  behind: Uint8Array;
}

export class BatchShape {
  readonly #frame: Frame;
  /** Of one sample: all bytes but the numbers, and where each of these stands. */
  readonly #fixed: Uint8Array;
  readonly #places: number[];
  readonly #names: string[];
  readonly #sources: number[];
  /** To be copied for each sample. With a fraction in it, so that the copies hold numbers in the way that suits fractions. */
  readonly #values: number[];
  readonly #texts: Sample['texts'];
  readonly #timePlace: number;
  readonly #maxSamples: number;
  readonly #numbers: Float64Array;

  private constructor(frame: Frame, { fixed, places, sample, sources, timePlace }: LearnedShape, maxSamples: number) {
    const start = frame.before.length;
    this.#frame = frame;
    this.#fixed = fixed.slice(start, fixed.length - frame.behind.length);
    this.#places = places.map((place) => place - start);
    this.#names = sample.names;
    this.#sources = sources;
    this.#values = sample.values.map((value, index) => (sources[index] === -1 ? value : 0.5));
    this.#texts = sample.texts;
    this.#timePlace = timePlace;
    this.#maxSamples = maxSamples;
    this.#numbers = new Float64Array(places.length);
  }

  /**
   * The shape of a batch that the parser accepts, learned from its first sample; undefined if the samples of such a batch
   * are not sure to be told by their numbers alone. `read` is asked about the same body with one sample only.
   */
  static learn(body: Uint8Array, read: ReadSample, { maxSamples, maxKeys }: BatchLimits): BatchShape | undefined {
    const found = findSamples(body);
    if (!found) return undefined;
    const { first, second, lastEnd } = found;
    const frame = {
      before: body.slice(0, first.from),
      between: body.slice(first.to, second),
      behind: body.slice(lastEnd),
    };
    const sample = body.subarray(first.from, first.to);
    const learned = learnShape(Buffer.concat([frame.before, sample, frame.behind]), read);
    // Numbers beside the samples are left to the parser; and one in the sample shows that this list is the one it reads.
    const numbers = splitNumbers(sample).places.length;
    if (!learned || numbers === 0 || learned.places.length !== numbers) return undefined;
    // At least as many as the reader counts, which does not count those in texts.
    const keys = (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum + (byte === colon ? 1 : 0), 0);
    const most = Math.floor((maxKeys - keys(frame.before) - keys(frame.behind)) / Math.max(1, keys(sample)));
    return new BatchShape(frame, learned, Math.min(maxSamples, most));
  }

  get bytes(): number {
    const { before, between, behind } = this.#frame;
    return (this.#fixed.length + before.length + between.length + behind.length) * 4 + 1024;
  }

  get hasTime(): boolean {
    return this.#timePlace !== serverTime;
  }

  /** As ReportShape does, for a body with any number of samples, at least one. */
  read(bytes: Uint8Array, startsAt = 0): Sample[] | undefined {
    const { before, between, behind } = this.#frame;
    const fixed = this.#fixed;
    const places = this.#places;
    const numbers = this.#numbers;
    if (startsAt === 0 ? bytes[0] !== before[0] : before[0] !== openBrace) return undefined;
    let at = matchEnd(bytes, startsAt + 1, before, 1);
    const samples: Sample[] = [];
    while (at >= 0 && samples.length < this.#maxSamples) {
      at = readNumbers(bytes, at, fixed, 0, places, 0, places.length, numbers);
      if (at < 0) return undefined;
      at = matchEnd(bytes, at, fixed, places.at(-1)!);
      if (at < 0) return undefined;
      samples.push(this.#sample());
      const next = matchEnd(bytes, at, between, 0);
      if (next < 0) return matchEnd(bytes, at, behind, 0) === bytes.length ? samples : undefined;
      at = next;
    }
    return undefined;
  }

  #sample(): Sample {
    const numbers = this.#numbers;
    const sources = this.#sources;
    const values = this.#values.slice();
    for (let index = 0; index < sources.length; index++) {
      const place = sources[index]!;
      if (place !== -1) values[index] = numbers[place]!;
    }
    const ts = this.#timePlace === serverTime ? Number.NaN : numbers[this.#timePlace]!;
    return { ts, names: this.#names, values, texts: this.#texts };
  }
}
