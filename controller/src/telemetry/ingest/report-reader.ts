// From the bytes of a report to its samples, for every endpoint that takes JSON. Remembers the shape of each agent's
// reports and reads the next ones by it, without parsing them; what has no known shape, or would be refused, is parsed.
import { ValidationError } from '../../errors.ts';
import { type JsonBody, readJson } from '../../input/json-reader.ts';
import { findDeviceList } from './find-device-list.ts';
import type { IgnoredFields } from './ignored-fields.ts';
import { admit, parseReport, type TelemetryReport } from './parse-report.ts';
import { maxShapeBytes, type ReadSample, ReportShape } from './report-shape.ts';
import { type PointLimits, readTime, ServerTimes } from './sample-time.ts';

/** Room for the largest batch with a time and five fields in each sample. */
export const maxReportKeys = 60_010;
/** These keys of a message are not fields of its report. */
const envelopeKeys = ['type', 'id'];
const defaultMaxBytes = 32 * 1024 * 1024;
/** An agent whose reports differ in more than numbers is tried again only after this many. */
const learnEvery = 64;
const openBrace = Buffer.from('{');

interface Entry {
  shape: ReportShape | undefined;
  /** What every report of this shape holds that cannot be stored. */
  ignored: IgnoredFields | undefined;
  /** One of its fields would belong to the envelope if the report were a message. */
  hasEnvelopeKey: boolean;
  /** Reports until the next try to learn. */
  wait: number;
}

/** What an entry without a shape costs. */
const entryBytes = 128;
/** The names come out of a short body. */
const maxIgnoredBytes = 2 * maxShapeBytes;

export interface ReportReaderOptions {
  /** Of what is remembered. */
  maxBytes?: number;
  now?: () => number;
}

export class ReportReader {
  readonly #entries = new Map<string, Entry>();
  readonly #limits: PointLimits;
  readonly #maxBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  constructor(limits: PointLimits, { maxBytes = defaultMaxBytes, now = Date.now }: ReportReaderOptions = {}) {
    this.#limits = limits;
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** What is remembered; bounded, whatever agents send. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The report in a JSON body. Throws as readJson and parseReport do. */
  read(body: Uint8Array, ap_id: string): TelemetryReport {
    return this.recall(body, ap_id) ?? this.parse(readBody(body), ap_id, body, 0);
  }

  /**
   * The report, if the agent has sent one like it; else undefined, also for one that `parse` would refuse. In a message
   * it begins at the comma behind the envelope. Throws TryLaterError as `parse` does.
   */
  recall(bytes: Uint8Array, ap_id: string, startsAt = 0): TelemetryReport | undefined {
    const entry = this.#entries.get(ap_id);
    if (!entry?.shape || (startsAt > 0 && entry.hasEnvelopeKey)) return undefined;
    const sample = entry.shape.read(bytes, startsAt);
    if (!sample) return undefined;
    const nowMs = this.#now();
    if (entry.shape.hasTime) {
      const ts = readTime(sample.ts, [], { problems: [], inexact: [] }, nowMs, this.#limits);
      if (ts === undefined) return undefined;
      sample.ts = ts;
    }
    const samples = [sample];
    admit(samples, bytes.length - startsAt, ap_id, nowMs, this.#limits);
    const locOf: TelemetryReport['locOf'] = (index, field) => {
      const { value } = readJson(bodyOf(bytes, startsAt));
      return parseReport(value, ap_id, nowMs, probeLimits()).locOf(index, field);
    };
    const { ignored, shape } = entry;
    const ts = shape.hasTime ? sample.ts : nowMs;
    const devices = shape.hasDevices ? [{ ts, devices: shape.takeDevices() }] : undefined;
    return { samples, configuration: undefined, devices, receivedMs: nowMs, locOf, canIgnore: true, ignored };
  }

  /**
   * The report in JSON, as `recall` has not known it in these bytes. With `startsAt` it is learned from them, once it is
   * stored.
   */
  parse({ value, inexact }: JsonBody, ap_id: string, bytes: Uint8Array, startsAt?: number): TelemetryReport {
    const report = parseReport(value, ap_id, this.#now(), this.#limits, inexact, bytes.length - (startsAt ?? 0));
    const { samples, configuration } = report;
    const { length = 0 } = report.devices ?? [];
    if (startsAt !== undefined && samples.length === 1 && configuration === undefined && length <= 1) {
      report.onStored = () => this.#learn(bytes, startsAt, ap_id);
    }
    return report;
  }

  #learn(bytes: Uint8Array, startsAt: number, ap_id: string): void {
    const known = this.#entries.get(ap_id);
    if (known && known.wait > 0) {
      known.wait--;
      return;
    }
    if (known) this.#forget(ap_id, known);
    const { body, listAt } = withoutDevices(bodyOf(bytes, startsAt));
    const entry = body.length > maxShapeBytes ? noShape() : learnEntry(body, listAt, ap_id);
    while (this.#bytes + costOf(entry) > this.#maxBytes && this.#entries.size > 0) {
      const [oldest] = this.#entries;
      this.#forget(...oldest!);
    }
    this.#entries.set(ap_id, entry);
    this.#bytes += costOf(entry);
  }

  #forget(ap_id: string, entry: Entry): void {
    this.#entries.delete(ap_id);
    this.#bytes -= costOf(entry);
  }
}

function readBody(body: Uint8Array): JsonBody {
  const json = readJson(body, maxReportKeys);
  if (json.value !== null) return json;
  throw new ValidationError([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
}

/** The report as an object of its own. */
function bodyOf(bytes: Uint8Array, startsAt: number): Uint8Array {
  return startsAt === 0 ? bytes : Buffer.concat([openBrace, bytes.subarray(startsAt + 1)]);
}

function noShape(): Entry {
  return { shape: undefined, ignored: undefined, hasEnvelopeKey: false, wait: learnEvery };
}

/** The body with an empty list of devices, and where that stands; -1 if it has none. */
function withoutDevices(body: Uint8Array): { body: Uint8Array; listAt: number } {
  const list = findDeviceList(body);
  if (!list) return { body, listAt: -1 };
  return { body: Buffer.concat([body.subarray(0, list.from), body.subarray(list.to)]), listAt: list.from };
}

function learnEntry(body: Uint8Array, listAt: number, ap_id: string): Entry {
  const entry = noShape();
  const learn: ReadSample = (probe, nowMs) => {
    const { value, inexact } = readJson(probe);
    const { samples, configuration, devices, ignored } = parseReport(value, ap_id, nowMs, probeLimits(), inexact);
    entry.ignored = ignored;
    entry.hasEnvelopeKey = envelopeKeys.some((key) => Object.hasOwn(value as object, key));
    const hasOwnList = devices === undefined ? listAt < 0 : listAt >= 0 && devices.length === 1;
    return samples.length === 1 && configuration === undefined && hasOwnList ? samples[0] : undefined;
  };
  entry.shape = ReportShape.learn(body, learn, listAt);
  return entry;
}

/** For parsing without consequences. */
function probeLimits(): PointLimits {
  return { retentionMs: Number.POSITIVE_INFINITY, serverTimes: new ServerTimes() };
}

function costOf({ shape, ignored }: Entry): number {
  return entryBytes + (shape?.bytes ?? 0) + (ignored ? maxIgnoredBytes : 0);
}
