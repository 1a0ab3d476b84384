// Appends to the journal: those that wait together share a commit, one at a time. What arrives meanwhile is the next one.
import { BatchQueue } from '@weft/contract/batch-queue';
import type { Sample } from '@weft/timeseries';
import { CommitPace, RecordWriter } from '@weft/timeseries/engine-parts';
import { TryLaterError } from '../../../base/errors.ts';
import type { PostgresPool } from '../../../base/storage/postgres-pool.ts';
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
}

export class JournalWriter {
  readonly #commits: JournalCommits;
  readonly #writer = new RecordWriter();
  readonly #pace = new CommitPace(pace);
  readonly #queue = new BatchQueue<Append, boolean>({
    pauseMs: (waiting) => this.#pace.waitMs(waiting),
    take: groupSize,
    write: async (group) => {
      this.#pace.begun(group.length, performance.now());
      try {
        const stored = await this.#commits.store(group);
        return group.map(({ source }) => stored.has(source.no));
      } finally {
        for (const { samples } of group) this.#waitingSamples -= samples;
      }
    },
  });
  #waitingSamples = 0;

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
    return this.#queue.add({ source, record, samples: samples.length });
  }

  /** Resolves once nothing waits. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }
}

function groupSize(waiting: readonly Append[]): number {
  let bytes = 0;
  let count = 0;
  const most = Math.min(waiting.length, maxCommitReports);
  while (count < most && bytes < maxCommitBytes) bytes += waiting[count++]!.record.length;
  return count;
}
