// The short way through the gate: remembers the shape of each agent's posts and reads the next ones by it. Whatever has
// no known shape, or would be refused, is left to the gate itself.
import { readJson } from '../../input/json-reader.ts';
import { giveServerTimes, parseReport, type TelemetryReport } from './parse-report.ts';
import { maxShapeBytes, ReportShape } from './report-shape.ts';
import { type PointLimits, readTime, ServerTimes } from './sample-time.ts';

const maxBytes = 32 * 1024 * 1024;
/** An agent whose posts differ in more than numbers is tried again only after this many. */
const learnEvery = 64;

interface Entry {
  shape: ReportShape | undefined;
  /** Posts until the next try to learn. */
  wait: number;
}

/** What an entry without a shape costs. */
const entryBytes = 128;

export class KnownReports {
  readonly #entries = new Map<string, Entry>();
  readonly #limits: PointLimits;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(limits: PointLimits, limitBytes = maxBytes) {
    this.#limits = limits;
    this.#maxBytes = limitBytes;
  }

  /** Bounded, whatever agents send. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * What parseReport makes of this body, if the agent has sent one like it; else undefined, as for one that it
   * would refuse. May throw TryLaterError as the gate does.
   */
  read(body: Uint8Array, ap_id: string, nowMs: number): TelemetryReport | undefined {
    const shape = this.#entries.get(ap_id)?.shape;
    const sample = shape?.read(body);
    if (!sample) return undefined;
    if (shape!.hasTime) {
      const ts = readTime(sample.ts, [], { problems: [], inexact: [] }, nowMs, this.#limits);
      if (ts === undefined) return undefined;
      sample.ts = ts;
    }
    const samples = [sample];
    giveServerTimes(samples, ap_id, nowMs, this.#limits);
    const locOf: TelemetryReport['locOf'] = (index, field) =>
      parseReport(readJson(body).value, ap_id, nowMs, probeLimits()).locOf(index, field);
    return { samples, configuration: undefined, receivedMs: nowMs, locOf };
  }

  /** To be called with a body that the gate has accepted, and that `read` did not know. */
  learn(body: Uint8Array, ap_id: string): void {
    const known = this.#entries.get(ap_id);
    if (known && known.wait > 0) {
      known.wait--;
      return;
    }
    if (known) this.#forget(ap_id, known);
    const shape = body.length > maxShapeBytes ? undefined : learnShape(body, ap_id);
    const entry = { shape, wait: learnEvery };
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

function learnShape(body: Uint8Array, ap_id: string): ReportShape | undefined {
  return ReportShape.learn(body, (probe, nowMs) => {
    const { value, inexact } = readJson(probe);
    const { samples, configuration } = parseReport(value, ap_id, nowMs, probeLimits(), inexact);
    return samples.length === 1 && configuration === undefined ? samples[0] : undefined;
  });
}

/** For asking the gate without consequences. */
function probeLimits(): PointLimits {
  return { retentionMs: Number.POSITIVE_INFINITY, serverTimes: new ServerTimes() };
}

function costOf({ shape }: Entry): number {
  return entryBytes + (shape?.bytes ?? 0);
}
