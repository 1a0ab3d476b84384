// Samples of moments that a live subscription has read past already: kept, as they were reported, until its next message.
// Those that it may find by looking back as well are settled by what it has delivered.
import type { Frame, Sample } from '../../telemetry/store/telemetry-store.ts';
import { JobFailed } from './job-run.ts';
import { type RecordFilter, seriesKey } from './record-chunks.ts';

/** As many as fill a chunk. */
const manyValues = 5_000;
const maxValues = 200_000;
/** What a text counts for. */
const textWeight = 32;

export class LateSamples {
  readonly #range: { startMs: number; endMs: number };
  readonly #samples: Sample[] = [];
  #values = 0;
  /** Called when there are enough for a message of their own. */
  onMany: (() => void) | undefined;
  /** Earlier samples are late; the others will be read. */
  beforeMs = Number.NEGATIVE_INFINITY;

  constructor(range: { startMs: number; endMs: number }) {
    this.#range = range;
  }

  offer(samples: readonly Sample[]): void {
    const { startMs, endMs } = this.#range;
    for (const sample of samples) {
      if (sample.ts >= this.beforeMs || sample.ts < startMs || sample.ts > endMs) continue;
      this.#values += sample.names.length + textWeight * sample.texts.length;
      if (this.#values <= maxValues) this.#samples.push(sample);
    }
    if (this.#values >= manyValues) this.onMany?.();
  }

  /** Leaves out what was delivered, of the moments before `beforeMs`. */
  settle(beforeMs: number, isNew: RecordFilter): void {
    for (const sample of this.#samples.splice(0)) {
      if (sample.ts >= beforeMs) this.#samples.push(sample);
      else this.#samples.push(onlyNew(sample, isNew));
    }
  }

  /** Those that have come since the last time, in the order of time; throws JobFailed if there were too many. */
  take(): Frame | undefined {
    if (this.#values > maxValues) throw new JobFailed('More late samples arrived at once than can be delivered');
    if (this.#samples.length === 0) return undefined;
    this.#values = 0;
    return frameOf(this.#samples.splice(0));
  }
}

function onlyNew({ ts, names, values, texts }: Sample, isNew: RecordFilter): Sample {
  const kept = names.map((name) => isNew(ts, seriesKey(name, false)));
  return {
    ts,
    names: names.filter((_, index) => kept[index]),
    values: values.filter((_, index) => kept[index]),
    texts: texts.filter(([name]) => isNew(ts, seriesKey(name, true))),
  };
}

function frameOf(samples: readonly Sample[]): Frame {
  const ts = Float64Array.from(new Set(samples.map((sample) => sample.ts))).sort();
  const rowOf = new Map(ts.entries().map(([row, ms]) => [ms, row]));
  const columns = new Map<string, Float64Array>();
  const texts = new Map<string, (string | undefined)[]>();
  for (const sample of samples) {
    const row = rowOf.get(sample.ts)!;
    for (const [index, name] of sample.names.entries()) {
      const column = columns.get(name) ?? new Float64Array(ts.length).fill(Number.NaN);
      column[row] = sample.values[index]!;
      columns.set(name, column);
    }
    for (const [name, text] of sample.texts) {
      const column = texts.get(name) ?? new Array(ts.length).fill(undefined);
      column[row] = text;
      texts.set(name, column);
    }
  }
  return { resolution_seconds: undefined, ts, columns, texts };
}
