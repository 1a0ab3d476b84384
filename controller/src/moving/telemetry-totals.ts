// What telemetry there is, in numbers and one hash: computed for both sides of a move in the same way, and compared.
import { createHash } from 'node:crypto';
import { writeNewest } from '../telemetry/store/postgres/newest-record.ts';
import type { LocalField } from './local-telemetry.ts';

export interface TelemetryTotals {
  agents: number;
  fields: number;
  blocks: number;
  /** Moments at which an agent has values. */
  rows: number;
  rollups: number;
  hash: string;
}

/** Agents in the order of their names, their blocks in the order of time, roll-ups in the order of their keys. */
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
