// The embedded telemetry store itself, synchronous, in a thread of its own. A commit goes to the journal and to the heads
// in memory; full or old heads are sealed into blocks and roll-ups in SQLite, and the journal behind them goes.
import { join } from 'node:path';
import { AgentSeries, neverTs } from './agent-series.ts';
import { BlockCache } from './block-cache.ts';
import { Journal } from './journal.ts';
import type { SealedRows } from './raw-rows.ts';
import { RecentRows } from './recent-rows.ts';
import { chunkOf, hourMs, minuteMs } from './rollup.ts';
import { readRecord } from './sample-record.ts';
import { sealFirstRows } from './sealing.ts';
import { queryFrame, readRows } from './series-reader.ts';
import type { FieldInfo, Frame, LatestValues, SeriesQuery, TimeRange } from './telemetry-store.ts';
import { TelemetryTables } from './telemetry-tables.ts';

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

export interface RegisteredAgent {
  agent: number;
  fields: { name: string; no: number; isText: boolean }[];
}

export class TelemetryEngine {
  readonly #options: EngineOptions;
  readonly #tables: TelemetryTables;
  readonly #blocks: BlockCache;
  readonly #sealed: SealedRows;
  readonly #journal: Journal;
  readonly #agents = new Map<number, AgentSeries>();
  readonly #numbers = new Map<string, number>();
  /** Agents with rows in their heads, those waiting longest first, with the journal segment of their first row. */
  readonly #open = new Map<AgentSeries, number>();
  readonly #full = new Set<AgentSeries>();
  #headBytes = 0;
  /** Values without a name: impossible while the tables and the journal belong together. */
  #nameless = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#tables = new TelemetryTables(join(options.folder, 'telemetry.db'));
    this.#blocks = new BlockCache(this.#tables, (message) => options.onDamage(message, false));
    this.#sealed = { tables: this.#tables, blocks: this.#blocks, recent: new RecentRows() };
    this.#journal = new Journal({ folder: join(options.folder, 'journal'), onDamage: options.onDamage });
    this.#journal.recover((record, segment) => this.#apply(record, segment));
    for (const series of this.#open.keys()) {
      series.resume();
      if (!series.isFull) this.#full.delete(series);
    }
    if (this.#nameless > 0) {
      const what = `${this.#nameless} values of the journal in ${options.folder}`;
      options.onDamage(
        `${what} are left out: telemetry.db does not know their names and is older than the journal`,
        false,
      );
    }
  }

  /** Numbers for an agent and its names; durable when it returns. Throws FieldConflict. */
  register(ap_id: string, names: readonly { name: string; isText: boolean; sampleIndex: number }[]): RegisteredAgent {
    const known = this.#find(ap_id);
    const { series, added } = this.#tables.transaction(() => {
      const series = known ?? new AgentSeries(this.#tables.createAgent(ap_id), this.#tables);
      return { series, added: series.register(names, this.#tables) };
    });
    // Only now: what a rollback undoes must not be remembered.
    series.remember(added);
    if (!known) {
      this.#agents.set(series.no, series);
      this.#numbers.set(ap_id, series.no);
    }
    return { agent: series.no, fields: series.fields.map(({ name, no, isText }) => ({ name, no, isText })) };
  }

  /**
   * Durable when it resolves; when it rejects, nothing was stored. Until then nothing else may be done but read, which
   * does not see it yet.
   */
  async commit(record: Uint8Array): Promise<void> {
    // More than may wait: the agents wait instead.
    while (this.#fullness > 2 && this.sealOne());
    await this.#journal.append(record);
    this.#apply(record, this.#journal.segment);
  }

  /** At most one head, or a part of it: called between commits, so that nobody waits for more than that. Returns whether it sealed one. */
  sealOne(): boolean {
    const [oldest] = this.#open.keys();
    if (!oldest) return false;
    const [full] = this.#full;
    const next = this.#fullness > 1 ? oldest : full;
    if (!next) return false;
    this.#seal(next);
    return true;
  }

  /** Everything into blocks. */
  sealAll(): void {
    for (const series of this.#open.keys()) while (this.#open.has(series)) this.#seal(series);
  }

  query(query: SeriesQuery): Frame {
    const series = this.#find(query.ap_id);
    return queryFrame(series, query, this.#sealed, Date.now() - this.#options.rawRetentionMs);
  }

  rows(ap_id: string, range: TimeRange, limit: number, metrics?: readonly string[]): Frame {
    return readRows(this.#find(ap_id), range, limit, metrics, this.#sealed);
  }

  fields(ap_id: string, sinceMs: number): FieldInfo[] {
    const fields = this.#find(ap_id)?.fields.filter(({ lastTs }) => lastTs >= sinceMs) ?? [];
    return fields
      .map(({ name, isText, lastTs }): FieldInfo => ({ name, kind: isText ? 'text' : 'metric', lastTs }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  latest(ap_ids: readonly string[]): LatestValues[] {
    return ap_ids.flatMap((ap_id) => {
      const fields = this.#find(ap_id)?.fields.filter(({ isText, lastTs }) => !isText && lastTs !== neverTs) ?? [];
      if (fields.length === 0) return [];
      return [{ ap_id, metrics: fields.map(({ name, lastTs: ts, lastValue: value }) => ({ name, ts, value })) }];
    });
  }

  remove(ap_id: string): void {
    const series = this.#find(ap_id);
    if (!series) return;
    this.#tables.transaction(() => this.#tables.removeAgent(series.no));
    this.#forget(ap_id, series);
    this.#blocks.clear();
  }

  prune(nowMs: number): boolean {
    const { rawRetentionMs, rollupRetentionMs } = this.#options;
    const limit = nowMs - rollupRetentionMs;
    // An hour more than promised, so that the roll-up of a late sample still finds the samples beside it.
    const { blocks, others } = this.#tables.transaction(() => ({
      blocks: this.#tables.pruneBlocks(nowMs - rawRetentionMs - hourMs, pruneStep),
      others:
        this.#tables.pruneRollups(minuteMs, chunkOf(minuteMs, limit), pruneStep) +
        this.#tables.pruneRollups(hourMs, chunkOf(hourMs, limit), pruneStep) +
        this.#tables.pruneRemoved(pruneStep),
    }));
    // Their numbers may be given to new blocks, of other agents even.
    for (const id of blocks) this.#blocks.forget(id);
    if (blocks.length > 0) for (const series of this.#agents.values()) series.recentBlocks = undefined;
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

  /** Its head, or the first part of it if it would take long. */
  #seal(series: AgentSeries): void {
    series.recentBlocks = undefined;
    let sealed: number;
    try {
      sealed = this.#tables.transaction(() => sealFirstRows(series, this.#sealed));
    } catch (error) {
      // Blocks that the rollback has undone were read on the way, and their numbers will be given to others.
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
    let series: AgentSeries | undefined;
    let row = 0;
    let ts = 0;
    let bytesBefore = 0;
    const leave = () => {
      if (!series) return;
      this.#headBytes += series.head.bytes - bytesBefore;
      if (series.isFull) this.#full.add(series);
    };
    readRecord(record, {
      sample: (agent, time) => {
        leave();
        series = this.#agents.get(agent) ?? (this.#tables.agentExists(agent) ? this.#load(agent) : undefined);
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
          this.#nameless++;
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
          this.#nameless++;
          return;
        }
        series.head.setText(row, number, text);
        if (ts >= field.lastTs) field.lastTs = ts;
      },
    });
    leave();
  }

  #find(ap_id: string): AgentSeries | undefined {
    let no = this.#numbers.get(ap_id);
    if (no === undefined) {
      no = this.#tables.agentNumber(ap_id);
      if (no === undefined) return undefined;
      this.#numbers.set(ap_id, no);
    }
    return this.#agents.get(no) ?? this.#load(no);
  }

  #load(no: number): AgentSeries {
    const series = new AgentSeries(no, this.#tables);
    this.#agents.set(no, series);
    return series;
  }

  #forget(ap_id: string, series: AgentSeries): void {
    if (this.#open.has(series)) this.#headBytes -= series.head.bytes;
    this.#open.delete(series);
    this.#full.delete(series);
    this.#agents.delete(series.no);
    this.#numbers.delete(ap_id);
  }
}
