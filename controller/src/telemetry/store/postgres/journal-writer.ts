// Appends to the journal: those that wait together share a commit, one at a time. What arrives meanwhile is the next one.
import type { Sample } from '@weft/timeseries';
import { CommitPace, RecordWriter, readRecord } from '@weft/timeseries/engine-parts';
import { TryLaterError } from '../../../errors.ts';
import type { PostgresPool } from '../../../storage/postgres-pool.ts';
import type { PostgresSession } from '../../../storage/postgres-session.ts';
import type { KnownSource } from './known-sources.ts';
import { noteNewest, readNewest, writeNewest } from './newest-record.ts';
import { journalSlots, leavingPeriod, periodSeconds } from './telemetry-schema.ts';

/** Samples that wait for a commit; beyond it new ones are refused, so that memory stays bounded. */
const maxWaitingSamples = 200_000;
/** Of one commit, so that none takes long. */
const maxCommitBytes = 8 * 1024 * 1024;
/** A commit is four statements: on both sides about ten times the work of one in a file here. */
const pace = { waitMs: 8, fullGroup: 24, frequentPerMs: 0.15 };

interface Append {
  source: KnownSource;
  record: Uint8Array;
  samples: number;
  resolve: (isStored: boolean) => void;
  reject: (error: unknown) => void;
}

export class JournalWriter {
  readonly #pool: PostgresPool;
  readonly #writer = new RecordWriter();
  readonly #pace = new CommitPace(pace);
  #waiting: Append[] = [];
  #waitingSamples = 0;
  #isCommitting = false;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /**
   * Resolves true once they are durable, false if the agent was removed or is being moved. Undefined: the source has not all the
   * names yet.
   */
  append(source: KnownSource, samples: readonly Sample[]): Promise<boolean> | undefined {
    if (this.#waitingSamples + samples.length > maxWaitingSamples) {
      return Promise.reject(new TryLaterError(503, 'telemetry_unavailable', 'More arrives than can be stored', 1));
    }
    if (!this.#writer.add(source, samples)) return undefined;
    const record = this.#writer.take();
    this.#waitingSamples += samples.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ source, record, samples: samples.length, resolve, reject });
      this.#plan();
    });
  }

  /** Resolves once nothing waits. */
  async idle(): Promise<void> {
    if (!this.#isCommitting && this.#waiting.length === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  #plan(): void {
    if (this.#isCommitting || this.#soon) return;
    const waitMs = this.#pace.waitMs(this.#waiting.length);
    if (waitMs === 0) this.#soon = setImmediate(() => this.#flush());
    else this.#timer ??= setTimeout(() => this.#flush(), waitMs);
  }

  async #flush(): Promise<void> {
    clearImmediate(this.#soon);
    clearTimeout(this.#timer);
    this.#soon = undefined;
    this.#timer = undefined;
    if (this.#isCommitting || this.#waiting.length === 0) return;
    const group = this.#takeGroup();
    this.#isCommitting = true;
    this.#pace.begun(group.length, performance.now());
    try {
      const stored = await this.#pool.transaction((session) => commit(session, group));
      for (const { source, resolve } of group) resolve(stored.has(source.no));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    for (const { samples } of group) this.#waitingSamples -= samples;
    this.#isCommitting = false;
    if (this.#waiting.length > 0) this.#plan();
    else {
      this.#idle?.resolve();
      this.#idle = undefined;
    }
  }

  #takeGroup(): Append[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && bytes < maxCommitBytes) bytes += this.#waiting[count++]!.record.length;
    const group = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return group;
  }
}

/** In the order of agents, so that two nodes never wait for each other. Returns the sources that exist. */
async function commit(session: PostgresSession, group: readonly Append[]): Promise<Set<number>> {
  const numbers = [...new Set(group.map(({ source }) => source.no))];
  const locked = await session.query<{
    source: number;
    sealed: number;
    last: number;
    data: Uint8Array;
    period: number;
  }>(
    `SELECT source, sealed_period AS sealed, last_period AS last, data, floor(extract(epoch FROM now()) / ${periodSeconds})::bigint AS period
     FROM telemetry_newest WHERE source = ANY(?::bigint[]) AND last_period > ${leavingPeriod} ORDER BY source FOR UPDATE`,
    [numbers],
  );
  const newest = new Map(locked.map((row) => [row.source, { ...row, fields: readNewest(row.data) }]));
  const stored = group.filter(({ source }) => newest.has(source.no));
  if (stored.length === 0) return new Set();
  for (const { source, record } of stored) {
    const { fields } = newest.get(source.no)!;
    let ts = 0;
    readRecord(record, {
      // The newest of them are those of the last sample.
      run: (_source, { numbers, at, stride, count }) => {
        const last = at + (count - 1) * stride;
        for (let place = last + 3; place < last + stride - 1; place += 2) {
          noteNewest(fields, numbers[place]!, numbers[last + 1]!, numbers[place + 1]!);
        }
        return true;
      },
      sample: (_source, time) => {
        ts = time;
      },
      value: (field, value) => noteNewest(fields, field, ts, value),
      text: (field) => noteNewest(fields, field, ts, 0),
    });
  }
  // A period that is sealed for an agent takes nothing any more. And none comes before one that the agent has rows in,
  // though the clock may go back (another server has taken over): those would be out of sight, and be sealed too late.
  const period = Math.max(locked[0]!.period, ...locked.map(({ sealed, last }) => Math.max(sealed + 1, last)));
  const journal = joined(stored.map(({ record }) => record));
  const rows = joined([...newest.values()].map(({ fields }) => writeNewest(fields)));
  await session.query(
    `WITH added AS (
       INSERT INTO telemetry_journal (slot, period, seq, source, data)
       SELECT ?::int, ?::bigint, nextval('telemetry_journal_seq'), source, substring(?::bytea FROM start FOR length)
       FROM unnest(?::bigint[], ?::int[], ?::int[]) WITH ORDINALITY AS rows(source, start, length, place) ORDER BY place
     )
     UPDATE telemetry_newest SET last_period = ?::bigint, data = substring(?::bytea FROM start FOR length)
     FROM unnest(?::bigint[], ?::int[], ?::int[]) AS rows(no, start, length) WHERE source = no`,
    [
      period % journalSlots,
      period,
      journal.bytes,
      stored.map(({ source }) => source.no),
      journal.starts,
      journal.lengths,
      period,
      rows.bytes,
      [...newest.keys()],
      rows.starts,
      rows.lengths,
    ],
  );
  return new Set(newest.keys());
}

/** Many pieces as one parameter: `substring` counts from 1. */
export function joined(parts: readonly Uint8Array[]): { bytes: Buffer; starts: number[]; lengths: number[] } {
  let at = 1;
  const starts = parts.map(({ length }) => {
    at += length;
    return at - length;
  });
  return { bytes: Buffer.concat(parts), starts, lengths: parts.map(({ length }) => length) };
}
