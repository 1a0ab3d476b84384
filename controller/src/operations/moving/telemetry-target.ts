// The telemetry of one agent in PostgreSQL, while it is copied there: read as texts that are equal if the content is, and
// written in batches. Each batch is a transaction; the order of batches does not matter, because no server reads yet.
import type { PostgresPool } from '../../core/base/storage/postgres-pool.ts';
import type { PostgresSession } from '../../core/base/storage/postgres-session.ts';
import {
  type BlockRow,
  insertBlocks,
  putRollups,
  type RollupRow,
} from '../../core/telemetry/store/postgres/block-rows.ts';
import { insertFields, toStoredName } from '../../core/telemetry/store/postgres/known-sources.ts';
import { createDays, dayOf } from '../../core/telemetry/store/postgres/telemetry-schema.ts';
import type { LocalField } from './local-telemetry.ts';

const maxBatchBytes = 4 * 1024 * 1024;
/** Of rows that are removed in one statement. */
const removedAtOnce = 1_000;

export type TargetField = Pick<LocalField, 'no' | 'name' | 'is_text'>;

export interface TargetContent {
  fields: string[];
  newest: Uint8Array;
  /** In the order of time. */
  blocks: { id: number; text: string; rows: number }[];
  /** In the order of field, level and chunk. */
  rollups: { key: string; hash: string }[];
}

export class TelemetryTarget {
  readonly #pool: PostgresPool;
  readonly #ap_id: string;
  #no: number | undefined;
  #blocks: BlockRow[] = [];
  #rollups: RollupRow[] = [];
  #bytes = 0;
  /** Days that have their table for sure. */
  readonly #days = new Set<number>();
  changes = 0;

  constructor(pool: PostgresPool, ap_id: string) {
    this.#pool = pool;
    this.#ap_id = ap_id;
  }

  /** Removes all agents but these. */
  static async removeOthers(pool: PostgresPool, ap_ids: ReadonlySet<string>): Promise<void> {
    const known = await pool.run((session) =>
      session.query<{ no: number; ap_id: string }>('SELECT no, ap_id FROM telemetry_sources'),
    );
    for (const { no, ap_id } of known) {
      if (ap_ids.has(ap_id)) continue;
      await pool.transaction(async (session) => {
        for (const table of ['newest', 'fields', 'blocks', 'rollups']) {
          await session.query(`DELETE FROM telemetry_${table} WHERE source = ?`, [no]);
        }
        await session.query('DELETE FROM telemetry_sources WHERE no = ?', [no]);
      });
    }
  }

  /** Nothing, if it is not there. */
  async read(): Promise<TargetContent> {
    return this.#pool.run(async (session) => {
      const [source] = await session.query<{ no: number; data: Uint8Array }>(
        'SELECT no, data FROM telemetry_sources JOIN telemetry_newest ON source = no WHERE ap_id = ?',
        [this.#ap_id],
      );
      if (!source) return { fields: [], newest: new Uint8Array(0), blocks: [], rollups: [] };
      this.#no = source.no;
      return { newest: source.data, ...(await readRows(session, source.no)) };
    });
  }

  /** Gives the agent its number, names and newest values. `before` is what `read` has found. */
  async register(fields: readonly TargetField[], newest: Uint8Array, before: TargetContent): Promise<void> {
    const texts = fields.map(fieldText);
    const isSame = texts.length === before.fields.length && texts.every((text, index) => text === before.fields[index]);
    if (this.#no !== undefined && isSame && Buffer.compare(newest, before.newest) === 0) return;
    this.changes++;
    this.#no = await this.#pool.transaction(async (session) => {
      await session.query('INSERT INTO telemetry_sources (ap_id) VALUES (?) ON CONFLICT DO NOTHING', [this.#ap_id]);
      const sql = 'SELECT no FROM telemetry_sources WHERE ap_id = ?';
      const no = (await session.query<{ no: number }>(sql, [this.#ap_id]))[0]!.no;
      await session.query('DELETE FROM telemetry_fields WHERE source = ?', [no]);
      const named = fields.map((field) => ({ no: field.no, name: field.name, isText: field.is_text === 1 }));
      await insertFields(session, no, named);
      await session.query(
        `INSERT INTO telemetry_newest (source, sealed_period, last_period, data) VALUES (?, -1, -1, ?)
         ON CONFLICT (source) DO UPDATE SET data = excluded.data`,
        [no, Buffer.from(newest)],
      );
      return no;
    });
  }

  async addBlock(block: BlockRow): Promise<void> {
    this.#blocks.push(block);
    await this.#added(block.data.length);
  }

  async addRollup(rollup: RollupRow): Promise<void> {
    this.#rollups.push(rollup);
    await this.#added(rollup.data.length);
  }

  async #added(bytes: number): Promise<void> {
    this.changes++;
    this.#bytes += bytes;
    if (this.#bytes >= maxBatchBytes) await this.flush();
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    const [blocks, rollups] = [this.#blocks, this.#rollups];
    this.#blocks = [];
    this.#rollups = [];
    this.#bytes = 0;
    const days = new Set(blocks.map(({ start_ts }) => dayOf(start_ts)).filter((day) => !this.#days.has(day)));
    await createDays(this.#pool, days);
    for (const day of days) this.#days.add(day);
    if (blocks.length === 0 && rollups.length === 0) return;
    await this.#pool.transaction(async (session) => {
      await insertBlocks(session, this.#no!, blocks);
      await putRollups(session, this.#no!, rollups);
    });
  }

  /** What the other side does not have. */
  async remove(blocks: readonly number[], rollups: readonly string[]): Promise<void> {
    this.changes += blocks.length + rollups.length;
    for (let start = 0; start < blocks.length; start += removedAtOnce) {
      const sql = 'DELETE FROM telemetry_blocks WHERE source = ? AND id = ANY(?::bigint[])';
      await this.#pool.run((session) => session.query(sql, [this.#no!, blocks.slice(start, start + removedAtOnce)]));
    }
    for (let start = 0; start < rollups.length; start += removedAtOnce) {
      const keys = rollups.slice(start, start + removedAtOnce).map((key) => key.split(' ').map(Number));
      const column = (index: number) => keys.map((key) => key[index]!);
      await this.#pool.run((session) =>
        session.query(
          `DELETE FROM telemetry_rollups USING unnest(?::int[], ?::int[], ?::int[]) AS gone(f, l, c)
           WHERE source = ? AND field = f AND level = l AND chunk = c`,
          [column(0), column(1), column(2), this.#no!],
        ),
      );
    }
  }
}

export function fieldText({ no, name, is_text }: TargetField): string {
  return `${no} ${is_text} ${toStoredName(name)}`;
}

export function blockText({ start_ts, end_ts, rows }: Omit<BlockRow, 'data'>, hash: string): string {
  return `${start_ts} ${end_ts} ${rows} ${hash}`;
}

export function rollupKey({ field, level, chunk }: Omit<RollupRow, 'data'>): string {
  return `${field} ${level} ${chunk}`;
}

async function readRows(session: PostgresSession, no: number): Promise<Omit<TargetContent, 'newest'>> {
  const fields = await session.query<{ text: string }>(
    `SELECT no || ' ' || is_text || ' ' || name AS text FROM telemetry_fields WHERE source = ? ORDER BY no`,
    [no],
  );
  const blocks = await session.query<{ id: number; start_ts: number; end_ts: number; rows: number; hash: string }>(
    `SELECT id, start_ts, end_ts, rows, encode(sha256(data), 'hex') AS hash FROM telemetry_blocks
     WHERE source = ? ORDER BY start_ts`,
    [no],
  );
  const rollups = await session.query<{ field: number; level: number; chunk: number; hash: string }>(
    `SELECT field, level, chunk, encode(sha256(data), 'hex') AS hash FROM telemetry_rollups
     WHERE source = ? ORDER BY field, level, chunk`,
    [no],
  );
  return {
    fields: fields.map(({ text }) => text),
    blocks: blocks.map(({ hash, ...block }) => ({ id: block.id, rows: block.rows, text: blockText(block, hash) })),
    rollups: rollups.map(({ hash, ...rollup }) => ({ key: rollupKey(rollup), hash })),
  };
}
