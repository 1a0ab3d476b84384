// The blocks and roll-ups of one source as reading and sealing ask for them: what is needed is loaded from PostgreSQL when
// it is first asked for, and the question is put again. Changes are collected, and written at the end.
import type { TimeRange } from '@weft/timeseries';
import {
  Block,
  type BlockPlace,
  type BlockTables,
  chunkOf,
  DecodedBlocks,
  type Level,
  type SealedRows,
} from '@weft/timeseries/engine-parts';
import type { PostgresSession } from '../../../base/storage/postgres-session.ts';
import type { BlockRow, RollupRow } from './block-rows.ts';

/** Each loads something; no question needs as many. */
const maxRounds = 1_000;

export interface Changes {
  inserted: Map<number, BlockRow>;
  removed: BlockPlace[];
  rollups: Map<string, RollupRow>;
}

/** Thrown where something has to be loaded first. */
class NotLoaded extends Error {
  readonly load: () => Promise<void>;
  constructor(load: () => Promise<void>) {
    super('not loaded');
    this.load = load;
  }
}

export interface LoadedTablesOptions {
  session: PostgresSession;
  source: number;
  /** Whose roll-ups are worth loading together. */
  fields: readonly number[];
  /** What will be asked about: the blocks of this range, the one before it and the one behind it. */
  range: TimeRange;
  memory: BlockMemory;
}

export class LoadedTables implements BlockTables {
  readonly #options: LoadedTablesOptions;
  /** In order of time. */
  #places: BlockPlace[] | undefined;
  #changes: Changes = noChanges();
  /** Of levels that were asked for: by field, in order of time. */
  readonly #rollups = new Map<Level, Map<number, { chunk: number; data: Uint8Array }[]>>();
  #lastNewId = 0;

  constructor(options: LoadedTablesOptions) {
    this.#options = options;
  }

  /** Puts the question until everything that it needs is there. `work` must have no other effects. */
  async ask<Answer>(work: (sealed: Pick<SealedRows, 'tables' | 'blocks'>) => Answer): Promise<Answer> {
    for (let round = 0; round < maxRounds; round++) {
      this.#changes = noChanges();
      try {
        return work({ tables: this, blocks: this });
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error;
        await error.load();
      }
    }
    throw new Error('a question about telemetry does not come to an end');
  }

  get changes(): Changes {
    return this.#changes;
  }

  blockBefore(_source: number, ts: number): BlockPlace | undefined {
    return this.#current().findLast(({ start_ts }) => start_ts <= ts);
  }

  blockAfter(_source: number, ts: number): BlockPlace | undefined {
    return this.#current().find(({ start_ts }) => start_ts > ts);
  }

  blocks(_source: number, startMs: number, endMs: number, limit = -1): BlockPlace[] {
    const found = this.#current().filter(({ start_ts, end_ts }) => start_ts <= endMs && end_ts >= startMs);
    return limit < 0 ? found : found.slice(0, limit);
  }

  countRows(source: number, startMs: number, endMs: number): number {
    return this.blocks(source, startMs, endMs).reduce((sum, { rows }) => sum + rows, 0);
  }

  insertBlock(_source: number, start_ts: number, end_ts: number, rows: number, data: Uint8Array): void {
    this.#changes.inserted.set(--this.#lastNewId, { start_ts, end_ts, rows, data });
  }

  removeBlock(id: number): void {
    if (this.#changes.inserted.delete(id)) return;
    this.#changes.removed.push(this.#known().find((place) => place.id === id)!);
  }

  rollup(source: number, field: number, level: Level, chunk: number): Uint8Array | undefined {
    return this.rollups(source, field, level, chunk, chunk)[0]?.data;
  }

  rollups(_source: number, field: number, level: Level, first: number, last: number) {
    const loaded = this.#rollups.get(level);
    if (!loaded) throw new NotLoaded(() => this.#loadRollups(level));
    return (loaded.get(field) ?? []).filter(({ chunk }) => chunk >= first && chunk <= last);
  }

  putRollup(_source: number, field: number, level: Level, chunk: number, data: Uint8Array): void {
    this.#changes.rollups.set(`${field} ${level} ${chunk}`, { field, level, chunk, data });
  }

  /** Newest values are kept with every commit. */
  updateField(): void {}

  get(id: number): Block | undefined {
    const fresh = this.#changes.inserted.get(id);
    if (fresh) return new Block(fresh.data);
    const known = this.#options.memory.get(id);
    if (known) return known === 'damaged' ? undefined : known;
    throw new NotLoaded(() => this.#loadBlocks(id));
  }

  forget(): void {}

  #known(): BlockPlace[] {
    if (!this.#places) throw new NotLoaded(() => this.#loadPlaces());
    return this.#places;
  }

  #current(): BlockPlace[] {
    const { inserted, removed } = this.#changes;
    const known = this.#known();
    if (inserted.size === 0 && removed.length === 0) return known;
    const gone = new Set(removed.map(({ id }) => id));
    const fresh = [...inserted].map(([id, { start_ts, end_ts, rows }]) => ({ id, start_ts, end_ts, rows }));
    return [...known.filter(({ id }) => !gone.has(id)), ...fresh].sort((a, b) => a.start_ts - b.start_ts);
  }

  async #loadPlaces(): Promise<void> {
    const { startMs, endMs } = this.#options.range;
    const source = this.#options.source;
    this.#places = await this.#options.session.query<{ id: number; start_ts: number; end_ts: number; rows: number }>(
      `(SELECT id, start_ts, end_ts, rows FROM telemetry_blocks WHERE source = ? AND start_ts <= ?
        ORDER BY start_ts DESC LIMIT 1)
       UNION ALL
       SELECT id, start_ts, end_ts, rows FROM telemetry_blocks WHERE source = ? AND start_ts > ? AND start_ts <= ?
       UNION ALL
       (SELECT id, start_ts, end_ts, rows FROM telemetry_blocks WHERE source = ? AND start_ts > ?
        ORDER BY start_ts LIMIT 1)
       ORDER BY start_ts`,
      [source, startMs, source, startMs, endMs, source, endMs],
    );
  }

  /** This one and its neighbours: who asks for one asks for the next. */
  async #loadBlocks(id: number): Promise<void> {
    const places = this.#known();
    const at = places.findIndex((place) => place.id === id);
    const wanted = places.slice(at, at + 16).filter((place) => !this.#options.memory.get(place.id));
    const rows = await this.#options.session.query<{ id: number; data: Uint8Array }>(
      'SELECT id, data FROM telemetry_blocks WHERE source = ? AND start_ts BETWEEN ? AND ? AND id = ANY(?::bigint[])',
      [this.#options.source, wanted[0]!.start_ts, wanted.at(-1)!.start_ts, wanted.map((place) => place.id)],
    );
    for (const row of rows) this.#options.memory.put(row.id, row.data);
    if (!this.#options.memory.get(id)) throw new Error(`block ${id} of telemetry is not there`);
  }

  /** All of the range: who asks for one asks for the others. */
  async #loadRollups(level: Level): Promise<void> {
    const { startMs, endMs } = this.#options.range;
    const rows = await this.#options.session.query<{ field: number; chunk: number; data: Uint8Array }>(
      `SELECT field, chunk, data FROM telemetry_rollups
       WHERE source = ? AND field = ANY(?::int[]) AND level = ? AND chunk BETWEEN ? AND ? ORDER BY chunk`,
      [this.#options.source, this.#options.fields, level, chunkOf(level, startMs), chunkOf(level, endMs)],
    );
    this.#rollups.set(
      level,
      Map.groupBy(rows, ({ field }) => field),
    );
  }
}

function noChanges(): Changes {
  return { inserted: new Map(), removed: [], rollups: new Map() };
}

const maxDamaged = 10_000;

/** The blocks that were loaded, decoded. A block never changes: another one with another id takes its place. */
export class BlockMemory {
  readonly #onDamage: (message: string) => void;
  readonly #decoded = new DecodedBlocks();
  readonly #damaged = new Set<number>();

  constructor(onDamage: (message: string) => void) {
    this.#onDamage = onDamage;
  }

  /** `damaged`: it was loaded and cannot be read. Undefined: it has to be loaded. */
  get(id: number): Block | 'damaged' | undefined {
    return this.#decoded.get(id) ?? (this.#damaged.has(id) ? 'damaged' : undefined);
  }

  put(id: number, data: Uint8Array): void {
    try {
      this.#decoded.put(id, new Block(data));
    } catch (error) {
      if (this.#damaged.size >= maxDamaged) this.#damaged.clear();
      this.#damaged.add(id);
      this.#onDamage(`block ${id} of the telemetry in PostgreSQL cannot be read: ${(error as Error).message}`);
    }
  }
}
