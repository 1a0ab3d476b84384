// Learns what the reports of an agent have in common: which bytes are always the same, and which number is which field.
// Once for each shape of reports (report-shape.ts, batch-shape.ts).
import type { Sample } from '../store/telemetry-store.ts';
import { isNumberStart } from './shape-numbers.ts';

/** Longer ones are parsed: few agents send them, and shapes are kept in memory. Of a batch this is one sample. */
export const maxShapeBytes = 2048;
const quote = 0x22;
const backslash = 0x5c;
const isNumberByte = new Set(Buffer.from('0123456789+-.eE'));

/** Reads one sample out of a body as the parser does; throws if the parser would refuse it. */
export type ReadSample = (body: Uint8Array, nowMs: number) => Sample | undefined;

export interface LearnedShape {
  /** All bytes but the numbers. */
  fixed: Uint8Array;
  /** Where in `fixed` each number stands. */
  places: number[];
  /** Its names and texts are those of every body; so are the values that have no source. */
  sample: Sample;
  /** For each name the place of its number; -1 if its value never changes. */
  sources: number[];
  /** The place of the time, or `serverTime`. */
  timePlace: number;
}

/** The body has no time. */
export const serverTime = -1;
const notOfBody = -2;

/**
 * The shape of a body with one sample that the parser accepts, or undefined if that is not sure to be told by its numbers
 * alone. Which number is which field is found by asking the parser about the same body with other numbers.
 */
export function learnShape(body: Uint8Array, read: ReadSample): LearnedShape | undefined {
  if (body.length > maxShapeBytes) return undefined;
  const { fixed, places } = splitNumbers(body);
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
  return isEachUsedOnce ? { fixed, places, sample: first.sample, sources, timePlace } : undefined;
}

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
  const indexOfValue = (value: number) => {
    const place = value - base - 1;
    return Number.isInteger(place) && place >= 0 && place < places.length ? place : -1;
  };
  const time = sample.ts === base ? serverTime : indexOfValue(sample.ts) === -1 ? notOfBody : indexOfValue(sample.ts);
  return { sample, values: sample.values.map(indexOfValue), time };
}

/** Takes the numbers out of a JSON text; those in strings stay. */
export function splitNumbers(body: Uint8Array): { fixed: Uint8Array; places: number[] } {
  const fixed: number[] = [];
  const places: number[] = [];
  let isInString = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (!isInString && isNumberStart(byte)) {
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
