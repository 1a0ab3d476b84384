// What a telemetry store should answer, computed in the simplest way over all samples; and samples and questions at
// random to compare it with the real ones.
import fc from 'fast-check';
import type {
  Aggregate,
  Frame,
  Sample,
  SeriesQuery,
  TimeRange,
} from '../../controller/src/core/telemetry/store/telemetry-store.ts';
import { chooseBucketWidth } from '../../timeseries/src/index.ts';

const day = 86_400_000;
/** A midnight some days ago: within every retention, and times up to two days later are in the past. */
export const midnight = Math.floor(Date.now() / day) * day - 3 * day;

export const aggregates: readonly Aggregate[] = ['mean', 'min', 'max', 'last', 'sum', 'count'];

/** A row of an answer, without the fields that have no value in it. */
export type Row = { ts: number } & Record<string, number | string>;

export function sample(ts: number, metrics: Record<string, number>, texts: Record<string, string> = {}): Sample {
  return { ts, names: Object.keys(metrics), values: Object.values(metrics), texts: Object.entries(texts) };
}

/** A text beside a number of the same name and time is under its name and this. */
export const asText = ' as text';

export function toRows({ ts, columns, texts }: Frame): Row[] {
  return Array.from(ts, (time, index) => {
    const numbers = [...columns].map(([name, values]) => [name, values[index]!] as const);
    const words = [...texts].map(([name, values]) => [name, values[index]] as const);
    return toRow(
      time,
      numbers.filter(([, value]) => !Number.isNaN(value)),
      words.flatMap(([name, word]) => (word === undefined ? [] : [[name, word]])),
    );
  });
}

function toRow(
  ts: number,
  numbers: readonly (readonly [string, number])[],
  words: readonly (readonly [string, string])[],
): Row {
  const row: Row = { ts, ...Object.fromEntries(numbers) };
  for (const [name, word] of words) row[Object.hasOwn(row, name) ? name + asText : name] = word;
  return row;
}

/** Up to so many rows each store counts the points of the requested series. */
const countedRows = 4096;

export class ReferenceTelemetry {
  readonly #rows = new Map<number, { numbers: Map<string, number>; words: Map<string, string> }>();

  append(samples: readonly Sample[]): void {
    for (const { ts, names, values, texts } of samples) {
      const row = this.#rows.get(ts) ?? { numbers: new Map(), words: new Map() };
      this.#rows.set(ts, row);
      for (const [index, name] of names.entries()) row.numbers.set(name, values[index]!);
      for (const [name, text] of texts) row.words.set(name, text);
    }
  }

  /** `metrics`: only these, and no texts. */
  rows({ startMs, endMs }: TimeRange, metrics?: readonly string[]): Row[] {
    return [...this.#rows]
      .filter(([ts]) => ts >= startMs && ts <= endMs)
      .sort(([a], [b]) => a - b)
      .map(([ts, { numbers, words }]) =>
        toRow(
          ts,
          [...numbers].filter(([name]) => metrics?.includes(name) !== false),
          metrics ? [] : [...words],
        ),
      )
      .filter((row) => Object.keys(row).length > 1);
  }

  /** `mayBeBuckets`: the store has answered in buckets, which it may for few points among very many rows. */
  query(query: SeriesQuery, mayBeBuckets = false): { resolution_seconds: number | undefined; rows: Row[] } {
    const isCounted = !mayBeBuckets || this.#rows.size <= countedRows;
    const rows = this.rows(query, query.metrics);
    const lengths = new Map<string, number>();
    const series = (name: string, value: unknown) => `${typeof value} ${name.replace(asText, '')}`;
    for (const name of rows.flatMap((row) => Object.entries(row).map((field) => series(...field)))) {
      lengths.set(name, (lengths.get(name) ?? 0) + 1);
    }
    lengths.delete('number ts');
    if (isCounted && Math.max(0, ...lengths.values()) <= query.maxPoints)
      return { resolution_seconds: undefined, rows };
    const width = chooseBucketWidth(query.startMs, query.endMs, query.maxPoints);
    const buckets = Map.groupBy(rows, ({ ts }) => Math.floor(ts / width) * width);
    return {
      resolution_seconds: width / 1000,
      rows: [...buckets]
        .map(([ts, inside]) => ({ ts, ...aggregateRows(inside, query.aggregate) }))
        .filter((row) => Object.keys(row).length > 1),
    };
  }
}

function aggregateRows(rows: Row[], aggregate: Aggregate): Record<string, number> {
  const found: Record<string, number> = {};
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  names.delete('ts');
  for (const name of names) {
    const values = rows.map((row) => row[name]).filter((value) => typeof value === 'number');
    if (values.length > 0) found[name] = aggregateValues(values, aggregate);
  }
  return found;
}

function aggregateValues(values: number[], aggregate: Aggregate): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const min = values.reduce((least, value) => Math.min(least, value));
  const max = values.reduce((most, value) => Math.max(most, value));
  return { mean: sum / values.length, min, max, last: values.at(-1)!, sum, count: values.length }[aggregate];
}

// Times lie close enough together to meet often, and around the borders of minutes, hours and days.
const someTime = fc
  .tuple(
    fc.constantFrom(0, 1, 59, 60, 61, 3599, 3600, 7200, 86_399, 86_400, 90_000),
    fc.nat(20),
    fc.constantFrom(0, 1, 999),
  )
  .map(([base, seconds, ms]) => midnight + (base + seconds) * 1000 + ms);

const someNumber = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map((tenths) => tenths / 10),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
);

const someText = fc.constantFrom('', 'up', 'down "\\', '1.20');

const someSample = fc
  .record(
    {
      ts: someTime,
      numbers: fc.record({ a: someNumber, b: someNumber, c: someNumber, state: someNumber }, { requiredKeys: [] }),
      words: fc.record({ state: someText, a: someText }, { requiredKeys: [] }),
    },
    { requiredKeys: ['ts'] },
  )
  .map(({ ts, numbers = {}, words }) => {
    const named = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value + 0]));
    return sample(ts, named, words);
  });

/** A reading every second for half an hour: more than stays in memory in one piece. */
const someRun = fc.record({ start: someTime, level: someNumber });

/** Samples to append, told briefly so that a failure can be read. */
export const someAppend = fc.oneof(
  { weight: 5, arbitrary: fc.array(someSample, { minLength: 1, maxLength: 40 }) },
  { weight: 1, arbitrary: someRun },
);

export function samplesOf(append: typeof someAppend extends fc.Arbitrary<infer Append> ? Append : never): Sample[] {
  if (Array.isArray(append)) return append;
  return Array.from({ length: 1800 }, (_, second) =>
    sample(append.start + second * 1000, { a: append.level + Math.round(Math.sin(second) * 100) / 10, b: second }),
  );
}

export const someQuestion: fc.Arbitrary<Omit<SeriesQuery, 'ap_id'>> = fc
  .record({
    ends: fc.tuple(someTime, fc.oneof(someTime, fc.constant(midnight + 2 * day))),
    metrics: fc.option(fc.subarray(['a', 'b', 'c', 'state', 'unknown'], { minLength: 1 }), { nil: undefined }),
    maxPoints: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(300, 5000)),
    aggregate: fc.constantFrom(...aggregates),
  })
  .map(({ ends, ...rest }) => ({ startMs: Math.min(...ends), endMs: Math.max(...ends), ...rest }));
