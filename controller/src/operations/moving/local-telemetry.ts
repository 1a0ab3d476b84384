// The tables of the embedded telemetry store, read by another process than the server's, which may go on writing.
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { FieldRow } from '@weft/timeseries/engine-parts';
import type { BlockRow, RollupRow } from '../../core/telemetry/store/postgres/block-rows.ts';

export type LocalField = FieldRow;

export class LocalTelemetry {
  readonly #database: DatabaseSync;

  /** The file must exist: SQLite would create a new one. */
  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: 5_000 });
  }

  sources(): { no: number; ap_id: string }[] {
    const found = this.#database.prepare('SELECT no, ap_id FROM agents').all() as { no: number; ap_id: string }[];
    return found.sort((a, b) => (a.ap_id < b.ap_id ? -1 : 1));
  }

  /** One look at one moment, whatever the server commits meanwhile. */
  async atOneMoment<T>(work: () => Promise<T>): Promise<T> {
    this.#database.exec('BEGIN');
    try {
      return await work();
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  fields(source: number): LocalField[] {
    const sql = 'SELECT no, name, is_text, last_ts, last_value FROM fields WHERE agent = ? ORDER BY no';
    return this.#database.prepare(sql).all(source) as unknown as LocalField[];
  }

  blocks(source: number): Iterable<BlockRow> {
    const sql = 'SELECT start_ts, end_ts, rows, data FROM blocks WHERE agent = ? ORDER BY start_ts';
    return this.#database.prepare(sql).iterate(source) as unknown as Iterable<BlockRow>;
  }

  rollups(source: number): Iterable<RollupRow> {
    const sql = 'SELECT field, level, chunk, data FROM rollups WHERE agent = ? ORDER BY field, level, chunk';
    return this.#database.prepare(sql).iterate(source) as unknown as Iterable<RollupRow>;
  }

  close(): void {
    this.#database.close();
  }
}

export function hashOf(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
