// Removes what is older than the retention, and what removed agents have left, in small steps.
import { chunkOf, hourMs, minuteMs } from '@weft/timeseries/engine-parts';
import type { PostgresPool } from '../../../storage/postgres-pool.ts';
import type { PostgresSession } from '../../../storage/postgres-session.ts';
import { dropDayBefore } from './telemetry-schema.ts';

const pruneStep = 64;

/** Resolves whether there is more to remove. */
export async function pruneSome(
  pool: PostgresPool,
  times: { nowMs: number; rollupNowMs: number; rawRetentionMs: number; rollupRetentionMs: number },
): Promise<boolean> {
  const { nowMs, rollupNowMs, rawRetentionMs, rollupRetentionMs } = times;
  // An hour longer than promised, so that the roll-up of a late sample still finds the samples beside it.
  const isDropped = await dropDayBefore(pool, nowMs - rawRetentionMs - hourMs);
  const limit = rollupNowMs - rollupRetentionMs;
  let removed = 0;
  for (const level of [minuteMs, hourMs] as const) {
    const rows = await pool.run((session) =>
      session.query(
        `DELETE FROM telemetry_rollups WHERE ctid IN (
             SELECT ctid FROM telemetry_rollups WHERE level = ? AND chunk < ? LIMIT ${pruneStep}
           ) RETURNING level`,
        [level, chunkOf(level, limit)],
      ),
    );
    removed += rows.length;
  }
  return isDropped || removed > 0 || (await pool.transaction(pruneRemoved));
}

/** Some blocks and roll-ups of one removed agent; returns whether there was one. */
async function pruneRemoved(session: PostgresSession): Promise<boolean> {
  const [removed] = await session.query<{ source: number }>(
    'SELECT source FROM telemetry_removed LIMIT 1 FOR UPDATE SKIP LOCKED',
  );
  if (!removed) return false;
  const some = async (table: string, key: string) =>
    (
      await session.query(
        `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE source = ? LIMIT ${pruneStep}) RETURNING source`,
        [removed.source],
      )
    ).length;
  const found =
    (await some('telemetry_blocks', 'id')) + (await some('telemetry_rollups', 'source, field, level, chunk'));
  if (found === 0) await session.query('DELETE FROM telemetry_removed WHERE source = ?', [removed.source]);
  return true;
}
