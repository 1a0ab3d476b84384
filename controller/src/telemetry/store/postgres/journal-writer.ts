// Appends to the journal: those that wait together share a commit, one at a time. What arrives meanwhile is the next one.
import type { Sample } from '@weft/timeseries';
import { CommitPace, RecordWriter } from '@weft/timeseries/engine-parts';
import { TryLaterError } from '../../../errors.ts';
import type { PostgresPool } from '../../../storage/postgres-pool.ts';
import { JournalCommits, type JournalRecord } from './journal-commits.ts';
import type { KnownSource } from './known-sources.ts';

/** Samples that wait for a commit; beyond it new ones are refused, so that memory stays bounded. */
const maxWaitingSamples = 200_000;
/** Of one commit, so that none takes long. */
const maxCommitBytes = 8 * 1024 * 1024;
const maxCommitReports = 1_000;
/** A commit is a statement that two processes wake each other for: several times the work of one in a file here. */
const pace = { waitMs: 8, fullGroup: 24, frequentPerMs: 0.15 };

interface Append extends JournalRecord {
  source: KnownSource;
  samples: number;
  resolve: (isStored: boolean) => void;
  reject: (error: unknown) => void;
}

export class JournalWriter {
  readonly #commits: JournalCommits;
  readonly #writer = new RecordWriter();
  readonly #pace = new CommitPace(pace);
  #waiting: Append[] = [];
  #waitingSamples = 0;
  #isCommitting = false;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(pool: PostgresPool) {
    this.#commits = new JournalCommits(pool);
  }

  /** Resolves true once they are durable, false if the agent was removed. Undefined: the source has not all the names yet. */
  append(source: KnownSource, samples: readonly Sample[]): Promise<boolean> | undefined {
    if (this.#waitingSamples + samples.length > maxWaitingSamples) {
      return Promise.reject(new TryLaterError(503, 'telemetry_unavailable', 'More arrives than can be stored', 1));
    }
    if (!this.#writer.add(source, samples)) return undefined;
    const record = this.#writer.take();
    this.#waitingSamples += samples.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ source, record, samples: samples.length, resolve, reject });
      this.#plan();
    });
  }

  /** Resolves once nothing waits. */
  async idle(): Promise<void> {
    if (!this.#isCommitting && this.#waiting.length === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  #plan(): void {
    if (this.#isCommitting || this.#soon) return;
    const waitMs = this.#pace.waitMs(this.#waiting.length);
    if (waitMs === 0) this.#soon = setImmediate(() => this.#flush());
    else this.#timer ??= setTimeout(() => this.#flush(), waitMs);
  }

  async #flush(): Promise<void> {
    clearImmediate(this.#soon);
    clearTimeout(this.#timer);
    this.#soon = undefined;
    this.#timer = undefined;
    if (this.#isCommitting || this.#waiting.length === 0) return;
    const group = this.#takeGroup();
    this.#isCommitting = true;
    this.#pace.begun(group.length, performance.now());
    try {
      const stored = await this.#commits.store(group);
      for (const { source, resolve } of group) resolve(stored.has(source.no));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    for (const { samples } of group) this.#waitingSamples -= samples;
    this.#isCommitting = false;
    if (this.#waiting.length > 0) this.#plan();
    else {
      this.#idle?.resolve();
      this.#idle = undefined;
    }
  }

  #takeGroup(): Append[] {
    let bytes = 0;
    let count = 0;
    const most = Math.min(this.#waiting.length, maxCommitReports);
    while (count < most && bytes < maxCommitBytes) bytes += this.#waiting[count++]!.record.length;
    const group = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return group;
  }
}
