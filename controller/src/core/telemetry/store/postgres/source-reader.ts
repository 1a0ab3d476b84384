// One agent as a question finds it: its fields with their newest values, and as its head what is in the journal.
import { readRecord, type SourceSeries } from '@weft/timeseries/engine-parts';
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';
import { type FieldNames, type KnownSource, toSeries } from './known-sources.ts';
import { type NewestFields, readNewest } from './newest-record.ts';
import { journalSlots } from './telemetry-schema.ts';

export interface FoundSource {
  known: KnownSource;
  newest: NewestFields;
  sealedPeriod: number;
  lastPeriod: number;
}

/** Undefined if there is no such agent. */
export async function findSource(
  session: PostgresSession,
  ap_id: string,
  names: FieldNames,
): Promise<FoundSource | undefined> {
  const [row] = await session.query<{ no: number; sealed: number; last: number; data: Uint8Array }>(
    `SELECT no, sealed_period AS sealed, last_period AS last, data
     FROM telemetry_sources JOIN telemetry_newest ON source = no WHERE ap_id = ?`,
    [ap_id],
  );
  if (!row) return undefined;
  const { no, sealed: sealedPeriod, last: lastPeriod, data } = row;
  const newest = readNewest(data);
  const [known] = await names.of(session, [{ no, newest }]);
  return { known: known!, newest, sealedPeriod, lastPeriod };
}

/** With the rows of the journal that are not sealed, up to this period, in its head. */
export async function readSeries(
  session: PostgresSession,
  { known, newest, sealedPeriod, lastPeriod }: FoundSource,
  upTo = lastPeriod,
): Promise<SourceSeries> {
  const series = toSeries(known, newest);
  if (lastPeriod <= sealedPeriod) return series;
  const rows = await session.query<{ data: Uint8Array }>(
    `SELECT data FROM telemetry_journal
     WHERE slot = ANY(?::int[]) AND source = ? AND period > ? AND period <= ? ORDER BY seq`,
    [slotsBetween(sealedPeriod + 1, lastPeriod), known.no, sealedPeriod, upTo],
  );
  let row = 0;
  for (const { data } of rows) {
    readRecord(data, {
      run: (_source, run) => series.head.addRun(run),
      sample: (_source, ts) => {
        row = series.head.row(ts);
      },
      value: (field, value) => series.head.setValue(row, field, value),
      text: (field, text) => series.head.setText(row, field, text),
    });
  }
  return series;
}

function slotsBetween(first: number, last: number): number[] {
  if (last - first >= journalSlots) return Array.from({ length: journalSlots }, (_, slot) => slot);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) % journalSlots);
}
