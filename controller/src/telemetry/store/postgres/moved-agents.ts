// Agents that leave this server for another one. Each is in one of these states, which its rows say: here; leaving (it is
// read here, and takes no posts); gone (everything about it is on the other server). The step from leaving to gone is one
// transaction, and it alone decides where the agent is. What the other server has of it before is a copy with another name.
import { TryLaterError } from '../../../errors.ts';
import type { PostgresPool } from '../../../storage/postgres-pool.ts';
import type { PostgresSession } from '../../../storage/postgres-session.ts';
import { leavingPeriod } from './telemetry-schema.ts';

/** No agent has a name that begins with it. */
const copyMark = '~';
/** In place of the number of an agent that is gone. */
export const goneNo = -1;
/** Whoever moves agents has ended if it has not gone on for so long: the agent stays then. */
const leavingSeconds = 60;
/** Other nodes know a new place long before. */
const rememberedSeconds = 86_400;

/** These are on another server now. */
export class AgentMoved extends TryLaterError {
  readonly ap_ids: readonly string[];
  constructor(ap_ids: readonly string[]) {
    super(503, 'telemetry_unavailable', 'The telemetry of this access point was moved to another server', 1);
    this.ap_ids = ap_ids;
  }
}

/** Posts are refused for a moment. */
export class AgentLeaving extends TryLaterError {
  constructor() {
    super(503, 'telemetry_moving', 'The telemetry of this access point is being moved to another server', 1);
  }
}

export interface Move {
  ap_id: string;
  /** The id of the server that it moves to, and its name there until it has moved. */
  to_server: string;
  copy: string;
}

export function copyName(ap_id: string, move: string): string {
  return `${copyMark}${move}${copyMark}${ap_id}`;
}

/** Throws AgentMoved and AgentLeaving. Its row of telemetry_sources must be locked. */
export async function requireHere(session: PostgresSession, ap_id: string): Promise<void> {
  const [moved] = await session.query<{ is_gone: number; is_over: number }>(
    `SELECT is_gone, CASE WHEN moved_at < clock_timestamp() - interval '${leavingSeconds} seconds' THEN 1 ELSE 0 END AS is_over
     FROM telemetry_moved WHERE ap_id = ?`,
    [ap_id],
  );
  if (!moved) return;
  if (moved.is_gone === 1) throw new AgentMoved([ap_id]);
  if (moved.is_over === 0) throw new AgentLeaving();
  await stayHere(session, ap_id);
}

/** Takes back that it leaves. Its row of telemetry_sources must be locked. */
export async function stayHere(session: PostgresSession, ap_id: string): Promise<void> {
  // Everything was sealed when it was to leave, so no period before that one is open.
  await session.query(
    `UPDATE telemetry_newest SET sealed_period = moved.last_period, last_period = moved.last_period
     FROM telemetry_sources, telemetry_moved AS moved
     WHERE telemetry_sources.ap_id = ? AND source = telemetry_sources.no AND moved.ap_id = telemetry_sources.ap_id
       AND moved.is_gone = 0 AND telemetry_newest.last_period = ${leavingPeriod}`,
    [ap_id],
  );
  await session.query('DELETE FROM telemetry_moved WHERE ap_id = ? AND is_gone = 0', [ap_id]);
}

/** All rows about an agent, or about a copy; blocks and roll-ups are removed later. */
export async function deleteSource(session: PostgresSession, ap_id: string): Promise<void> {
  const sql = 'DELETE FROM telemetry_sources WHERE ap_id = ? RETURNING no';
  const [row] = await session.query<{ no: number }>(sql, [ap_id]);
  if (!row) return;
  await session.query('DELETE FROM telemetry_newest WHERE source = ?', [row.no]);
  await session.query('DELETE FROM telemetry_fields WHERE source = ?', [row.no]);
  await session.query('INSERT INTO telemetry_removed (source) VALUES (?)', [row.no]);
}

/** The copy becomes the agent. Resolves false if there is no such copy, as after the first time. */
export async function welcome(pool: PostgresPool, { ap_id, copy }: Pick<Move, 'ap_id' | 'copy'>): Promise<boolean> {
  return pool.transaction(async (session) => {
    const sql = 'UPDATE telemetry_sources SET ap_id = ? WHERE ap_id = ? RETURNING no';
    const isThere = (await session.query(sql, [ap_id, copy])).length > 0;
    // It may have left this server before.
    if (isThere) await session.query('DELETE FROM telemetry_moved WHERE ap_id = ?', [ap_id]);
    return isThere;
  });
}

/** Undefined if it is not gone. */
export async function whereTo(pool: PostgresPool, ap_id: string): Promise<Move | undefined> {
  const [row] = await pool.run((session) =>
    session.query<{ ap_id: string; to_server: string; copy: string }>(
      'SELECT ap_id, to_server, copy FROM telemetry_moved WHERE ap_id = ? AND is_gone = 1',
      [ap_id],
    ),
  );
  return row;
}

/** The next agents in the order of their names, without copies. */
export async function agentsAfter(pool: PostgresPool, after: string, limit: number): Promise<string[]> {
  const rows = await pool.run((session) =>
    session.query<{ ap_id: string }>(
      `SELECT ap_id FROM telemetry_sources WHERE ap_id COLLATE "C" > ? AND ap_id NOT LIKE '${copyMark}%'
       ORDER BY ap_id COLLATE "C" LIMIT ?`,
      [after, limit],
    ),
  );
  return rows.map(({ ap_id }) => ap_id);
}

export async function copies(pool: PostgresPool): Promise<string[]> {
  const sql = `SELECT ap_id FROM telemetry_sources WHERE ap_id LIKE '${copyMark}%'`;
  return (await pool.run((session) => session.query<{ ap_id: string }>(sql))).map(({ ap_id }) => ap_id);
}

/** The new place of an agent that is gone is recorded, so that it need not be remembered here for ever. */
export async function recorded(pool: PostgresPool, ap_id: string): Promise<void> {
  const sql = `UPDATE telemetry_moved SET copy = '' WHERE ap_id = ? AND is_gone = 1`;
  await pool.run((session) => session.query(sql, [ap_id]));
}

/** Agents that left long ago, and whose new place is recorded. */
export async function forgetMoved(session: PostgresSession): Promise<void> {
  await session.query(
    `DELETE FROM telemetry_moved
     WHERE is_gone = 1 AND copy = '' AND moved_at < now() - interval '${rememberedSeconds} seconds'`,
  );
}
