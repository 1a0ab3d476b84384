// The parser of the telemetry path: whatever endpoint a report comes to, its samples leave here flat, typed, timed and
// within the rules, all of them or none. This file reads the JSON forms; line-protocol.ts brings lines to the same rules.
import { toApId } from '@weft/contract/ap-id';
import { isObject } from '@weft/contract/is-object';
import { readPlace } from '@weft/contract/place';
import { PermissionError, ValidationError } from '../../base/errors.ts';
import { readJson } from '../../base/input/json-reader.ts';
import { type JsonPath, MAX_PROBLEMS } from '../../base/input/json-scanner.ts';
import { namesSecret } from '../../base/input/secret-names.ts';
import { reportInexact } from '../../base/input/validator.ts';
import type { Loc } from '../../base/input/value-rules.ts';
import type { Sample } from '../store/telemetry-store.ts';
import { credentialInReport, findCredential } from './credentials.ts';
import { type DeviceList, readDevices } from './device-list.ts';
import { type IgnoredFields, maxNamedFields } from './ignored-fields.ts';
import {
  countFields,
  ignore,
  isReserved,
  locOfField,
  maxSamplesPerBatch,
  type ReportRun,
  readFields,
  reportValue,
} from './sample-fields.ts';
import { type PointLimits, readTimes } from './sample-time.ts';

/** What the parser has accepted: one report of one agent. */
export interface TelemetryReport {
  samples: Sample[];
  /** Top-level keys for the agent's configuration. */
  configuration: Record<string, unknown> | undefined;
  /** Which devices were attached, oldest first; undefined: it does not say. */
  devices?: readonly DeviceList[] | undefined;
  receivedMs: number;
  ignored?: IgnoredFields | undefined;
  /** Integers that no number holds exactly, with the first names of their fields where the form can tell. */
  rounded?: { count: number; fields: string[] } | undefined;
  /** How many lines have been replaced in part by later ones of the same millisecond. */
  merged?: number;
  /** Where in the request a field of a sample stands. */
  locOf: (sampleIndex: number, field: string) => Loc;
  /** To be called once it is durable. Must not throw. */
  onStored?: () => void;
}

type JsonObject = Record<string, unknown>;

/** Of a payload that is a text; more than fit into a sample are refused anyway. */
const maxPayloadKeys = 10_000;

/**
 * Reads a report in one of three forms: an array `samples` of objects with fields; an object `payload`, or a text that is
 * one in JSON, with fields; the fields themselves. In all of them:
 * - a time beside the fields is theirs (`ts`, `timestamp` or `time`); else the body's, if fields are further inside; else
 *   the server's.
 * - `configuration` beside the fields or at the top is for the agent's record, and `geolocation` is its key of that name;
 *   of several, later keys win.
 * - `devices` beside the fields is what is attached at their time.
 * - what cannot be stored is left out and named, also what stands beside `samples` or `payload` and means nothing there.
 *   A sample without any field is none.
 * Throws PermissionError for an `ap_id` that is not the caller's; ValidationError for a credential anywhere, and else with
 * all problems, at most MAX_PROBLEMS. `inexact` comes from readJson: such integers are rounded as values and refused in a
 * configuration. Throws TryLaterError if the agent's budget is used up, of which `bytes` is what the report takes.
 */
export function parseReport(
  body: unknown,
  ap_id: string,
  nowMs: number,
  limits: PointLimits,
  inexact: JsonPath[] = [],
  bytes = 0,
): TelemetryReport {
  const run: ReportRun = { problems: [], inexact, ignored: undefined, credential: undefined };
  if (!isObject(body)) throw new ValidationError([notAnObject(['body'])]);
  requireOwn(body, ap_id);
  const reader = new UpdateReader(run, nowMs, limits);
  const { samples: list } = body;
  const payload = Array.isArray(list) ? undefined : payloadOf(body, run);
  let locOf: TelemetryReport['locOf'];
  if (Array.isArray(list)) {
    for (const item of list) if (isObject(item)) requireOwn(item, ap_id);
    const ts = reader.timeOf(body, ['body']);
    reader.around(body, 'samples', 'beside_samples', ts);
    reader.batch(list, ts);
    locOf = (index, field) => {
      const place = reader.places[index]!;
      return locOfField(list[place] as JsonObject, field, ['body', 'samples', place]);
    };
  } else if (payload) {
    requireOwn(payload, ap_id);
    const ts = reader.timeOf(body, ['body']);
    reader.around(body, 'payload', 'beside_payload', ts);
    reader.sample(payload, ['body', 'payload'], ts);
    locOf = (_index, field) => locOfField(payload, field, ['body', 'payload']);
  } else {
    reader.sample(withoutTextPayload(body, run), ['body'], undefined);
    locOf = (_index, field) => locOfField(body, field, ['body']);
  }
  const { samples, configuration, devices } = reader;
  if (run.credential) throw credentialInReport(run.credential);
  if (run.problems.length > 0) throw new ValidationError(run.problems);
  admit(samples, bytes, ap_id, nowMs, limits);
  const lists = devices && inOrder(devices, nowMs);
  const rounded = run.inexact.length > 0 ? roundedFields(run.inexact) : undefined;
  return { samples, configuration, devices: lists, receivedMs: nowMs, locOf, ignored: run.ignored, rounded };
}

/** Of these places in a body, those of fields. */
function roundedFields(inexact: readonly JsonPath[]): TelemetryReport['rounded'] {
  const names = inexact.flatMap((path) => {
    const isInBatch = path[0] === 'samples' && typeof path[1] === 'number';
    const keys = path.slice(path[0] === 'payload' ? 1 : isInBatch ? 2 : 0);
    const isField = keys.length > 0 && !isReserved(String(keys[0])) && keys.every((key) => typeof key === 'string');
    return isField ? [keys.join('_')] : [];
  });
  return names.length > 0 ? { count: names.length, fields: [...new Set(names)].slice(0, maxNamedFields) } : undefined;
}

/** A list without a time is of now. */
function inOrder(lists: DeviceList[], nowMs: number): DeviceList[] {
  for (const list of lists) if (Number.isNaN(list.ts)) list.ts = nowMs;
  return lists.sort((a, b) => a.ts - b.ts);
}

/** The payload, if it is an object or a text that is one in JSON. Throws ValidationError if that breaks a bound. */
function payloadOf({ payload }: JsonObject, run: ReportRun): JsonObject | undefined {
  if (isObject(payload)) return payload;
  if (typeof payload !== 'string') return undefined;
  try {
    const { value, inexact } = readJson(Buffer.from(payload), maxPayloadKeys);
    if (!isObject(value)) return undefined;
    run.inexact = [...run.inexact, ...inexact.map((path) => ['payload', ...path])];
    return value;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    if (error.problems.some(({ type }) => type === 'json_invalid')) return undefined;
    const problems = error.problems.map(({ loc, ...problem }) => ({
      ...problem,
      loc: ['body', 'payload', ...loc.slice(1)],
    }));
    throw new ValidationError(problems);
  }
}

/** A text that holds no fields is not one either. */
function withoutTextPayload(body: JsonObject, run: ReportRun): JsonObject {
  const { payload, ...rest } = body;
  if (typeof payload !== 'string') return body;
  ignore(run, 'payload', 'text');
  return rest;
}

class UpdateReader {
  readonly samples: Sample[] = [];
  /** For each sample of a batch its index there: those without fields are left out. */
  readonly places: number[] = [];
  configuration: JsonObject | undefined;
  devices: DeviceList[] | undefined;
  readonly #run: ReportRun;
  readonly #nowMs: number;
  readonly #limits: PointLimits;

  constructor(run: ReportRun, nowMs: number, limits: PointLimits) {
    this.#run = run;
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  /** What stands beside the one key that holds the fields. */
  around(body: JsonObject, holder: string, reason: 'beside_samples' | 'beside_payload', ts?: number | null): void {
    this.#reserved(body, ['body'], ts === undefined ? Number.NaN : ts);
    for (const [key, value] of Object.entries(body)) {
      if (key === holder || isReserved(key) || value === null) continue;
      this.#run.credential ??= findCredential(value, ['body', key], namesSecret(key));
      ignore(this.#run, key, reason);
    }
  }

  batch(list: unknown[], sharedTime: number | undefined | null): void {
    const { problems } = this.#run;
    const loc = ['body', 'samples'];
    if (list.length > maxSamplesPerBatch) {
      reportValue(this.#run, loc, `a batch has at most ${maxSamplesPerBatch} samples`);
      return;
    }
    for (let index = 0; index < list.length && problems.length < MAX_PROBLEMS; index += 1) {
      const item: unknown = list[index];
      if (!isObject(item)) problems.push(notAnObject([...loc, index]));
      else if (this.sample(item, [...loc, index], sharedTime)) this.places.push(index);
    }
  }

  /** False if it has no field, or a time that cannot be read: with another one, the same report again would be stored twice. */
  sample(source: JsonObject, loc: Loc, sharedTime: number | undefined | null): boolean {
    const own = this.timeOf(source, loc);
    const isLost = own === null || (own === undefined && sharedTime === null);
    const ts = own ?? sharedTime ?? Number.NaN;
    this.#reserved(source, loc, isLost ? null : ts);
    const sample: Sample = { ts, names: [], values: [], texts: [] };
    readFields(source, sample, loc, this.#run);
    if (isLost || countFields(sample) === 0) return false;
    this.samples.push(sample);
    return true;
  }

  /** Null for one that cannot be read, which is named. */
  timeOf(source: JsonObject, loc: Loc): number | undefined | null {
    const name = (key: string) => ignore(this.#run, [...loc.slice(1), key].join('.'), 'unreadable_time');
    return readTimes(source, loc, this.#run, this.#nowMs, this.#limits, name);
  }

  /** The keys beside the fields that are neither times nor names. Without a time, devices are not of any. */
  #reserved({ configuration, geolocation, devices }: JsonObject, loc: Loc, ts: number | null): void {
    if (configuration !== undefined && configuration !== null) {
      const place = [...loc, 'configuration'];
      this.#run.credential ??= findCredential(configuration, place);
      if (!isObject(configuration)) this.#run.problems.push(notAnObject(place));
      else this.#merge(configuration, place);
    }
    if (geolocation !== undefined && geolocation !== null) {
      const place = [...loc, 'geolocation'];
      this.#run.credential ??= findCredential(geolocation, place);
      if (!isObject(geolocation)) ignore(this.#run, 'geolocation', 'not_an_object');
      else if (!readPlace({ geolocation })) ignore(this.#run, 'geolocation', 'not_a_place');
      else this.#merge({ geolocation }, place);
    }
    if (devices !== undefined && devices !== null) {
      const list = readDevices(devices, [...loc, 'devices'], ts ?? Number.NaN, this.#run);
      if (list && ts !== null) this.#addDevices(list);
    }
  }

  #addDevices(list: DeviceList): void {
    this.devices ??= [];
    this.devices.push(list);
  }

  #merge(keys: JsonObject, place: Loc): void {
    if (this.#run.inexact.length > 0 && reportInexact(place, this.#run)) return;
    this.configuration = this.configuration ? { ...this.configuration, ...keys } : keys;
  }
}

/**
 * Takes what the report needs: of the agent's budget, and times for the samples whose time is not a number yet. Throws
 * TryLaterError if either is used up.
 */
export function admit(samples: Sample[], bytes: number, ap_id: string, nowMs: number, limits: PointLimits): void {
  let points = 0;
  for (const sample of samples) points += countFields(sample);
  limits.budget?.spend(ap_id, points, bytes);
  giveServerTimes(samples, ap_id, nowMs, limits);
}

function giveServerTimes(samples: Sample[], ap_id: string, nowMs: number, limits: PointLimits): void {
  let timeless = 0;
  for (const { ts } of samples) if (Number.isNaN(ts)) timeless += 1;
  if (timeless === 0) return;
  let next = limits.serverTimes.take(ap_id, nowMs, timeless);
  for (const sample of samples) if (Number.isNaN(sample.ts)) sample.ts = next++;
}

function requireOwn({ ap_id: given }: JsonObject, ap_id: string): void {
  if (given === undefined || given === null || given === ap_id) return;
  if (typeof given !== 'string' || toApId(given) !== ap_id) throw foreignAgent();
}

export function foreignAgent(): PermissionError {
  return new PermissionError('foreign_ap_id', 'An agent may report only for itself');
}

function notAnObject(loc: Loc) {
  return { loc, msg: 'Input should be a valid dictionary', type: 'dict_type' };
}
