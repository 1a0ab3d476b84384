// The steps of an agent that leaves this server, for whoever moves it: it takes no more posts, then it is gone; or it stays.
import type { PostgresPool } from '../../../storage/postgres-pool.ts';
import type { PostgresSession } from '../../../storage/postgres-session.ts';
import { BlockMemory } from './block-memory.ts';
import { type OpenSource, sealSource, withDays } from './journal-sealer.ts';
import { deleteSource, type Move, stayHere } from './moved-agents.ts';
import { leavingPeriod } from './telemetry-schema.ts';

/**
 * From now on posts of this agent are refused, for a minute at most unless it is called again. Everything that was
 * acknowledged is in blocks then. Resolves false if the agent was removed meanwhile, or is gone already.
 */
export function beginLeaving(pool: PostgresPool, move: Move): Promise<boolean> {
  return withDays(pool, (session, days) => beginOnce(session, move, days));
}

async function beginOnce(
  session: PostgresSession,
  { ap_id, to_server, copy }: Move,
  days: Set<number>,
): Promise<boolean> {
  // One that has a place and no samples yet moves as well: somebody may be about to store its first.
  await session.query('INSERT INTO telemetry_sources (ap_id) VALUES (?) ON CONFLICT DO NOTHING', [ap_id]);
  const no = await lockSource(session, ap_id);
  const [before] = await session.query<{ is_gone: number }>('SELECT is_gone FROM telemetry_moved WHERE ap_id = ?', [
    ap_id,
  ]);
  if (no === undefined || before?.is_gone === 1) {
    await deleteSource(session, ap_id);
    return false;
  }
  await session.query(
    `INSERT INTO telemetry_newest (source, sealed_period, last_period, data) VALUES (?, -1, -1, '')
     ON CONFLICT DO NOTHING`,
    [no],
  );
  const [open] = await session.query<OpenSource & Record<string, number | Uint8Array>>(
    `SELECT source, sealed_period AS sealed, last_period AS last, data FROM telemetry_newest WHERE source = ? FOR UPDATE`,
    [no],
  );
  if (open!.last === leavingPeriod) {
    await session.query(
      'UPDATE telemetry_moved SET to_server = ?, copy = ?, moved_at = clock_timestamp() WHERE ap_id = ?',
      [to_server, copy, ap_id],
    );
    return true;
  }
  await sealSource(session, open!, open!.last, new BlockMemory(() => {}), days);
  await session.query(
    `UPDATE telemetry_newest SET sealed_period = ${leavingPeriod}, last_period = ${leavingPeriod} WHERE source = ?`,
    [no],
  );
  await session.query(
    `INSERT INTO telemetry_moved (ap_id, is_gone, to_server, copy, last_period, moved_at)
     VALUES (?, 0, ?, ?, ?, clock_timestamp())`,
    [ap_id, to_server, copy, Math.max(open!.sealed, open!.last)],
  );
  return true;
}

/** The decision: from here on the copy is the agent. Resolves false if it does not leave any more; nothing is changed then. */
export function leave(pool: PostgresPool, { ap_id, copy }: Move): Promise<boolean> {
  return pool.transaction(async (session) => {
    await lockSource(session, ap_id);
    const rows = await session.query(
      `UPDATE telemetry_moved SET is_gone = 1, moved_at = clock_timestamp()
       WHERE ap_id = ? AND copy = ? AND is_gone = 0 RETURNING ap_id`,
      [ap_id, copy],
    );
    if (rows.length === 0) return false;
    await deleteSource(session, ap_id);
    return true;
  });
}

/** If it was leaving, it takes posts again. */
export async function stay(pool: PostgresPool, ap_id: string): Promise<void> {
  await pool.transaction(async (session) => {
    await lockSource(session, ap_id);
    await stayHere(session, ap_id);
  });
}

export async function dropCopy(pool: PostgresPool, copy: string): Promise<void> {
  await pool.transaction((session) => deleteSource(session, copy));
}

/** Those that are leaving, and those that are gone and whose new place may not be recorded. */
export async function unfinishedMoves(pool: PostgresPool): Promise<(Move & { is_gone: number })[]> {
  return pool.run((session) =>
    session.query<{ ap_id: string; to_server: string; copy: string; is_gone: number }>(
      `SELECT ap_id, to_server, copy, is_gone FROM telemetry_moved WHERE is_gone = 0 OR copy <> ''`,
    ),
  );
}

async function lockSource(session: PostgresSession, ap_id: string): Promise<number | undefined> {
  const sql = 'SELECT no FROM telemetry_sources WHERE ap_id = ? FOR UPDATE';
  return (await session.query<{ no: number }>(sql, [ap_id]))[0]?.no;
}
