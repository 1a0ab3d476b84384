// What has to happen to jobs without anybody asking: waiting ones are published, overdue ones and those of ended callers end.
// Every node does it; none minds the others.
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { MailboxService } from '../mailbox/mailbox-service.ts';
import type { JobRecord } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';
import type { JobOutbox } from './job-outbox.ts';
import type { OwnerSweep } from './owner-sweep.ts';

const everyMs = 1_000;
const overdueBatch = 100;
const quietBatch = 100;

export interface JobUpkeepOptions {
  jobs: Pick<JobStore, 'listOverdue' | 'listQuiet'>;
  outbox: Pick<JobOutbox, 'sweep' | 'dataOf'>;
  mailbox: Pick<MailboxService, 'end' | 'endQuietly'>;
  owners: Pick<OwnerSweep, 'run'>;
  /** How long a job may take, and how long it is silent before it counts as done. */
  timeoutMs: number;
  quietMs: number;
  /** Told when it stops working, and when it works again; never for each round. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

export class JobUpkeep extends PeriodicTask {
  readonly #options: JobUpkeepOptions;
  readonly #now: () => number;

  constructor(options: JobUpkeepOptions) {
    const { onChange } = options;
    super({ everyMs, jitter: 0.1, what: 'the upkeep of jobs', run: () => this.#run(), onChange });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async #run(): Promise<void> {
    const { outbox, owners } = this.#options;
    // What the broker holds up must not hold up the rest, and the other way round.
    const steps = [outbox.sweep(), this.#expire(), this.#endQuiet(), owners.run()];
    const outcomes = await Promise.allSettled(steps);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #expire(): Promise<void> {
    const { jobs, mailbox } = this.#options;
    for (;;) {
      const overdue = await jobs.listOverdue(this.#now(), overdueBatch);
      for (const job_number of overdue) {
        if (this.isStopped) return;
        await mailbox.end(job_number, 'expired', 'Its time was over before it had ended');
      }
      if (overdue.length < overdueBatch) return;
    }
  }

  /** Jobs whose workers never say `final`. A job of Weft's own workers is never one: it is taken over. */
  async #endQuiet(): Promise<void> {
    const { jobs, mailbox, outbox, quietMs, timeoutMs } = this.#options;
    const now = this.#now();
    // What is due later expires later.
    const filter = { sinceMs: now - quietMs, expiresByMs: now + timeoutMs, limit: quietBatch };
    for (const job of await jobs.listQuiet(filter)) {
      if (this.isStopped) return;
      if (!isDue(job, outbox.dataOf(job), now)) continue;
      await mailbox.endQuietly(job.job_number, `Nothing more has come for ${quietMs / 1000} s`);
    }
  }
}

/** Whether all that was asked for can be there. */
function isDue({ task_type, created_at }: JobRecord, data: string, nowMs: number): boolean {
  if (task_type === 'agent_details') return true;
  const asked = JSON.parse(data) as { end_time?: unknown; duration?: number; speed?: number; pace?: string };
  if (task_type === 'agent_data') return !(Date.parse(String(asked.end_time)) > nowMs);
  const { duration = 0, speed = 1, pace } = asked;
  // The time of a stepped network is not that of the clock.
  return pace !== 'stepped' && created_at + (duration * 1000) / speed <= nowMs;
}
