// The parser of the telemetry path: whatever endpoint a report comes to, its samples leave here flat, typed, timed and
// within the rules, all of them or none. This file reads the JSON forms; line-protocol.ts brings lines to the same rules.
import { isObject } from '@weft/contract/is-object';
import { PermissionError, ValidationError } from '../../errors.ts';
import { type JsonPath, MAX_PROBLEMS } from '../../input/json-scanner.ts';
import { reportInexact } from '../../input/validator.ts';
import type { Loc, Run } from '../../input/value-rules.ts';
import type { Sample } from '../store/telemetry-store.ts';
import { countFields, locOfField, maxSamplesPerBatch, readFields, reportValue } from './sample-fields.ts';
import { type PointLimits, readTime } from './sample-time.ts';

/** What the parser has accepted: one report of one agent. */
export interface TelemetryReport {
  samples: Sample[];
  /** Top-level keys for the agent's configuration. */
  configuration: Record<string, unknown> | undefined;
  receivedMs: number;
  /** Where in the request a field of a sample stands. */
  locOf: (sampleIndex: number, field: string) => Loc;
  /** To be called once it is durable. Must not throw. */
  onStored?: () => void;
}

type JsonObject = Record<string, unknown>;

/**
 * Reads a report in one of three forms: an array `samples` of objects with fields; an object `payload` with fields; the
 * fields themselves. In all of them:
 * - a time beside the fields is theirs (`ts` before `timestamp`); else the body's, if fields are further inside; else
 *   the server's. Other keys beside `samples` or `payload` mean nothing.
 * - `configuration` beside the fields or at the top is for the agent's record; of several, later keys win. Alone it is
 *   a report of no samples.
 * Throws PermissionError for an `ap_id` that is not the caller's, and else ValidationError with all problems, at most
 * MAX_PROBLEMS; also when there is nothing inside, or a sample of a batch has no field. `inexact` comes from readJson:
 * such integers are rounded as values and refused in a configuration.
 */
export function parseReport(
  body: unknown,
  ap_id: string,
  nowMs: number,
  limits: PointLimits,
  inexact: JsonPath[] = [],
): TelemetryReport {
  const run: Run = { problems: [], inexact };
  if (!isObject(body)) throw new ValidationError([notAnObject(['body'])]);
  requireOwn(body, ap_id);
  const reader = new UpdateReader(run, nowMs, limits);
  const { samples: list, payload } = body;
  let locOf: TelemetryReport['locOf'];
  if (Array.isArray(list)) {
    for (const item of list) if (isObject(item)) requireOwn(item, ap_id);
    reader.batch(body, list);
    locOf = (index, field) => locOfField(list[index] as JsonObject, field, ['body', 'samples', index]);
  } else if (isObject(payload)) {
    requireOwn(payload, ap_id);
    reader.configurationOf(body, ['body']);
    reader.single(payload, ['body', 'payload'], reader.timeOf(body, ['body']));
    locOf = (_index, field) => locOfField(payload, field, ['body', 'payload']);
  } else {
    reader.single(body, ['body'], undefined);
    locOf = (_index, field) => locOfField(body, field, ['body']);
  }
  const { samples, configuration } = reader;
  if (run.problems.length > 0) throw new ValidationError(run.problems);
  giveServerTimes(samples, ap_id, nowMs, limits);
  return { samples, configuration, receivedMs: nowMs, locOf };
}

class UpdateReader {
  readonly samples: Sample[] = [];
  configuration: JsonObject | undefined;
  readonly #run: Run;
  readonly #nowMs: number;
  readonly #limits: PointLimits;

  constructor(run: Run, nowMs: number, limits: PointLimits) {
    this.#run = run;
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  batch(body: JsonObject, list: unknown[]): void {
    const { problems } = this.#run;
    this.configurationOf(body, ['body']);
    const loc = ['body', 'samples'];
    if (list.length > maxSamplesPerBatch) {
      reportValue(this.#run, loc, `a batch has at most ${maxSamplesPerBatch} samples`);
      return;
    }
    const sharedTime = this.timeOf(body, ['body']);
    for (let index = 0; index < list.length && problems.length < MAX_PROBLEMS; index += 1) {
      const item: unknown = list[index];
      if (!isObject(item)) problems.push(notAnObject([...loc, index]));
      else if (!this.#sample(item, [...loc, index], sharedTime)) reportNothing(this.#run, [...loc, index]);
    }
    if (list.length === 0 && !this.configuration && problems.length === 0) reportNothing(this.#run, loc);
  }

  single(source: JsonObject, loc: Loc, sharedTime: number | undefined): void {
    const isUsable = this.#sample(source, loc, sharedTime) || this.configuration !== undefined;
    if (!isUsable && this.#run.problems.length === 0) reportNothing(this.#run, loc);
  }

  timeOf({ ts, timestamp }: JsonObject, loc: Loc): number | undefined {
    if (ts !== undefined && ts !== null) return readTime(ts, [...loc, 'ts'], this.#run, this.#nowMs, this.#limits);
    if (timestamp === undefined || timestamp === null) return undefined;
    return readTime(timestamp, [...loc, 'timestamp'], this.#run, this.#nowMs, this.#limits);
  }

  configurationOf({ configuration: given }: JsonObject, loc: Loc): void {
    if (given === undefined || given === null) return;
    const place = [...loc, 'configuration'];
    if (!isObject(given)) this.#run.problems.push(notAnObject(place));
    else if (this.#run.inexact.length === 0 || !reportInexact(place, this.#run)) {
      this.configuration = this.configuration ? { ...this.configuration, ...given } : given;
    }
  }

  /** Whether there is a sample, or something is wrong with it. */
  #sample(source: JsonObject, loc: Loc, sharedTime: number | undefined): boolean {
    const before = this.#run.problems.length;
    this.configurationOf(source, loc);
    const ts = this.timeOf(source, loc) ?? sharedTime ?? Number.NaN;
    const sample: Sample = { ts, names: [], values: [], texts: [] };
    readFields(source, sample, loc, this.#run);
    if (this.#run.problems.length > before) return true;
    if (countFields(sample) === 0) return false;
    this.samples.push(sample);
    return true;
  }
}

/** For the samples whose time is not a number yet. */
export function giveServerTimes(samples: Sample[], ap_id: string, nowMs: number, limits: PointLimits): void {
  let timeless = 0;
  for (const { ts } of samples) if (Number.isNaN(ts)) timeless += 1;
  if (timeless === 0) return;
  let next = limits.serverTimes.take(ap_id, nowMs, timeless);
  for (const sample of samples) if (Number.isNaN(sample.ts)) sample.ts = next++;
}

function requireOwn({ ap_id: given }: JsonObject, ap_id: string): void {
  if (given !== undefined && given !== null && given !== ap_id) throw foreignAgent();
}

export function foreignAgent(): PermissionError {
  return new PermissionError('foreign_ap_id', 'An agent may report only for itself');
}

export function reportNothing(run: Run, loc: Loc): undefined {
  return reportValue(run, loc, 'there is no field to store');
}

function notAnObject(loc: Loc) {
  return { loc, msg: 'Input should be a valid dictionary', type: 'dict_type' };
}
