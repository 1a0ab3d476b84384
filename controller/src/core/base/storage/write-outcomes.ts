// What writes have really answered within the last ten seconds. A probe is one small write now and then; while it succeeds, most
// others may be refused, as on a disk that is full but for a page here and there.
import { TryLaterError } from '../errors.ts';
import type { SqlDatabase } from './sql-database.ts';

const windowSeconds = 10;
/** Of fewer writes nothing is concluded. */
const fewest = 10;
const tellEveryMs = 60_000;
/** Refused by storage; a budget that is used up is the caller's. */
const refusals = new Set([
  'disk_full',
  'disk_failing',
  'database_unavailable',
  'telemetry_unavailable',
  'telemetry_busy',
]);

interface Second {
  second: number;
  writes: number;
  refused: number;
}

interface Refusal {
  /** Of the last one. */
  code: string;
  refused: number;
  writes: number;
}

interface WriteOutcomesOptions {
  /** Told at most once a minute, while writes are refused. */
  onRefused: (refusal: Refusal) => void;
  now?: () => number;
}

export class WriteOutcomes {
  readonly #options: WriteOutcomesOptions;
  readonly #now: () => number;
  readonly #seconds: Second[] = Array.from({ length: windowSeconds }, () => ({ second: -1, writes: 0, refused: 0 }));
  #code = '';
  #toldAtMs = Number.NEGATIVE_INFINITY;
  refusedTotal = 0;

  constructor(options: WriteOutcomesOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The same outcome, counted. */
  watch<Outcome>(write: Promise<Outcome>): Promise<Outcome> {
    write.then(
      () => this.stored(),
      (error) => this.failed(error),
    );
    return write;
  }

  /** Runs for every report. */
  stored(): void {
    this.#current().writes++;
  }

  failed(error: unknown): void {
    // Any other error is an answer: what was asked for is not possible.
    this.stored();
    if (!(error instanceof TryLaterError) || !refusals.has(error.code)) return;
    this.#current().refused++;
    this.refusedTotal++;
    this.#code = error.code;
    const nowMs = this.#now();
    if (nowMs - this.#toldAtMs < tellEveryMs) return;
    const { refusal } = this;
    if (refusal === undefined) return;
    this.#toldAtMs = nowMs;
    this.#options.onRefused(refusal);
  }

  /** While more than a fifth is refused. */
  get refusal(): Refusal | undefined {
    const first = Math.floor(this.#now() / 1000) - windowSeconds + 1;
    let [writes, refused] = [0, 0];
    for (const each of this.#seconds) {
      if (each.second < first) continue;
      writes += each.writes;
      refused += each.refused;
    }
    return writes >= fewest && refused * 5 > writes ? { code: this.#code, refused, writes } : undefined;
  }

  #current(): Second {
    const second = Math.floor(this.#now() / 1000);
    const current = this.#seconds[second % windowSeconds]!;
    if (current.second !== second) Object.assign(current, { second, writes: 0, refused: 0 });
    return current;
  }
}

/** The same database; what its transactions answer is counted. */
export function countWrites(database: SqlDatabase, writes: WriteOutcomes): SqlDatabase {
  const counted: SqlDatabase = {
    dialect: database.dialect,
    query: (sql, params) => database.query(sql, params),
    transaction: (work) => writes.watch(database.transaction(work)),
    migrate: () => database.migrate(),
    check: () => database.check(),
    close: () => database.close(),
  };
  if (database.watchOthers) counted.watchOthers = (onChange) => database.watchOthers!(onChange);
  return counted;
}
