// What a commit of the journal does in PostgreSQL: a row for each report, and the newest values of each agent, which depend on
// those before. This node remembers what it has written: as long as no other one writes for the same agents, one statement does
// it all. Else the values are read under a lock first, in a transaction of four.
import { readRecord } from '@weft/timeseries/engine-parts';
import type { PostgresPool } from '../../../base/storage/postgres-pool.ts';
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';
import { NewestRecord } from './newest-record.ts';
import { journalSlots, periodSeconds } from './telemetry-schema.ts';

/** Of newest values, 24 bytes a field: those of 100,000 agents with ten fields each. */
const maxRememberedBytes = 48 * 1024 * 1024;
/** What an agent takes beside its values. */
const bytesEach = 256;

export interface JournalRecord {
  source: { no: number };
  record: Uint8Array;
}

interface Remembered {
  data: Uint8Array;
  /** Another node has written since this one has last looked. */
  isShared: boolean;
}

export class JournalCommits {
  readonly #pool: PostgresPool;
  readonly #remembered = new Map<number, Remembered>();
  #rememberedBytes = 0;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  /** Durable when it resolves; all of them or none. Resolves the sources that exist: what is of others is not stored. */
  async store(group: readonly JournalRecord[]): Promise<Set<number>> {
    const numbers = [...new Set(group.map(({ source }) => source.no))];
    return (await this.#storeAtOnce(group, numbers)) ?? this.#storeUnderLock(group, numbers);
  }

  /** Undefined if nothing was stored, because the values in PostgreSQL may be others than this node remembers. */
  async #storeAtOnce(group: readonly JournalRecord[], numbers: readonly number[]): Promise<Set<number> | undefined> {
    const before: Uint8Array[] = [];
    for (const no of numbers) {
      const known = this.#remembered.get(no);
      if (!known || known.isShared) return undefined;
      before.push(known.data);
    }
    const newest = new Map(numbers.map((no, index) => [no, new NewestRecord(before[index]!)]));
    noteAll(newest, group);
    if (!(await this.#pool.run((session) => insertIfUnchanged(session, group, newest, before)))) return undefined;
    for (const [no, { bytes }] of newest) this.#remember(no, bytes);
    return new Set(numbers);
  }

  async #storeUnderLock(group: readonly JournalRecord[], numbers: readonly number[]): Promise<Set<number>> {
    const { rows, newest } = await this.#pool.transaction((session) => insertUnderLock(session, group, numbers));
    for (const no of numbers) if (!newest.has(no)) this.#forget(no);
    for (const { source, data } of rows) {
      const known = this.#remembered.get(source);
      this.#remember(source, newest.get(source)!.bytes, known !== undefined && Buffer.compare(known.data, data) !== 0);
    }
    return new Set(newest.keys());
  }

  #remember(no: number, data: Uint8Array, isShared = false): void {
    const before = this.#remembered.get(no);
    this.#rememberedBytes += data.length + (before ? -before.data.length : bytesEach);
    this.#remembered.set(no, { data, isShared });
    if (this.#rememberedBytes > maxRememberedBytes) this.#forgetOldest();
  }

  /** Many at once: each time, a map passes by the places of those that were removed at its front. */
  #forgetOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      if (this.#rememberedBytes < 0.75 * maxRememberedBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(no: number): void {
    const known = this.#remembered.get(no);
    if (!known) return;
    this.#rememberedBytes -= known.data.length + bytesEach;
    this.#remembered.delete(no);
  }
}

type Newest = ReadonlyMap<number, NewestRecord>;

/** Locks, in the order of agents so that two nodes never wait for each other, before it draws numbers for the journal. */
async function insertIfUnchanged(
  session: PostgresSession,
  group: readonly JournalRecord[],
  newest: Newest,
  before: readonly Uint8Array[],
): Promise<boolean> {
  const old = joined(before);
  const rows = await session.query(
    `WITH old AS MATERIALIZED (
       SELECT * FROM unnest(${list('bigint')}, ${list('int')}, ${list('int')}) AS rows(no, start, length)
     ), locked AS MATERIALIZED (
       SELECT sealed_period, last_period FROM telemetry_newest JOIN old ON source = no
       WHERE source = ANY(${list('bigint')}) AND data = substring(?::bytea FROM start FOR length)
       ORDER BY source FOR UPDATE OF telemetry_newest
     ), chosen AS MATERIALIZED (
       SELECT GREATEST(${currentPeriod}, max(sealed_period) + 1, max(last_period)) AS period
       FROM locked HAVING count(*) = ?::int
     ), added AS (
       ${insertJournal} FROM chosen, ${journalRows}
     ), changed AS (
       ${updateNewest} FROM chosen, ${newestRows}
     )
     SELECT period FROM chosen`,
    [
      [...newest.keys()],
      old.starts,
      old.lengths,
      [...newest.keys()],
      old.bytes,
      newest.size,
      ...journalParams(group),
      ...newestParams(newest),
    ],
  );
  return rows.length > 0;
}

interface NewestRow extends Record<string, number | Uint8Array> {
  source: number;
  sealed: number;
  last: number;
  data: Uint8Array;
  period: number;
}

/** Returns the rows as they were, and as they are now. */
async function insertUnderLock(
  session: PostgresSession,
  group: readonly JournalRecord[],
  numbers: readonly number[],
): Promise<{ rows: NewestRow[]; newest: Newest }> {
  const rows = await session.query<NewestRow>(
    `SELECT source, sealed_period AS sealed, last_period AS last, data, ${currentPeriod} AS period
     FROM telemetry_newest WHERE source = ANY(${list('bigint')}) ORDER BY source FOR UPDATE`,
    [numbers],
  );
  const newest = new Map(rows.map(({ source, data }) => [source, new NewestRecord(data)]));
  const stored = group.filter(({ source }) => newest.has(source.no));
  if (stored.length === 0) return { rows, newest };
  noteAll(newest, stored);
  // A period that is sealed for an agent takes nothing any more. And none comes before one that the agent has rows in,
  // though the clock may go back (another server has taken over): those would be out of sight, and be sealed too late.
  const period = Math.max(rows[0]!.period, ...rows.map(({ sealed, last }) => Math.max(sealed + 1, last)));
  await session.query(
    `WITH chosen AS (SELECT ?::bigint AS period), added AS (${insertJournal} FROM chosen, ${journalRows})
     ${updateNewest} FROM chosen, ${newestRows}`,
    [period, ...journalParams(stored), ...newestParams(newest)],
  );
  return { rows, newest };
}

/**
 * A list that PostgreSQL does not look into when it plans. Else it finds a plan for each length of it cheaper than one for all,
 * and plans every commit again, which takes longer than the commit.
 */
function list(type: 'bigint' | 'int'): string {
  return `(SELECT ?::${type}[])::${type}[]`;
}

const currentPeriod = `floor(extract(epoch FROM now()) / ${periodSeconds})::bigint`;

const insertJournal = `INSERT INTO telemetry_journal (slot, period, seq, source, data)
  SELECT (period % ${journalSlots})::int, period, nextval('telemetry_journal_seq'), source, substring(?::bytea FROM start FOR length)`;
const journalRows = `unnest(${list('bigint')}, ${list('int')}, ${list('int')}) WITH ORDINALITY AS rows(source, start, length, place) ORDER BY place`;

function journalParams(group: readonly JournalRecord[]) {
  const { bytes, starts, lengths } = joined(group.map(({ record }) => record));
  return [bytes, group.map(({ source }) => source.no), starts, lengths];
}

const updateNewest =
  'UPDATE telemetry_newest SET last_period = period, data = substring(?::bytea FROM start FOR length)';
const newestRows = `unnest(${list('bigint')}, ${list('int')}, ${list('int')}) AS rows(no, start, length)
  WHERE source = no AND source = ANY(${list('bigint')})`;

function newestParams(newest: Newest) {
  const { bytes, starts, lengths } = joined([...newest.values()].map((record) => record.bytes));
  return [bytes, [...newest.keys()], starts, lengths, [...newest.keys()]];
}

function noteAll(newest: Newest, group: readonly JournalRecord[]): void {
  for (const { source, record } of group) {
    const fields = newest.get(source.no)!;
    let ts = 0;
    readRecord(record, {
      // The newest of them are those of the last sample.
      run: (_source, { numbers, at, stride, count }) => {
        const last = at + (count - 1) * stride;
        for (let place = last + 3; place < last + stride - 1; place += 2) {
          fields.note(numbers[place]!, numbers[last + 1]!, numbers[place + 1]!);
        }
        return true;
      },
      sample: (_source, time) => {
        ts = time;
      },
      value: (field, value) => fields.note(field, ts, value),
      text: (field) => fields.note(field, ts, 0),
    });
  }
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
