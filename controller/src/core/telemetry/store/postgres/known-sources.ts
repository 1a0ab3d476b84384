// The numbers of agents and their fields, which PostgreSQL gives and which never change while the agent exists; kept in
// memory for those that report.
import { BoundedMap } from '@weft/contract/bounded-map';
import type { Sample } from '@weft/timeseries';
import {
  type NumberedSource,
  namesOf,
  neverTs,
  type SampleName,
  SourceSeries,
  toNumberedSource,
} from '@weft/timeseries/engine-parts';
import type { PostgresPool } from '../../../base/storage/postgres-pool.ts';
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';
import type { NewestFields } from './newest-record.ts';

const maxKnown = 50_000;

export interface KnownSource extends NumberedSource {
  names: { name: string; isText: boolean }[];
}

export class KnownSources {
  readonly #pool: PostgresPool;
  readonly #known = new BoundedMap<string, KnownSource>(maxKnown);

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  get(ap_id: string): KnownSource | undefined {
    return this.#known.get(ap_id);
  }

  forget(ap_id: string): void {
    this.#known.delete(ap_id);
  }

  /** Numbers for an agent and the names of its samples; durable when it resolves. Throws TooManyNames. */
  async register(ap_id: string, samples: readonly Sample[]): Promise<KnownSource> {
    const names = namesOf(samples);
    let source: KnownSource | undefined;
    while (!source) source = await this.#registerOnce(ap_id, names);
    this.#known.set(ap_id, source);
    return source;
  }

  /** Undefined if the agent was removed meanwhile. */
  #registerOnce(ap_id: string, names: readonly SampleName[]): Promise<KnownSource | undefined> {
    return this.#pool.transaction(async (session) => {
      await session.query('INSERT INTO telemetry_sources (ap_id) VALUES (?) ON CONFLICT DO NOTHING', [ap_id]);
      // The lock serialises those who add names, also against the removal of the agent.
      const sql = 'SELECT no FROM telemetry_sources WHERE ap_id = ? FOR UPDATE';
      const [row] = await session.query<{ no: number }>(sql, [ap_id]);
      if (!row) return undefined;
      await session.query(
        `INSERT INTO telemetry_newest (source, sealed_period, last_period, data) VALUES (?, -1, -1, '')
         ON CONFLICT DO NOTHING`,
        [row.no],
      );
      const known = await readFields(session, row.no);
      const added = toSeries(known).register(names, { fields: () => [], createField: () => {} });
      for (const { no, name, isText } of added) {
        (isText ? known.texts : known.metrics).set(name, no);
        known.names.push({ name, isText });
      }
      if (added.length > 0) await insertFields(session, row.no, added);
      return known;
    });
  }
}

/** All with one statement: a fleet that reports for the first time has ten names each. */
export async function insertFields(
  session: PostgresSession,
  source: number,
  fields: readonly { no: number; name: string; isText: boolean }[],
): Promise<void> {
  await session.query(
    `INSERT INTO telemetry_fields (source, no, name, is_text)
     SELECT ?::bigint, no, name, is_text FROM unnest(?::int[], ?::text[], ?::int[]) AS rows(no, name, is_text)`,
    [
      source,
      fields.map(({ no }) => no),
      fields.map(({ name }) => toStoredName(name)),
      fields.map(({ isText }) => (isText ? 1 : 0)),
    ],
  );
}

/** As reading and sealing see it, with an empty head. */
export function toSeries({ no, names }: KnownSource, newest: NewestFields = new Map()): SourceSeries {
  const fields = names.map(({ name, isText }, field) => {
    const { ts = neverTs, value = 0 } = newest.get(field) ?? {};
    return { no: field, name, is_text: isText ? 1 : 0, last_ts: ts, last_value: value };
  });
  return new SourceSeries(no, { fields: () => fields, createField: () => {} });
}

/** The source with this number, as PostgreSQL has it. */
export async function readFields(session: PostgresSession, no: number): Promise<KnownSource> {
  const rows = await session.query<FieldNameRow>(
    'SELECT no, name, is_text FROM telemetry_fields WHERE source = ? ORDER BY no',
    [no],
  );
  return toKnownSource(no, rows);
}

export type FieldNameRow = { no: number; name: string; is_text: number };

/** Its rows in the order of their numbers. */
export function toKnownSource(no: number, rows: readonly FieldNameRow[]): KnownSource {
  const names = rows.map(({ name, is_text }) => ({ name: JSON.parse(name) as string, isText: is_text === 1 }));
  const fields = names.map((field, index) => ({ ...field, no: index }));
  return { ...toNumberedSource(no, fields), names };
}

/** Text of PostgreSQL has no NUL, and no half characters; names of metrics may. */
export function toStoredName(name: string): string {
  return JSON.stringify(name);
}

/**
 * The names of fields by the number of their source, for those who read: a number is never given again, and the fields of a
 * source only become more, so what is known stays right. Whether there are new ones is seen by the newest values.
 */
export class FieldNames {
  readonly #known = new BoundedMap<number, KnownSource>(maxKnown);

  /** Of these sources, in their order. Fields that have never had a value may be missing. */
  async of(session: PostgresSession, sources: readonly { no: number; newest: NewestFields }[]): Promise<KnownSource[]> {
    const missing = sources.filter(({ no, newest }) => !hasAll(this.#known.get(no), newest)).map(({ no }) => no);
    const read = missing.length === 0 ? undefined : await readNames(session, missing);
    const found = sources.map(({ no }) => read?.get(no) ?? this.#known.get(no) ?? toKnownSource(no, []));
    for (const [no, source] of read ?? []) this.#known.set(no, source);
    return found;
  }
}

function hasAll(known: KnownSource | undefined, newest: NewestFields): boolean {
  if (!known) return false;
  for (const field of newest.keys()) if (field >= known.names.length) return false;
  return true;
}

async function readNames(session: PostgresSession, numbers: number[]): Promise<Map<number, KnownSource>> {
  const rows = await session.query<FieldNameRow & { source: number }>(
    'SELECT source, no, name, is_text FROM telemetry_fields WHERE source = ANY(?::bigint[]) ORDER BY source, no',
    [numbers],
  );
  const bySource = Map.groupBy(rows, ({ source }) => source);
  return new Map(numbers.map((no) => [no, toKnownSource(no, bySource.get(no) ?? [])]));
}
