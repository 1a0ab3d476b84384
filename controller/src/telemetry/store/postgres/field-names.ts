// The names of fields by the number of their source, for those who read: a number is never given again, and the fields of a
// source only become more, so what is known stays right. Whether there are new ones is seen by the newest values.
import { BoundedMap } from '@weft/contract/bounded-map';
import type { PostgresSession } from '../../../storage/postgres-session.ts';
import { type FieldNameRow, type KnownSource, toKnownSource } from './known-sources.ts';
import type { NewestFields } from './newest-record.ts';

const maxKnown = 50_000;

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
