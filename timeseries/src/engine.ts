// The store itself; runs in a thread of its own. A commit goes to the journal and to the heads in memory; full or old heads
// are sealed into blocks and roll-ups in SQLite, and the journal segments behind them are removed.
import { join } from 'node:path';
import { BlockCache } from './blocks/block-cache.ts';
import { chunkOf, hourMs, minuteMs } from './blocks/rollup.ts';
import { Tables } from './blocks/tables.ts';
import { neverTs, SourceSeries } from './heads/source-series.ts';
import type { SealedRows } from './read/raw-rows.ts';
import { RecentRows } from './read/recent-rows.ts';
import { queryFrame, readRows } from './read/series-reader.ts';
import type { FieldInfo, Frame, LatestValues, SeriesQuery, TimeRange } from './time-series.ts';
import { Journal } from './write/journal.ts';
import { readRecord } from './write/sample-record.ts';
import { sealFirstRows } from './write/sealing.ts';

/** Above these the oldest heads are sealed early, one after each commit. */
const maxHeadBytes = 192 * 1024 * 1024;
const maxJournalBytes = 96 * 1024 * 1024;
const pruneStep = 64;

export interface EngineOptions {
  folder: string;
  rawRetentionMs: number;
  rollupRetentionMs: number;
  onDamage: (message: string, isUnfinishedEnd: boolean) => void;
}

export interface RegisteredSource {
  no: number;
  fields: { name: string; no: number; isText: boolean }[];
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #tables: Tables;
  readonly #blocks: BlockCache;
  readonly #sealed: SealedRows;
  readonly #journal: Journal;
  readonly #sources = new Map<number, SourceSeries>();
  readonly #numbers = new Map<string, number>();
  /** Sources with rows in their heads, those waiting longest first, with the journal segment of their first row. */
  readonly #open = new Map<SourceSeries, number>();
  readonly #full = new Set<SourceSeries>();
  #headBytes = 0;
  /** Values of the journal whose field is not in the tables: impossible while the two belong together. */
  #unknownFields = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#tables = new Tables(join(options.folder, 'telemetry.db'));
    this.#blocks = new BlockCache(this.#tables, (message) => options.onDamage(message, false));
    this.#sealed = { tables: this.#tables, blocks: this.#blocks, recent: new RecentRows() };
    this.#journal = new Journal({ folder: join(options.folder, 'journal'), onDamage: options.onDamage });
    this.#journal.recover((record, segment) => this.#apply(record, segment));
    for (const series of this.#open.keys()) {
      series.resume();
      if (!series.isFull) this.#full.delete(series);
    }
    if (this.#unknownFields > 0) {
      const what = `${this.#unknownFields} values of the journal in ${options.folder}`;
      options.onDamage(
        `${what} are left out: telemetry.db does not know their names and is older than the journal`,
        false,
      );
    }
  }

  /** Numbers for a source and its names; durable when it returns. Throws FieldConflict. */
  register(source: string, names: readonly { name: string; isText: boolean; sampleIndex: number }[]): RegisteredSource {
    const known = this.#find(source);
    const { series, added } = this.#tables.transaction(() => {
      const series = known ?? new SourceSeries(this.#tables.createSource(source), this.#tables);
      return { series, added: series.register(names, this.#tables) };
    });
    // Only now: what a rollback undoes must not be remembered.
    series.remember(added);
    if (!known) {
      this.#sources.set(series.no, series);
      this.#numbers.set(source, series.no);
    }
    return { no: series.no, fields: series.fields.map(({ name, no, isText }) => ({ name, no, isText })) };
  }

  /**
   * Durable when it resolves; when it rejects, nothing was stored. Until then nothing else may be done but read, which
   * does not see it yet.
   */
  async commit(record: Uint8Array): Promise<void> {
    // Twice the limit: the caller waits, so that memory stays bounded.
    while (this.#fullness > 2 && this.sealOne());
    await this.#journal.append(record);
    this.#apply(record, this.#journal.segment);
  }

  /** Seals at most one head, or a part of it, so that callers wait for no more than that. Returns whether it did. */
  sealOne(): boolean {
    const [oldest] = this.#open.keys();
    if (!oldest) return false;
    const [full] = this.#full;
    const next = this.#fullness > 1 ? oldest : full;
    if (!next) return false;
    this.#seal(next);
    return true;
  }

  /** Moves everything into blocks. */
  sealAll(): void {
    for (const series of this.#open.keys()) while (this.#open.has(series)) this.#seal(series);
  }

  query(query: SeriesQuery): Frame {
    const series = this.#find(query.source);
    return queryFrame(series, query, this.#sealed, Date.now() - this.#options.rawRetentionMs);
  }

  rows(source: string, range: TimeRange, limit: number, metrics?: readonly string[]): Frame {
    return readRows(this.#find(source), range, limit, metrics, this.#sealed);
  }

  fields(source: string, sinceMs: number): FieldInfo[] {
    const fields = this.#find(source)?.fields.filter(({ lastTs }) => lastTs >= sinceMs) ?? [];
    return fields
      .map(({ name, isText, lastTs }): FieldInfo => ({ name, kind: isText ? 'text' : 'metric', lastTs }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  latest(sources: readonly string[]): LatestValues[] {
    return sources.flatMap((source) => {
      const fields = this.#find(source)?.fields.filter(({ isText, lastTs }) => !isText && lastTs !== neverTs) ?? [];
      if (fields.length === 0) return [];
      return [{ source, metrics: fields.map(({ name, lastTs: ts, lastValue: value }) => ({ name, ts, value })) }];
    });
  }

  remove(source: string): void {
    const series = this.#find(source);
    if (!series) return;
    this.#tables.transaction(() => this.#tables.removeSource(series.no));
    this.#forget(source, series);
    this.#blocks.clear();
  }

  prune(nowMs: number): boolean {
    const { rawRetentionMs, rollupRetentionMs } = this.#options;
    const limit = nowMs - rollupRetentionMs;
    // An hour longer than promised, so that the roll-up of a late sample still finds the samples beside it.
    const { blocks, others } = this.#tables.transaction(() => ({
      blocks: this.#tables.pruneBlocks(nowMs - rawRetentionMs - hourMs, pruneStep),
      others:
        this.#tables.pruneRollups(minuteMs, chunkOf(minuteMs, limit), pruneStep) +
        this.#tables.pruneRollups(hourMs, chunkOf(hourMs, limit), pruneStep) +
        this.#tables.pruneRemoved(pruneStep),
    }));
    // New blocks, even of other sources, may get their ids.
    for (const id of blocks) this.#blocks.forget(id);
    if (blocks.length > 0) for (const series of this.#sources.values()) series.recentBlocks = undefined;
    return blocks.length + others > 0;
  }

  check(): void {
    this.#tables.check();
  }

  close(): void {
    this.#journal.close();
    this.#tables.close();
  }

  /** Above 1 heads are sealed before they are full. */
  get #fullness(): number {
    return Math.max(this.#headBytes / maxHeadBytes, this.#journal.bytes / maxJournalBytes);
  }

  /** Seals its head, or the first part of it if all of it would take long. */
  #seal(series: SourceSeries): void {
    series.recentBlocks = undefined;
    let sealed: number;
    try {
      sealed = this.#tables.transaction(() => sealFirstRows(series, this.#sealed));
    } catch (error) {
      // Blocks that the rollback has undone may be in the cache, and new blocks will get their ids.
      this.#blocks.clear();
      throw error;
    }
    if (sealed < series.head.count) {
      series.head.removeFirst(sealed);
      this.#full.add(series);
      return;
    }
    this.#headBytes -= series.head.bytes;
    series.beginHead();
    this.#open.delete(series);
    this.#full.delete(series);
    const [oldestSegment] = this.#open.values();
    this.#journal.removeBefore(oldestSegment ?? this.#journal.segment);
  }

  #apply(record: Uint8Array, segment: number): void {
    let series: SourceSeries | undefined;
    let row = 0;
    let ts = 0;
    let bytesBefore = 0;
    const finishSample = () => {
      if (!series) return;
      this.#headBytes += series.head.bytes - bytesBefore;
      if (series.isFull) this.#full.add(series);
    };
    readRecord(record, {
      sample: (no, time) => {
        finishSample();
        series = this.#sources.get(no) ?? (this.#tables.sourceExists(no) ? this.#load(no) : undefined);
        if (!series) return;
        if (series.head.count === 0) this.#open.set(series, segment);
        bytesBefore = series.head.count === 0 ? 0 : series.head.bytes;
        row = series.head.row(time);
        ts = time;
      },
      value: (number, value) => {
        if (!series) return;
        const field = series.fields[number];
        if (!field) {
          this.#unknownFields++;
          return;
        }
        series.head.setValue(row, number, value);
        if (ts >= field.lastTs) {
          field.lastTs = ts;
          field.lastValue = value;
        }
      },
      text: (number, text) => {
        if (!series) return;
        const field = series.fields[number];
        if (!field) {
          this.#unknownFields++;
          return;
        }
        series.head.setText(row, number, text);
        if (ts >= field.lastTs) field.lastTs = ts;
      },
    });
    finishSample();
  }

  #find(source: string): SourceSeries | undefined {
    let no = this.#numbers.get(source);
    if (no === undefined) {
      no = this.#tables.sourceNumber(source);
      if (no === undefined) return undefined;
      this.#numbers.set(source, no);
    }
    return this.#sources.get(no) ?? this.#load(no);
  }

  #load(no: number): SourceSeries {
    const series = new SourceSeries(no, this.#tables);
    this.#sources.set(no, series);
    return series;
  }

  #forget(source: string, series: SourceSeries): void {
    if (this.#open.has(series)) this.#headBytes -= series.head.bytes;
    this.#open.delete(series);
    this.#full.delete(series);
    this.#sources.delete(series.no);
    this.#numbers.delete(source);
  }
}
