// From the bytes of a report to its samples, for every endpoint that takes JSON. Remembers the shape of each agent's
// reports and reads the next ones by it, without parsing them; what has no known shape, or would be refused, is parsed.
import { ValidationError } from '../../base/errors.ts';
import { type JsonBody, readJson } from '../../base/input/json-reader.ts';
import type { Sample } from '../store/telemetry-store.ts';
import { BatchShape } from './batch-shape.ts';
import { findDeviceList } from './find-lists.ts';
import type { IgnoredFields } from './ignored-fields.ts';
import { maxShapeBytes, type ReadSample } from './learn-shape.ts';
import { admit, parseReport, type TelemetryReport } from './parse-report.ts';
import { ReportShape } from './report-shape.ts';
import { maxSamplesPerBatch } from './sample-fields.ts';
import { type PointLimits, readTime, ServerTimes } from './sample-time.ts';

/** Room for the largest batch with a time and five fields in each sample. */
export const maxReportKeys = 60_010;
/** These keys of a message are not fields of its report. */
const envelopeKeys = ['type', 'id'];
const defaultMaxBytes = 32 * 1024 * 1024;
/** An agent whose reports differ in more than numbers is tried again only after this many. */
const learnEvery = 64;
/** Batches that look the same whichever agent sends them: those of one model do. The last ones that were learned. */
const maxSharedBatches = 8;
/** No agent has this name. */
const nobody = '';
const openBrace = Buffer.from('{');

/** What is known of an agent's reports with one sample. */
interface KnownReport {
  shape: ReportShape | undefined;
  /** What every report of this shape holds that cannot be stored. */
  ignored: IgnoredFields | undefined;
  /** One of its fields would belong to the envelope if the report were a message. */
  hasEnvelopeKey: boolean;
  /** Reports until the next try to learn. */
  wait: number;
}

/** The same of its batches. */
interface KnownBatch {
  shape: BatchShape | undefined;
  wait: number;
}

interface Entry {
  report: KnownReport | undefined;
  batch: KnownBatch | undefined;
}

/** A batch as it was learned, and whether it says nothing of whose it is. */
interface LearnedBatch {
  shape: BatchShape | undefined;
  isAnyAgents: boolean;
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
  #sharedBatches: readonly BatchShape[] = [];
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
    const report = entry?.report && this.#recallReport(entry.report, bytes, ap_id, startsAt);
    return report ?? this.#recallBatch(entry, bytes, ap_id, startsAt);
  }

  /**
   * The report in JSON, as `recall` has not known it in these bytes. With `startsAt` it is learned from them, once it is
   * stored.
   */
  parse({ value, inexact }: JsonBody, ap_id: string, bytes: Uint8Array, startsAt?: number): TelemetryReport {
    const report = parseReport(value, ap_id, this.#now(), this.#limits, inexact, bytes.length - (startsAt ?? 0));
    const { samples, configuration, devices, ignored } = report;
    if (startsAt === undefined || configuration !== undefined) return report;
    if (samples.length === 1 && (devices?.length ?? 0) <= 1) {
      report.onStored = () => this.#learnReport(bytes, startsAt, ap_id);
    } else if (samples.length > 1 && !devices && !ignored) {
      report.onStored = () => this.#learnBatch(bytes, startsAt, ap_id);
    }
    return report;
  }

  #recallReport(known: KnownReport, bytes: Uint8Array, ap_id: string, startsAt: number): TelemetryReport | undefined {
    if (!known.shape || (startsAt > 0 && known.hasEnvelopeKey)) return undefined;
    const { shape, ignored } = known;
    const sample = shape.read(bytes, startsAt);
    if (!sample) return undefined;
    const report = this.#admit([sample], shape.hasTime, bytes, ap_id, startsAt);
    if (!report) return undefined;
    report.ignored = ignored;
    const ts = shape.hasTime ? sample.ts : report.receivedMs;
    report.devices = shape.hasDevices ? [{ ts, devices: shape.takeDevices() }] : undefined;
    return report;
  }

  #recallBatch(
    entry: Entry | undefined,
    bytes: Uint8Array,
    ap_id: string,
    startsAt: number,
  ): TelemetryReport | undefined {
    const own = entry?.batch?.shape;
    const samples = own?.read(bytes, startsAt);
    if (samples) return this.#admit(samples, own!.hasTime, bytes, ap_id, startsAt);
    for (const shape of this.#sharedBatches) {
      const samples = shape === own ? undefined : shape.read(bytes, startsAt);
      if (!samples) continue;
      this.#keep(ap_id, { report: entry?.report, batch: { shape, wait: learnEvery } });
      return this.#admit(samples, shape.hasTime, bytes, ap_id, startsAt);
    }
    return undefined;
  }

  /** The report with these samples; undefined if a time is refused. */
  #admit(
    samples: Sample[],
    hasTime: boolean,
    bytes: Uint8Array,
    ap_id: string,
    startsAt: number,
  ): TelemetryReport | undefined {
    const nowMs = this.#now();
    if (hasTime) {
      const run = { problems: [], inexact: [] };
      for (const sample of samples) {
        const ts = readTime(sample.ts, [], run, nowMs, this.#limits);
        if (ts === undefined || ts === null) return undefined;
        sample.ts = ts;
      }
    }
    admit(samples, bytes.length - startsAt, ap_id, nowMs, this.#limits);
    const locOf: TelemetryReport['locOf'] = (index, field) => {
      const { value } = readJson(bodyOf(bytes, startsAt), maxReportKeys);
      return parseReport(value, ap_id, nowMs, probeLimits()).locOf(index, field);
    };
    return {
      samples,
      configuration: undefined,
      devices: undefined,
      receivedMs: nowMs,
      locOf,
      ignored: undefined,
    };
  }

  #learnReport(bytes: Uint8Array, startsAt: number, ap_id: string): void {
    if (isWaiting(this.#entries.get(ap_id)?.report)) return;
    const { body, listAt } = withoutDevices(bodyOf(bytes, startsAt));
    const report = body.length > maxShapeBytes ? noShape() : learnReport(body, listAt, ap_id);
    this.#keep(ap_id, { report, batch: this.#entries.get(ap_id)?.batch });
  }

  #learnBatch(bytes: Uint8Array, startsAt: number, ap_id: string): void {
    if (isWaiting(this.#entries.get(ap_id)?.batch)) return;
    const { shape, isAnyAgents } = learnBatch(bodyOf(bytes, startsAt), ap_id);
    this.#keep(ap_id, { report: this.#entries.get(ap_id)?.report, batch: { shape, wait: learnEvery } });
    if (shape && isAnyAgents) this.#sharedBatches = [shape, ...this.#sharedBatches.slice(0, maxSharedBatches - 1)];
  }

  #keep(ap_id: string, entry: Entry): void {
    const before = this.#entries.get(ap_id);
    if (before) this.#forget(ap_id, before);
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

/** Counts the report. */
function isWaiting(known: KnownReport | KnownBatch | undefined): boolean {
  return known !== undefined && known.wait-- > 0;
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

function noShape(): KnownReport {
  return { shape: undefined, ignored: undefined, hasEnvelopeKey: false, wait: learnEvery };
}

/** The body with an empty list of devices, and where that stands; -1 if it has none. */
function withoutDevices(body: Uint8Array): { body: Uint8Array; listAt: number } {
  const list = findDeviceList(body);
  if (!list) return { body, listAt: -1 };
  return { body: Buffer.concat([body.subarray(0, list.from), body.subarray(list.to)]), listAt: list.from };
}

function learnReport(body: Uint8Array, listAt: number, ap_id: string): KnownReport {
  const known = noShape();
  const learn: ReadSample = (probe, nowMs) => {
    const { value, inexact } = readJson(probe);
    const { samples, configuration, devices, ignored } = parseReport(value, ap_id, nowMs, probeLimits(), inexact);
    known.ignored = ignored;
    known.hasEnvelopeKey = hasEnvelopeKey(value);
    const hasOwnList = devices === undefined ? listAt < 0 : listAt >= 0 && devices.length === 1;
    return samples.length === 1 && configuration === undefined && hasOwnList ? samples[0] : undefined;
  };
  known.shape = ReportShape.learn(body, learn, listAt);
  return known;
}

function learnBatch(body: Uint8Array, ap_id: string): LearnedBatch {
  let isAnyAgents = true;
  const learn: ReadSample = (probe, nowMs) => {
    const { value, inexact } = readJson(probe);
    const { samples, configuration, devices, ignored } = parseReport(value, ap_id, nowMs, probeLimits(), inexact);
    const isPlain = !configuration && !devices && !ignored && !hasEnvelopeKey(value);
    isAnyAgents &&= isAcceptedOf(nobody, value, nowMs);
    return samples.length === 1 && isPlain ? samples[0] : undefined;
  };
  const shape = BatchShape.learn(body, learn, { maxSamples: maxSamplesPerBatch, maxKeys: maxReportKeys });
  return { shape, isAnyAgents };
}

/** Whose a report is matters to the parser only where the report says so. */
function isAcceptedOf(ap_id: string, value: unknown, nowMs: number): boolean {
  try {
    parseReport(value, ap_id, nowMs, probeLimits());
    return true;
  } catch {
    return false;
  }
}

function hasEnvelopeKey(value: unknown): boolean {
  return envelopeKeys.some((key) => Object.hasOwn(value as object, key));
}

/** For parsing without consequences. */
function probeLimits(): PointLimits {
  return { retentionMs: Number.POSITIVE_INFINITY, serverTimes: new ServerTimes() };
}

function costOf({ report, batch }: Entry): number {
  return (
    entryBytes + (report?.shape?.bytes ?? 0) + (report?.ignored ? maxIgnoredBytes : 0) + (batch?.shape?.bytes ?? 0)
  );
}
