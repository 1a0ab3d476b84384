// The newest values of sources that somebody looks at, kept on the server's thread: a map or a table asks for thousands of
// them every second, and each would otherwise be copied from the store's thread again.
import type { LatestValues, Sample } from './time-series.ts';

const maxSources = 50_000;
/** When so many posts have come and nobody has asked, nobody looks any more. */
const forgetAfterPosts = 200_000;
const maxPending = 8;

interface Entry {
  /** As it was stored when it was read; undefined before. */
  values: LatestValues | undefined;
  /** Stored since, oldest first. */
  pending: Sample[];
}

export class NewestValues {
  readonly #entries = new Map<string, Entry>();
  #postsSinceAsked = 0;

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** From now on nothing that is stored for this source is missed; to be followed by `load`. */
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
    this.#postsSinceAsked = 0;
    const entry = this.#entries.get(source);
    if (entry?.values && entry.pending.length > 0) fold(entry);
    return entry?.values;
  }

  /** These samples are stored now. */
  recorded(source: string, samples: readonly Sample[]): void {
    if (++this.#postsSinceAsked > forgetAfterPosts) this.#entries.clear();
    const entry = this.#entries.get(source);
    if (!entry) return;
    for (const sample of samples) {
      const last = entry.pending.at(-1);
      // The names of one source's posts are mostly the same list; then the later one says it all.
      if (last && last.names === sample.names && last.ts <= sample.ts) entry.pending[entry.pending.length - 1] = sample;
      else entry.pending.push(sample);
      // Before it is loaded nothing can be added to it: better to read it anew than to let this grow.
      if (entry.pending.length > maxPending && !entry.values) this.#entries.delete(source);
      else if (entry.pending.length > maxPending) fold(entry);
    }
  }

  forget(source: string): void {
    this.#entries.delete(source);
  }
}

function fold(entry: Entry): void {
  const metrics = new Map(entry.values!.metrics.map((metric) => [metric.name, metric]));
  for (const { ts, names, values } of entry.pending) {
    for (let index = 0; index < names.length; index++) {
      const name = names[index]!;
      const known = metrics.get(name);
      if (!known || ts >= known.ts) metrics.set(name, { name, ts, value: values[index]! });
    }
  }
  entry.values = { source: entry.values!.source, metrics: [...metrics.values()] };
  entry.pending = [];
}
