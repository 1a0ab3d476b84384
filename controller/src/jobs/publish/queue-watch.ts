// Tells whether the queue of jobs stands still: the oldest job that nobody has taken is the same for too long. Jobs that
// wait for their owner's share do not count, so that nobody can make a node look broken by asking for much. If it stands still and
// the broker has no message in it, the messages are lost, however that came about: they are published again.
import type { Broker } from '@weft/broker';
import { TryLaterError } from '../../errors.ts';
import { PeriodicTask } from '../../periodic-task.ts';
import type { JobStore } from '../store/job-store.ts';

export interface QueueWatchOptions {
  jobs: Pick<JobStore, 'oldestQueued'>;
  broker: Pick<Broker, 'depth'>;
  onLost: (task_type: string) => void;
  onError: (error: unknown, message: string) => void;
  stillMs?: number;
  everyMs?: number;
}

export class QueueWatch extends PeriodicTask {
  readonly #options: QueueWatchOptions & { stillMs: number };
  #oldest: { job_number: string; sinceMs: number } | undefined;
  #isStill = false;
  #lookedMs = 0;

  constructor(options: QueueWatchOptions) {
    super({ everyMs: options.everyMs ?? 2_000, what: 'the look at the queue of jobs', run: () => this.look() });
    this.#options = { stillMs: 30_000, ...options };
  }

  get isStill(): boolean {
    return this.#isStill;
  }

  /** Never throws. */
  async look(nowMs = performance.now()): Promise<void> {
    const { jobs, broker, onLost, onError, stillMs } = this.#options;
    try {
      const oldest = await jobs.oldestQueued();
      if (oldest?.job_number !== this.#oldest?.job_number) this.#oldest = oldest && { ...oldest, sinceMs: nowMs };
      this.#isStill = this.#oldest !== undefined && nowMs - this.#oldest.sinceMs >= stillMs;
      if (!oldest || !this.#isStill || nowMs - this.#lookedMs < stillMs) return;
      this.#lookedMs = nowMs;
      if ((await broker.depth(oldest.task_type)) === 0) onLost(oldest.task_type);
    } catch (error) {
      // Of a database that is away others tell.
      if (!(error instanceof TryLaterError)) onError(error, 'the queue of jobs could not be looked at');
    }
  }
}
