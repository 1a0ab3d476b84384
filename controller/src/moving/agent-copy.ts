// Makes the copy of an agent's telemetry on one server of PostgreSQL equal to what is on another: what is there already and
// the same stays, what is missing is written, what is too much is removed. Both are compared by the hashes that the servers compute.
import type { PostgresPool } from '../storage/postgres-pool.ts';
import { readFields } from '../telemetry/store/postgres/known-sources.ts';
import type { LocalBlock, LocalRollup } from './local-telemetry.ts';
import { type TargetContent, TelemetryTarget } from './telemetry-target.ts';
import { TelemetryTally, type TelemetryTotals } from './telemetry-totals.ts';

/** Blocks, or chunks of roll-ups, that are read at once. */
const readAtOnce = 64;

export interface CopiedAgent {
  from: TelemetryTotals;
  to: TelemetryTotals;
}

/** `name` is what the agent is called there. If nothing changes on the first server meanwhile, both are equal afterwards. */
export async function copyAgent(
  from: PostgresPool,
  to: PostgresPool,
  ap_id: string,
  name: string,
): Promise<CopiedAgent> {
  const target = new TelemetryTarget(to, name);
  const source = new TelemetryTarget(from, ap_id);
  const there = await source.read();
  const before = await target.read();
  const no = source.no;
  const known = no === undefined ? [] : (await from.run((session) => readFields(session, no))).names;
  const fields = known.map((field, index) => ({ no: index, name: field.name, is_text: field.isText ? 1 : 0 }));
  await target.register(fields, there.newest, before);
  const staleBlocks = new Map(before.blocks.map(({ text, id }) => [text, id]));
  const staleRollups = new Map(before.rollups.map(({ key, hash }) => [key, hash]));
  const blocks = there.blocks.filter(({ text }) => !staleBlocks.delete(text)).map(({ id }) => id);
  const rollups = there.rollups.filter(({ key, hash }) => staleRollups.get(key) !== hash).map(({ key }) => key);
  for (const { key } of there.rollups) staleRollups.delete(key);
  for (const part of parts(blocks)) for (const block of await readBlocks(from, no!, part)) await target.addBlock(block);
  for (const part of parts(rollups)) {
    for (const rollup of await readRollups(from, no!, part)) await target.addRollup(rollup);
  }
  await target.flush();
  await target.remove([...staleBlocks.values()], [...staleRollups.keys()]);
  const after = target.changes === 0 ? before : await target.read();
  return { from: totalsOf(ap_id, there), to: totalsOf(ap_id, after) };
}

export function isEqual({ from, to }: CopiedAgent): boolean {
  return (Object.keys(from) as (keyof TelemetryTotals)[]).every((key) => from[key] === to[key]);
}

function totalsOf(ap_id: string, { fields, newest, blocks, rollups }: TargetContent): TelemetryTotals {
  const tally = new TelemetryTally();
  tally.begin(ap_id, fields, newest);
  for (const { text, rows } of blocks) tally.block(text, rows);
  for (const { key, hash } of rollups) tally.rollup(key, hash);
  return tally.totals;
}

function readBlocks(pool: PostgresPool, source: number, ids: readonly number[]): Promise<LocalBlock[]> {
  return pool.run((session) =>
    session.query<{ start_ts: number; end_ts: number; rows: number; data: Uint8Array }>(
      'SELECT start_ts, end_ts, rows, data FROM telemetry_blocks WHERE source = ? AND id = ANY(?::bigint[])',
      [source, ids],
    ),
  );
}

function readRollups(pool: PostgresPool, source: number, keys: readonly string[]): Promise<LocalRollup[]> {
  const numbers = keys.map((key) => key.split(' ').map(Number));
  const column = (index: number) => numbers.map((key) => key[index]!);
  return pool.run((session) =>
    session.query<{ field: number; level: number; chunk: number; data: Uint8Array }>(
      `SELECT field, level, chunk, data FROM telemetry_rollups
       JOIN unnest(?::int[], ?::int[], ?::int[]) AS wanted(f, l, c) ON field = f AND level = l AND chunk = c
       WHERE source = ?`,
      [column(0), column(1), column(2), source],
    ),
  );
}

function* parts<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += readAtOnce) yield list.slice(start, start + readAtOnce);
}
