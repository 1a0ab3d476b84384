// The fields of a sample: flattens what an agent sent, tells metrics from texts, and holds names and values to the rules
// that every endpoint shares. Part of the parser.
import { isStorableText } from '../../input/json-scanner.ts';
import { add, type Loc, lengthProblem, type Run, report, valueError } from '../../input/value-rules.ts';
import type { Sample } from '../store/telemetry-store.ts';

export const maxFieldsPerSample = 1024;
export const maxSamplesPerBatch = 10_000;
export const maxNameLength = 256;
export const maxTextLength = 4096;

/** Beside the fields, in every form of a report; never fields themselves. */
export function isReserved(key: string): boolean {
  return key === 'ts' || key === 'timestamp' || key === 'ap_id' || key === 'configuration';
}

/** Adds the fields of `source` to the sample, and what is wrong with them to the run, under the source's own `loc`. */
export function readFields(source: Record<string, unknown>, sample: Sample, loc: Loc, run: Run): void {
  const before = run.problems.length;
  const hasNested = flatten(source, '', sample, loc, run);
  if (run.problems.length > before) return;
  const count = countFields(sample);
  if (count > maxFieldsPerSample) reportValue(run, loc, `a sample has at most ${maxFieldsPerSample} fields`);
  // The keys of one object differ by nature.
  else if (hasNested) reportRepeats(source, loc, run);
}

export function countFields({ names, texts }: Sample): number {
  return names.length + texts.length;
}

function flatten(source: Record<string, unknown>, prefix: string, sample: Sample, loc: Loc, run: Run): boolean {
  let hasNested = false;
  // for...in, because Object.entries makes an array a field; objects out of JSON inherit nothing that it would list.
  for (const key in source) {
    const value = source[key];
    if (value === null || value === undefined || (prefix === '' && isReserved(key))) continue;
    if (countFields(sample) > maxFieldsPerSample) break;
    const name = prefix === '' ? key : prefix + key;
    if (!checkName(name, loc, key, run)) continue;
    if (typeof value === 'number') {
      if (Number.isFinite(value)) addMetric(sample, name, value);
      else reportNotFinite(run, [...loc, key]);
    } else if (typeof value === 'boolean') addMetric(sample, name, value ? 1 : 0);
    else if (typeof value === 'string') addText(sample, name, value, loc, key, run);
    else if (typeof value === 'object' && !Array.isArray(value)) {
      hasNested = true;
      flatten(value as Record<string, unknown>, `${name}_`, sample, [...loc, key], run);
    } else
      reportValue(run, [...loc, key], 'a field is a number, a boolean, a text or an object of fields, never an array');
  }
  return hasNested;
}

function addMetric(sample: Sample, name: string, value: number): void {
  sample.names.push(name);
  sample.values.push(value);
}

function addText(sample: Sample, name: string, text: string, loc: Loc, key: string, run: Run): void {
  const value = readText(text, run, loc, key);
  if (typeof value === 'number') addMetric(sample, name, value);
  else if (value !== undefined) sample.texts.push([name, value]);
}

/** A plain number as that number, any other text as it is; undefined with a problem added if it cannot be kept. */
export function readText(text: string, run: Run, loc: Loc, key: string | number): number | string | undefined {
  const number = toPlainNumber(text);
  if (number !== undefined) {
    return Number.isFinite(number) ? number : reportNotFinite(run, [...loc, key]);
  }
  if (text.length > maxTextLength) {
    const problem = lengthProblem(text, undefined, maxTextLength, [...loc, key]);
    if (problem) return report(run, problem.loc, problem.type, problem.msg, problem.ctx);
  }
  if (!isStorableText(text)) {
    const msg = 'Input should be a valid string, unable to parse raw data as a unicode string';
    return report(run, [...loc, key], 'string_unicode', msg);
  }
  return text;
}

/**
 * The number that a text is, if it is a plain one, else undefined. Plain: an optional sign; digits with an optional
 * fraction, or a fraction alone (`5`, `5.`, `5.25`, `.5`); an optional exponent. No spaces, no underscores, no hex, no
 * `NaN`, no `Infinity`. Infinite if it is too large.
 */
export function toPlainNumber(text: string): number | undefined {
  let at = text.charCodeAt(0) === 0x2b || text.charCodeAt(0) === 0x2d ? 1 : 0;
  const whole = digitsEnd(text, at);
  let digits = whole - at;
  at = whole;
  if (text.charCodeAt(at) === 0x2e) {
    const fraction = digitsEnd(text, at + 1);
    digits += fraction - at - 1;
    at = fraction;
  }
  if (digits === 0) return undefined;
  // e or E
  if ((text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    const begin = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    const end = digitsEnd(text, begin);
    if (end === begin) return undefined;
    at = end;
  }
  return at === text.length ? Number(text) : undefined;
}

function digitsEnd(text: string, begin: number): number {
  let at = begin;
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) at += 1;
  return at;
}

/** 1 to 256 characters, no comma, no control characters; else false, with a problem added. */
export function checkName(name: string, loc: Loc, key: string | number, run: Run): boolean {
  const length = name.length;
  // Twice as long can still be few enough characters, written in pairs.
  let isGood = length > 0 && length <= 2 * maxNameLength;
  let hasPairs = false;
  for (let index = 0; isGood && index < length; index += 1) {
    const code = name.charCodeAt(index);
    if (code === 0x2c || code < 0x20 || (code >= 0x7f && code <= 0x9f)) isGood = false;
    else if (code >= 0xd800 && code <= 0xdfff) hasPairs = true;
  }
  if (isGood && hasPairs) isGood = name.isWellFormed();
  if (isGood && length > maxNameLength) isGood = hasPairs && [...name].length <= maxNameLength;
  if (isGood) return true;
  const place = typeof key === 'string' ? key.slice(0, maxNameLength).toWellFormed() : key;
  const error = `a name has 1 to ${maxNameLength} characters, no comma and no control characters`;
  reportValue(run, [...loc, place], error);
  return false;
}

/** Where the field of that name came from, nested keys and all. */
export function locOfField(source: Record<string, unknown>, field: string, loc: Loc): Loc {
  for (const [name, path] of flatPaths(source, '', loc)) if (name === field) return path;
  return loc;
}

function reportRepeats(source: Record<string, unknown>, loc: Loc, run: Run): void {
  const seen = new Set<string>();
  for (const [name, path] of flatPaths(source, '', loc)) {
    if (seen.has(name)) reportValue(run, path, 'another field of this sample has this name too');
    seen.add(name);
  }
}

function* flatPaths(source: Record<string, unknown>, prefix: string, loc: Loc): Generator<[string, Loc]> {
  for (const [key, value] of Object.entries(source)) {
    if (value === null || value === undefined || (prefix === '' && isReserved(key))) continue;
    if (typeof value !== 'object') yield [prefix + key, [...loc, key]];
    else yield* flatPaths(value as Record<string, unknown>, `${prefix}${key}_`, [...loc, key]);
  }
}

function reportNotFinite(run: Run, loc: Loc): undefined {
  return report(run, loc, 'finite_number', 'Input should be a finite number');
}

export function reportValue(run: Run, loc: Loc, error: string): undefined {
  return add(run, valueError(loc, error));
}
