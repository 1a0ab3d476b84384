// The store itself; runs in a thread of its own. A commit goes to the journal and to the heads in memory; full or old heads
// are sealed into blocks and roll-ups in SQLite, and the journal segments behind them are removed.
import { join } from 'node:path';
import { BlockCache } from './blocks/block-cache.ts';
import { chunkOf, hourMs, minuteMs } from './blocks/rollup.ts';
import { Tables } from './blocks/tables.ts';
import { neverTs, SourceSeries } from './heads/source-series.ts';
import type { SealedRows } from './read/raw-rows.ts';
import { RecentRows } from './read/recent-rows.ts';
import { queryFrame, querySteps, readRows } from './read/series-reader.ts';
import {
  type FieldInfo,
  type Frame,
  inFieldOrder,
  type LatestValues,
  type SeriesQuery,
  type TimeRange,
} from './time-series.ts';
import { Journal } from './write/journal.ts';
import { OpenHeads } from './write/open-heads.ts';
import { sealFirstRows } from './write/sealing.ts';

/** Above these the oldest heads are sealed early, some after each commit. */
const maxHeadBytes = 192 * 1024 * 1024;
const maxJournalBytes = 96 * 1024 * 1024;
const pruneStep = 64;
/** A transaction has its own cost, however much it changes; but callers wait for its end. */
const maxSealedAtOnce = 16;
const sealMs = 3;

export interface EngineOptions {
  folder: string;
  rawRetentionMs: number;
  rollupRetentionMs: number;
  onDamage: (message: string, isUnfinishedEnd: boolean) => void;
  /** A flush has failed that nobody waits for: it is unknown what is on disk. */
  onFlushFailed: (error: Error) => void;
}

/** The first rows of a head, which are in blocks now. */
interface SealedPart {
  series: SourceSeries;
  rows: number;
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
  readonly #heads = new OpenHeads();
  #isFlushing = false;
  #isClosed = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#tables = new Tables(join(options.folder, 'telemetry.db'));
    this.#blocks = new BlockCache(this.#tables, (message) => options.onDamage(message, false));
    this.#sealed = { tables: this.#tables, blocks: this.#blocks, recent: new RecentRows() };
    this.#journal = new Journal({ folder: join(options.folder, 'journal'), onDamage: options.onDamage });
    this.#journal.recover((record, segment) => this.#apply(record, segment));
    this.#heads.resume();
    if (this.#heads.unknownFields > 0) {
      const what = `${this.#heads.unknownFields} values of the journal in ${options.folder}`;
      options.onDamage(
        `${what} are left out: telemetry.db does not know their names and is older than the journal`,
        false,
      );
    }
  }

  /** Numbers for a source and its names; durable when it returns. Throws TooManyNames. */
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
   * Calls `onDurable` once it is; when it rejects before, nothing was stored. Until it resolves nothing else may be done but
   * read, which does not see it yet; whoever hears of `onDurable` reads after it has resolved.
   */
  async commit(record: Uint8Array, onDurable: () => void = () => {}): Promise<void> {
    // Twice the limit: the caller waits, so that memory stays bounded.
    while (this.#fullness > 2 && this.sealSome());
    await this.#journal.append(record);
    onDurable();
    this.#apply(record, this.#journal.segment);
  }

  /**
   * Seals heads, or the first part of one if all of it would take long, in one transaction: at most so many, and no more after
   * a few milliseconds, so that callers wait for little longer. Returns whether there was one to seal.
   */
  sealSome(atMost = maxSealedAtOnce): boolean {
    return this.#seal(this.#fullness > 1 ? this.#heads.oldest(atMost) : this.#heads.full(atMost));
  }

  /** The same for those with the oldest rows, whether they are full or not. */
  sealOldest(): boolean {
    return this.#seal(this.#heads.oldest(maxSealedAtOnce));
  }

  /** What it keeps in memory of blocks, to read them faster. */
  emptyCaches(): void {
    this.#blocks.clear();
    for (const series of this.#sources.values()) series.recentBlocks = undefined;
  }

  /** Moves everything into blocks. */
  sealAll(): void {
    while (this.sealOldest());
    this.#tables.flushSync();
    this.#journal.removeBefore(this.#firstNeededSegment);
  }

  query(query: SeriesQuery): Frame {
    return queryFrame(...this.#queried(query));
  }

  /** The same in steps, between which anything else may be done. */
  querySteps(query: SeriesQuery): Generator<void, Frame> {
    return querySteps(...this.#queried(query));
  }

  rows(source: string, range: TimeRange, limit: number, metrics?: readonly string[]): Frame {
    return readRows(this.#find(source), range, limit, metrics, this.#sealed);
  }

  fields(source: string, sinceMs: number): FieldInfo[] {
    const fields = this.#find(source)?.fields.filter(({ lastTs }) => lastTs >= sinceMs) ?? [];
    return fields
      .map(({ name, isText, lastTs }): FieldInfo => ({ name, kind: isText ? 'text' : 'metric', lastTs }))
      .sort(inFieldOrder);
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

  prune(nowMs: number, rollupNowMs = nowMs): boolean {
    const { rawRetentionMs, rollupRetentionMs } = this.#options;
    const limit = rollupNowMs - rollupRetentionMs;
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
    this.#isClosed = true;
    this.#journal.close();
    this.#tables.close();
  }

  #queried(query: SeriesQuery): Parameters<typeof querySteps> {
    return [this.#find(query.source), query, this.#sealed, Date.now() - this.#options.rawRetentionMs];
  }

  /** Above 1 heads are sealed before they are full. */
  get #fullness(): number {
    const journalBytes = this.#journal.bytesFrom(this.#firstNeededSegment);
    return Math.max(this.#heads.bytes / maxHeadBytes, journalBytes / maxJournalBytes);
  }

  #seal(heads: readonly SourceSeries[]): boolean {
    if (heads.length === 0) return false;
    const until = performance.now() + sealMs;
    const parts: SealedPart[] = [];
    try {
      this.#tables.transactionToFlush(() => {
        for (const series of heads) {
          if (parts.length > 0 && performance.now() > until) break;
          series.recentBlocks = undefined;
          parts.push({ series, rows: sealFirstRows(series, this.#sealed) });
        }
      });
    } catch (error) {
      // Blocks that the rollback has undone may be in the cache, and new blocks will get their ids.
      this.#blocks.clear();
      throw error;
    }
    for (const { series, rows } of parts) this.#heads.sealed(series, rows);
    void this.#dropSegments();
    return true;
  }

  get #firstNeededSegment(): number {
    return this.#heads.firstSegment ?? this.#journal.segment;
  }

  /** Removes segments whose rows are all in blocks, once the blocks are on disk; neither posts nor queries wait for that. */
  async #dropSegments(): Promise<void> {
    const needed = this.#firstNeededSegment;
    if (this.#isFlushing || !this.#journal.hasBefore(needed)) return;
    this.#isFlushing = true;
    try {
      await this.#tables.flush();
      if (!this.#isClosed) this.#journal.removeBefore(needed);
    } catch (error) {
      if (!this.#isClosed) this.#options.onFlushFailed(error as Error);
    }
    this.#isFlushing = false;
  }

  #apply(record: Uint8Array, segment: number): void {
    this.#heads.add(
      record,
      segment,
      (no) => this.#sources.get(no) ?? (this.#tables.sourceExists(no) ? this.#load(no) : undefined),
    );
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
    this.#heads.forget(series);
    this.#sources.delete(series.no);
    this.#numbers.delete(source);
  }
}
