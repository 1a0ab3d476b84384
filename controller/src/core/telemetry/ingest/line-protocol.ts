// InfluxDB's line protocol, as Telegraf and its relatives write it: lines of `measurement,tag=value field=1i time`.
// Brings lines to the samples and rules of the parser (parse-report.ts).
import { toApId } from '@weft/contract/ap-id';
import { ValidationError } from '../../base/errors.ts';
import { MAX_PROBLEMS } from '../../base/input/json-scanner.ts';
import { isWrittenAs, toPlainDecimal } from '../../base/input/plain-decimal.ts';
import { namesSecret } from '../../base/input/secret-names.ts';
import type { Run } from '../../base/input/value-rules.ts';
import { credentialInReport } from './credentials.ts';
import { LineSamples, tooManyFields } from './line-samples.ts';
import {
  isDigit,
  isLineEnd,
  isWholeNumber,
  keyEnd,
  LineError,
  parseFieldValue,
  parseSeries,
  quotedEnd,
  type Series,
  seriesEnd,
  shortDecimal,
  skipSpaces,
  unescapeName,
  unquote,
  wordEnd,
} from './line-syntax.ts';
import { admit, foreignAgent, type TelemetryReport } from './parse-report.ts';
import { isKeepable, isName, isReserved, maxFieldsPerSample, maxNameLength, reportValue } from './sample-fields.ts';
import { checkTime, type PointLimits } from './sample-time.ts';

/** How to come from a number in that unit to milliseconds: digits to cut off, or milliseconds in one. */
const units = {
  n: { cut: 6, ms: 1 },
  ns: { cut: 6, ms: 1 },
  u: { cut: 3, ms: 1 },
  us: { cut: 3, ms: 1 },
  ms: { cut: 0, ms: 1 },
  s: { cut: 0, ms: 1000 },
  m: { cut: 0, ms: 60_000 },
  h: { cut: 0, ms: 3_600_000 },
} as const;

export type Precision = keyof typeof units;
export const precisions = Object.keys(units) as Precision[];

export interface LineProtocolOptions {
  precision: Precision;
  ap_id: string;
  nowMs: number;
  limits: PointLimits;
}

/**
 * The measurement `agent/<ap_id>/data` gives fields under their own names, any other one names of measurement, tag values
 * (in the order of the tags' keys, `host` left out) and field, joined by `_`. Lines of the same millisecond are one
 * sample; of a series' equal fields of one kind in it the last counts. Lines without a time share the server's; one that repeats a
 * field begins the next sample.
 * Throws PermissionError for the measurement of another agent, else ValidationError with all problems up to
 * MAX_PROBLEMS, each with the index of its line, counted from 0: also for two series whose fields would have one name.
 */
export function parseLineProtocol(text: string, options: LineProtocolOptions): TelemetryReport {
  const reader = new LineReader(text, options);
  const read = reader.read();
  const samples = read.toSamples();
  admit(samples, Buffer.byteLength(text), options.ap_id, options.nowMs, options.limits);
  return {
    samples,
    configuration: undefined,
    receivedMs: options.nowMs,
    locOf: (index, field) => ['body', read.lineOf(index, field)],
    merged: read.merged,
    rounded: reader.rounded > 0 ? { count: reader.rounded, fields: [] } : undefined,
  };
}

/** A series of this request, with the names of its fields by what was written: checked once, used by many lines. */
interface KnownSeries {
  series: Series;
  prefix: string;
  names: Map<string, string>;
  /** Of its last line: what was written, and the names. */
  lastKeys: string[];
  lastNames: string[];
  /** The measurement has the name of a credential. */
  isSecret: boolean;
}

const newline = 0x0a;
const hash = 0x23;
const quote = 0x22;
const comma = 0x2c;
const equals = 0x3d;

class LineReader {
  readonly #text: string;
  readonly #options: LineProtocolOptions;
  readonly #own: string;
  readonly #run: Run = { problems: [], inexact: [] };
  readonly #series = new Map<string, KnownSeries>();
  readonly #namesByPrefix = new Map<string, Map<string, string>>();
  readonly #samples = new LineSamples();
  #at = 0;
  #line = 0;
  #credentialLine: number | undefined;
  /** Integers that no number holds exactly. */
  rounded = 0;
  /** The fields of the line being read. */
  readonly #names: string[] = [];
  readonly #values: (number | string)[] = [];

  constructor(text: string, options: LineProtocolOptions) {
    this.#text = text;
    this.#options = options;
    this.#own = `agent/${options.ap_id}/data`;
  }

  read(): LineSamples {
    const { problems } = this.#run;
    while (this.#at < this.#text.length && problems.length < MAX_PROBLEMS) {
      const begin = this.#at;
      const line = this.#line;
      try {
        this.#readLine(line);
      } catch (error) {
        if (!(error instanceof LineError)) throw error;
        if (error.message !== '') reportValue(this.#run, ['body', line], error.message);
        if (this.#at === begin) {
          this.#line = line;
          this.#skipLine();
        }
      }
    }
    if (problems.length === 0 && this.#samples.isEmpty) reportValue(this.#run, ['body'], 'there is no field to store');
    if (this.#credentialLine !== undefined) throw credentialInReport(['body', this.#credentialLine]);
    if (problems.length > 0) throw new ValidationError(problems);
    return this.#samples;
  }

  #readLine(line: number): void {
    const text = this.#text;
    let at = skipSpaces(text, this.#at);
    if (isLineEnd(text, at) || text.charCodeAt(at) === hash) {
      this.#skipLine();
      return;
    }
    const end = seriesEnd(text, at);
    const known = this.#seriesOf(text.slice(at, end));
    at = this.#readFields(known, skipSpaces(text, end), line);
    let ts = Number.NaN;
    at = skipSpaces(text, at);
    if (!isLineEnd(text, at)) {
      const timeEnd = wordEnd(text, at);
      ts = this.#timeOf(text.slice(at, timeEnd), line);
      at = skipSpaces(text, timeEnd);
      if (!isLineEnd(text, at)) throw new LineError('nothing follows the time');
    }
    this.#at = at;
    this.#skipLine();
    this.#samples.add(known.series, ts, line, this.#names, this.#values);
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
    this.#line += 1;
  }

  #readFields(series: KnownSeries, begin: number, line: number): number {
    const text = this.#text;
    this.#names.length = 0;
    this.#values.length = 0;
    for (let at = begin, place = 0; ; at += 1, place += 1) {
      if (place === maxFieldsPerSample) throw tooManyFields();
      at = this.#keyEnd(series, at, place) + 1;
      const name = series.lastNames[place]!;
      if (text.charCodeAt(at) === quote) {
        const key = series.lastKeys[place]!;
        if (series.isSecret || namesSecret(unescapeName(key)) || namesSecret(name)) this.#credentialLine ??= line;
        const end = quotedEnd(text, at);
        this.#addText(name, unquote(text, at, end), line);
        for (let next = at; next < end; next += 1) if (text.charCodeAt(next) === newline) this.#line += 1;
        at = end;
      } else {
        const end = wordEnd(text, at);
        const value = shortDecimal(text, at, end);
        this.#names.push(name);
        this.#values.push(Number.isNaN(value) ? this.#valueOf(text.slice(at, end)) : value);
        at = end;
      }
      if (text.charCodeAt(at) === comma) continue;
      if (!isLineEnd(text, at) && text.charCodeAt(at) !== 0x20) throw new LineError('a comma is between fields');
      return at;
    }
  }

  #seriesOf(source: string): KnownSeries {
    const known = this.#series.get(source);
    if (known) return known;
    const series = parseSeries(source);
    const { measurement } = series;
    // The values of tags become parts of names.
    if (series.tagKeys.some(namesSecret)) this.#credentialLine ??= this.#line;
    const isOwn = toApId(measurement) === this.#own;
    if (!isOwn && /^agent\/[^/]*\/data$/.test(measurement)) throw foreignAgent();
    const prefix = isOwn ? '' : series.prefix;
    let names = this.#namesByPrefix.get(prefix);
    if (!names) {
      names = new Map();
      this.#namesByPrefix.set(prefix, names);
    }
    const isSecret = !isOwn && namesSecret(measurement);
    const fresh = { series, prefix, names, lastKeys: [], lastNames: [], isSecret };
    this.#series.set(source, fresh);
    return fresh;
  }

  /** Where the key ends that begins there, as the next one of its line. Its name is among `lastNames` of the series then. */
  #keyEnd(series: KnownSeries, begin: number, place: number): number {
    const text = this.#text;
    const last = series.lastKeys[place];
    // Where a key ends depends on nothing but its characters and the sign behind them: the same ones are the same key.
    if (last !== undefined && text.startsWith(last, begin) && text.charCodeAt(begin + last.length) === equals) {
      return begin + last.length;
    }
    const end = keyEnd(text, begin);
    const key = text.slice(begin, end);
    const name = series.names.get(key) ?? this.#newName(series, key);
    series.lastKeys[place] = key;
    series.lastNames[place] = name;
    return end;
  }

  #newName(series: KnownSeries, source: string): string {
    const name = series.prefix + unescapeName(source);
    if (series.prefix === '' && isReserved(name)) throw new LineError(`${name} cannot be a field`);
    if (!isName(name)) {
      throw new LineError(`a name has 1 to ${maxNameLength} characters, no comma and no control characters`);
    }
    series.names.set(source, name);
    return name;
  }

  #addText(name: string, text: string, line: number): void {
    if (!isKeepable(text, this.#run, ['body'], line)) throw new LineError('');
    const number = toPlainDecimal(text);
    for (const value of [number, isWrittenAs(number, text) ? undefined : text]) {
      if (value === undefined) continue;
      this.#names.push(name);
      this.#values.push(value);
    }
  }

  #valueOf(word: string): number {
    const value = parseFieldValue(word);
    // Only an integer ends in a letter and is as large as that.
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && /[iu]$/.test(word)) this.rounded += 1;
    return value;
  }

  #timeOf(word: string, line: number): number {
    if (!isWholeNumber(word)) throw new LineError('a time is a whole number');
    const { cut, ms } = units[this.#options.precision];
    const sign = word.startsWith('-') ? -1 : 1;
    const digits = isDigit(word.charCodeAt(0)) ? word : word.slice(1);
    // Cut as text: nanoseconds of today have more digits than a double can hold.
    const time = Number(cut === 0 ? digits : digits.slice(0, -cut)) * ms * sign;
    const { nowMs, limits } = this.#options;
    if (checkTime(time, ['body', line], this.#run, nowMs, limits) === undefined) throw new LineError('');
    return time;
  }
}
