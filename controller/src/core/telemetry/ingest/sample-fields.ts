// The fields of a sample: flattens what an agent sent, tells metrics from texts, and holds names and values to the rules
// that every endpoint shares. Part of the parser.
import { isStorableText } from '../../base/input/json-scanner.ts';
import { isWrittenAs, toPlainDecimal } from '../../base/input/plain-decimal.ts';
import { namesSecret } from '../../base/input/secret-names.ts';
import { add, type Loc, lengthProblem, type Run, report, valueError } from '../../base/input/value-rules.ts';
import type { Sample } from '../store/telemetry-store.ts';
import { findCredential } from './credentials.ts';
import { IgnoredFields, type IgnoredReason } from './ignored-fields.ts';

export const maxFieldsPerSample = 1024;
export const maxSamplesPerBatch = 10_000;
export const maxNameLength = 256;
export const maxTextLength = 4096;

/** What reading a report finds, beside its samples. */
export interface ReportRun extends Run {
  ignored: IgnoredFields | undefined;
  /** Where the first credential stands. */
  credential: Loc | undefined;
}

/** Beside the fields, in every form of a report; never fields themselves. */
export function isReserved(key: string): boolean {
  return isTimeKey(key) || key === 'ap_id' || key === 'configuration' || key === 'geolocation' || key === 'devices';
}

function isTimeKey(key: string): boolean {
  return key === 'ts' || key === 'timestamp' || key === 'time';
}

/**
 * Adds the fields of `source` to the sample. What cannot be stored is ignored, of two fields with one name the second;
 * what breaks a bound is a problem under the source's own `loc`. The keys that are reserved are not looked at.
 */
export function readFields(source: Record<string, unknown>, sample: Sample, loc: Loc, run: ReportRun): void {
  flatten(source, '', sample, loc, run, undefined, false);
  if (countFields(sample) > maxFieldsPerSample && countNames(sample) > maxFieldsPerSample) {
    reportValue(run, loc, `a sample has at most ${maxFieldsPerSample} fields`);
  }
}

/** A name that has a number and a text counts twice. */
export function countFields({ names, texts }: Sample): number {
  return names.length + texts.length;
}

function countNames({ names, texts }: Sample): number {
  return new Set([...names, ...texts.map(([name]) => name)]).size;
}

export function ignore(run: ReportRun, name: string, reason: IgnoredReason): void {
  run.ignored ??= new IgnoredFields();
  run.ignored.add(name, reason);
}

/**
 * `known` are the names that are taken; only needed inside of an object, because the keys of one differ by nature.
 * `isSecret`: the object is under the name of a credential.
 */
function flatten(
  source: Record<string, unknown>,
  prefix: string,
  sample: Sample,
  loc: Loc,
  run: ReportRun,
  known: Set<string> | undefined,
  isSecret: boolean,
): void {
  let taken = known;
  // for...in, because Object.entries makes an array a field; objects out of JSON inherit nothing that it would list.
  for (const key in source) {
    const value = source[key];
    if (value === null || value === undefined || (prefix === '' && isReserved(key))) continue;
    if (countFields(sample) > 2 * maxFieldsPerSample) break;
    const name = prefix === '' ? key : prefix + key;
    if (typeof value === 'object') {
      if (Array.isArray(value)) {
        run.credential ??= findCredential(value, [...loc, key], isSecret || namesSecret(key) || namesSecret(name));
        ignore(run, name, 'array');
      } else {
        taken ??= new Set([...sample.names, ...sample.texts.map(([text]) => text)]);
        const isInSecret = isSecret || namesSecret(key);
        flatten(value as Record<string, unknown>, `${name}_`, sample, [...loc, key], run, taken, isInSecret);
      }
      continue;
    }
    if (typeof value === 'string' && (isSecret || namesSecret(key) || namesSecret(name))) {
      run.credential ??= [...loc, key];
    }
    if (!isName(name)) ignore(run, name, 'name');
    else if (taken?.has(name)) ignore(run, name, 'repeated');
    else {
      taken?.add(name);
      addField(sample, name, value as number | boolean | string, loc, key, run);
    }
  }
}

function addField(
  sample: Sample,
  name: string,
  value: number | boolean | string,
  loc: Loc,
  key: string,
  run: ReportRun,
): void {
  if (typeof value !== 'string') addNumber(sample, name, Number(value));
  else if (isKeepable(value, run, loc, key)) {
    const number = toPlainDecimal(value);
    if (number !== undefined) addNumber(sample, name, number);
    if (!isWrittenAs(number, value)) sample.texts.push([name, value]);
  }
}

function addNumber(sample: Sample, name: string, number: number): void {
  sample.names.push(name);
  sample.values.push(number);
}

/** Whether the text can be kept; else a problem is added. */
export function isKeepable(text: string, run: Run, loc: Loc, key: string | number): boolean {
  if (text.length > maxTextLength) {
    const problem = lengthProblem(text, undefined, maxTextLength, [...loc, key]);
    if (problem) {
      report(run, problem.loc, problem.type, problem.msg, problem.ctx);
      return false;
    }
  }
  if (isStorableText(text)) return true;
  const msg = 'Input should be a valid string, unable to parse raw data as a unicode string';
  report(run, [...loc, key], 'string_unicode', msg);
  return false;
}

/**
 * The number that a text is by the grammar of programs, else undefined: an optional sign; digits with an optional
 * fraction, or a fraction alone (`5`, `5.`, `5.25`, `.5`); an optional exponent. No spaces, no underscores, no hex, no
 * `NaN`, no `Infinity`. Infinite if it is too large.
 */
export function toNumber(text: string): number | undefined {
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

/** 1 to 256 characters, no comma, no control characters. */
export function isName(name: string): boolean {
  const length = name.length;
  // Twice as long can still be few enough characters, written in pairs.
  if (length === 0 || length > 2 * maxNameLength) return false;
  let hasPairs = false;
  for (let index = 0; index < length; index += 1) {
    const code = name.charCodeAt(index);
    if (code === 0x2c || code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false;
    if (code >= 0xd800 && code <= 0xdfff) hasPairs = true;
  }
  if (hasPairs && !name.isWellFormed()) return false;
  return length <= maxNameLength || (hasPairs && [...name].length <= maxNameLength);
}

/** Where the field of that name came from, nested keys and all. */
export function locOfField(source: Record<string, unknown>, field: string, loc: Loc): Loc {
  for (const [name, path] of flatPaths(source, '', loc)) if (name === field) return path;
  return loc;
}

function* flatPaths(source: Record<string, unknown>, prefix: string, loc: Loc): Generator<[string, Loc]> {
  for (const [key, value] of Object.entries(source)) {
    if (value === null || value === undefined || (prefix === '' && isReserved(key))) continue;
    if (typeof value !== 'object') yield [prefix + key, [...loc, key]];
    else yield* flatPaths(value as Record<string, unknown>, `${prefix}${key}_`, [...loc, key]);
  }
}

export function reportValue(run: Run, loc: Loc, error: string): undefined {
  return add(run, valueError(loc, error));
}
