// The telemetry store that the contract suite looks at, and what its tests share.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { SeriesQuery, TelemetryStore } from '../controller/src/core/telemetry/store/telemetry-store.ts';
import { midnight, type Row, toRows } from './pure/telemetry-reference.ts';
import { isLong } from './rounds.ts';

export interface TelemetryFixture {
  store: TelemetryStore;
  /** Puts the data where it lies for long, or looks at it from elsewhere: what is stored must not change. */
  moves: (() => Promise<TelemetryStore>)[];
  /** Another store, with nothing in it, to be closed by the test. */
  openAnother(): Promise<TelemetryStore>;
  remove(): Promise<void>;
  /** Every question costs it much: `npm test` asks fewer of those made up at random, `npm run test:long` asks all. */
  isCostly?: boolean;
}

export const second = 1000;
export const hour = 3_600_000;
/** Holds all samples of the suite. */
export const always = { startMs: midnight - 24 * hour, endMs: midnight + 72 * hour };

let agents = 0;
/** Tests share a store, so each has agents of its own. */
export const freshAgent = () => `ap-${++agents}`;

export class StoreUnderTest {
  readonly fixture: TelemetryFixture;
  /** Moves replace it. */
  store: TelemetryStore;

  constructor(fixture: TelemetryFixture) {
    this.fixture = fixture;
    this.store = fixture.store;
  }

  async rowsOf(ap_id: string, question: Partial<SeriesQuery> = {}): Promise<Row[]> {
    return toRows(await this.store.query({ ap_id, ...always, maxPoints: 5000, aggregate: 'mean', ...question }));
  }

  /** Of a property with random data; so many with `npm run test:long`. */
  runs(usual: number): number {
    return isLong ? usual : Math.ceil(usual / (this.fixture.isCostly ? 8 : 4));
  }

  /** After each move the same must hold. */
  async everywhere(verify: () => Promise<void>): Promise<void> {
    await verify();
    for (const move of this.fixture.moves) {
      this.store = await move();
      await verify();
    }
  }
}

/** As `toEqual`, which takes its time with thousands of rows. */
export function expectRows(actual: Row[], expected: Row[]): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

/** Numbers may differ in the last digits: sums depend on their order. Rows are many, so `expect` sees those only that differ. */
export function expectClose(actual: Row[], expected: Row[]): void {
  const different = expected.findIndex((row, index) => !isClose(actual[index], row));
  const at = different < 0 && actual.length > expected.length ? expected.length : different;
  if (at >= 0) expect({ at, row: actual[at] }).toEqual({ at, row: expected[at] });
  expect(actual).toHaveLength(expected.length);
}

function isClose(actual: Row | undefined, expected: Row): boolean {
  const names = Object.keys(expected);
  if (actual === undefined || actual.ts !== expected.ts || Object.keys(actual).length !== names.length) return false;
  return names.every((name) => {
    const [found, value] = [actual[name], expected[name]!];
    if (typeof value === 'string' || typeof found !== 'number') return found === value;
    return Math.abs(found - value) <= 1e-6 * Math.max(1, Math.abs(value));
  });
}
