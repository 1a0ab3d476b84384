// Writes blocks and roll-ups of one source, many rows with one statement.
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';
import { joined } from './journal-commits.ts';

export interface BlockRow {
  start_ts: number;
  end_ts: number;
  rows: number;
  data: Uint8Array;
}

export interface RollupRow {
  field: number;
  level: number;
  chunk: number;
  data: Uint8Array;
}

/** There must be tables for their days. */
export async function insertBlocks(
  session: PostgresSession,
  source: number,
  blocks: readonly BlockRow[],
): Promise<void> {
  if (blocks.length === 0) return;
  const data = joined(blocks.map((block) => block.data));
  await session.query(
    `INSERT INTO telemetry_blocks (source, start_ts, end_ts, rows, data)
     SELECT ?::bigint, start_ts, end_ts, count, substring(?::bytea FROM start FOR length)
     FROM unnest(?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[]) AS rows(start_ts, end_ts, count, start, length)`,
    [
      source,
      data.bytes,
      blocks.map(({ start_ts }) => start_ts),
      blocks.map(({ end_ts }) => end_ts),
      blocks.map(({ rows }) => rows),
      data.starts,
      data.lengths,
    ],
  );
}

/** Each replaces the one of the same field, level and chunk. */
export async function putRollups(
  session: PostgresSession,
  source: number,
  rollups: readonly RollupRow[],
): Promise<void> {
  if (rollups.length === 0) return;
  const chunks = joined(rollups.map((each) => each.data));
  await session.query(
    `INSERT INTO telemetry_rollups (source, field, level, chunk, data)
     SELECT ?::bigint, field, level, chunk, substring(?::bytea FROM start FOR length)
     FROM unnest(?::int[], ?::int[], ?::int[], ?::int[], ?::int[]) AS rows(field, level, chunk, start, length)
     ON CONFLICT (source, field, level, chunk) DO UPDATE SET data = excluded.data`,
    [
      source,
      chunks.bytes,
      rollups.map(({ field }) => field),
      rollups.map(({ level }) => level),
      rollups.map(({ chunk }) => chunk),
      chunks.starts,
      chunks.lengths,
    ],
  );
}
