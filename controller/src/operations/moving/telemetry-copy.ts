// Makes the telemetry in PostgreSQL equal to that of a data folder, agent by agent: what is there already and the same stays,
// what is missing is written, what is not in the data folder is removed. So it may end at any moment and begin again, and the
// pass that runs when nothing changes any more is also the comparison.
import { createHash } from 'node:crypto';
import type { PostgresPool } from '../../core/base/storage/postgres-pool.ts';
import { writeNewest } from '../../core/telemetry/store/postgres/newest-record.ts';
import { createTelemetryTables } from '../../core/telemetry/store/postgres/telemetry-schema.ts';
import { hashOf, type LocalField, type LocalTelemetry } from './local-telemetry.ts';
import { blockText, fieldText, rollupKey, TelemetryTarget } from './telemetry-target.ts';

export interface TelemetryPass {
  from: TelemetryTotals;
  to: TelemetryTotals;
  /** Blocks and chunks of roll-ups that had to be written or removed. */
  changes: number;
}

/** Nobody else may write to these tables of PostgreSQL. `onAgent` is told after each. */
export async function copyTelemetry(
  local: LocalTelemetry,
  pool: PostgresPool,
  onAgent: (done: number, all: number) => void,
): Promise<TelemetryPass> {
  await createTelemetryTables(pool);
  const sources = local.sources();
  await TelemetryTarget.removeOthers(pool, new Set(sources.map(({ ap_id }) => ap_id)));
  const [from, to] = [new TelemetryTally(), new TelemetryTally()];
  let changes = 0;
  for (const [index, source] of sources.entries()) {
    changes += await local.atOneMoment(() =>
      copySource(local, source, new TelemetryTarget(pool, source.ap_id), from, to),
    );
    onAgent(index + 1, sources.length);
  }
  return { from: from.totals, to: to.totals, changes };
}

/** Counts what both sides have in the end; returns how much was changed. */
async function copySource(
  local: LocalTelemetry,
  { no, ap_id }: { no: number; ap_id: string },
  target: TelemetryTarget,
  from: TelemetryTally,
  to: TelemetryTally,
): Promise<number> {
  const fields = local.fields(no);
  const newest = newestOf(fields);
  const before = await target.read();
  const staleBlocks = new Map(before.blocks.map(({ text, id }) => [text, id]));
  const staleRollups = new Map(before.rollups.map(({ key, hash }) => [key, hash]));
  from.begin(ap_id, fields.map(fieldText), newest);
  await target.register(fields, newest, before);
  for (const block of local.blocks(no)) {
    const text = blockText(block, hashOf(block.data));
    from.block(text, block.rows);
    if (!staleBlocks.delete(text)) await target.addBlock(block);
  }
  for (const rollup of local.rollups(no)) {
    const [key, hash] = [rollupKey(rollup), hashOf(rollup.data)];
    from.rollup(key, hash);
    if (staleRollups.get(key) !== hash) await target.addRollup(rollup);
    staleRollups.delete(key);
  }
  await target.flush();
  await target.remove([...staleBlocks.values()], [...staleRollups.keys()]);
  const after = target.changes === 0 ? before : await target.read();
  to.begin(ap_id, after.fields, after.newest);
  for (const { text, rows } of after.blocks) to.block(text, rows);
  for (const { key, hash } of after.rollups) to.rollup(key, hash);
  return target.changes;
}

export interface TelemetryTotals {
  agents: number;
  fields: number;
  blocks: number;
  /** Moments at which an agent has values. */
  rows: number;
  rollups: number;
  hash: string;
}

/** What telemetry there is: computed for both sides in the same way, and compared. Agents in the order of their names, their blocks in the order of time, roll-ups in the order of their keys. */
export class TelemetryTally {
  readonly #hash = createHash('sha256');
  readonly #counts = { agents: 0, fields: 0, blocks: 0, rows: 0, rollups: 0 };

  begin(ap_id: string, fields: readonly string[], newest: Uint8Array): void {
    this.#counts.agents++;
    this.#counts.fields += fields.length;
    this.#hash.update(JSON.stringify([ap_id, fields])).update(newest);
  }

  block(text: string, rows: number): void {
    this.#counts.blocks++;
    this.#counts.rows += rows;
    this.#hash.update(text);
  }

  rollup(key: string, hash: string): void {
    this.#counts.rollups++;
    this.#hash.update(key).update(hash);
  }

  get totals(): TelemetryTotals {
    return { ...this.#counts, hash: this.#hash.copy().digest('hex') };
  }
}

/** The newest values of an agent, as PostgreSQL has them in its row. */
export function newestOf(fields: readonly LocalField[]): Uint8Array {
  const known = fields.filter(({ last_ts }) => last_ts >= 0);
  return writeNewest(new Map(known.map(({ no, last_ts, last_value }) => [no, { ts: last_ts, value: last_value }])));
}
