// A cache of the newest values of sources that are read, on the caller's thread: a dashboard asks for thousands of them
// every second, and each would otherwise be copied from the store's thread again.
import { isNewest, type LatestValues, type Sample } from './time-series.ts';

const maxSources = 50_000;
/** The cache is dropped after so many appends without a read. */
const dropAfterAppends = 200_000;
const maxPending = 8;

interface Entry {
  /** As they were when they were read from the store; undefined before. */
  values: LatestValues | undefined;
  /** Appended since, oldest first. */
  pending: Sample[];
}

export class NewestValues {
  readonly #entries = new Map<string, Entry>();
  #appendsSinceRead = 0;

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** From now on `recorded` collects what is stored for this source; to be followed by `load`. */
  expect(source: string): void {
    if (this.#entries.size >= maxSources) this.#entries.clear();
    this.#entries.set(source, { values: undefined, pending: [] });
  }

  /** Takes what the store knew at some time since `expect`; returns it with what has come since. */
  load(values: LatestValues): LatestValues {
    const entry = this.#entries.get(values.source);
    if (entry) entry.values = values;
    return this.get(values.source) ?? values;
  }

  /** Undefined if it was not loaded, or forgotten. The same object as before as long as nothing newer has come. */
  get(source: string): LatestValues | undefined {
    this.#appendsSinceRead = 0;
    const entry = this.#entries.get(source);
    if (entry?.values && entry.pending.length > 0) mergePending(entry);
    return entry?.values;
  }

  /** These samples are stored now. */
  recorded(source: string, samples: readonly Sample[]): void {
    if (++this.#appendsSinceRead > dropAfterAppends) this.#entries.clear();
    const entry = this.#entries.get(source);
    if (!entry) return;
    for (const sample of samples) {
      const last = entry.pending.at(-1);
      // The appends of one source mostly have the same list of names; then the later one replaces the earlier.
      if (last && last.names === sample.names && last.ts <= sample.ts) entry.pending[entry.pending.length - 1] = sample;
      else entry.pending.push(sample);
      // Before it is loaded nothing can be merged: rather read it again than let this grow.
      if (entry.pending.length > maxPending && !entry.values) this.#entries.delete(source);
      else if (entry.pending.length > maxPending) mergePending(entry);
    }
  }

  forget(source: string): void {
    this.#entries.delete(source);
  }
}

function mergePending(entry: Entry): void {
  const metrics = new Map(entry.values!.metrics.map((metric) => [metric.name, metric]));
  for (const { ts, names, values } of entry.pending) {
    for (let index = 0; index < names.length; index++) {
      const name = names[index]!;
      const known = metrics.get(name);
      if (!known || isNewest(ts, known.ts)) metrics.set(name, { name, ts, value: values[index]! });
    }
  }
  entry.values = { source: entry.values!.source, metrics: [...metrics.values()] };
  entry.pending = [];
}
