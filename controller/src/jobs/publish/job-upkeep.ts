// What has to happen to jobs without anybody asking: waiting ones are published, overdue ones and those of ended callers end,
// old ones are forgotten. Every node does it; none minds the others.
import { setTimeout as pause } from 'node:timers/promises';
import type { MailboxService } from '../mailbox/mailbox-service.ts';
import type { JobStore } from '../store/job-store.ts';
import type { DeadLetterService } from './dead-letter-service.ts';
import type { JobOutbox } from './job-outbox.ts';
import type { OwnerSweep } from './owner-sweep.ts';

const everyMs = 1_000;
const letterRounds = 60;
const overdueBatch = 100;
/** Few, because a message may have half a megabyte and an embedded database removes it on this thread. */
const pruneRows = 25;
const betweenStepsMs = 20;

export interface JobUpkeepOptions {
  jobs: Pick<JobStore, 'listOverdue' | 'prune'>;
  outbox: Pick<JobOutbox, 'sweep'>;
  mailbox: Pick<MailboxService, 'end'>;
  letters: Pick<DeadLetterService, 'prune'>;
  owners: Pick<OwnerSweep, 'run'>;
  /** Told when it stops working, and when it works again; never for each round. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

export class JobUpkeep {
  readonly #options: JobUpkeepOptions;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #rounds = 0;
  #isStopped = false;
  #isFailing = false;

  constructor(options: JobUpkeepOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.run().finally(() => {
        this.#round = undefined;
      });
    }, everyMs).unref();
  }

  /** Resolves once the step in progress is over. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  /** One round. Never throws. */
  async run(): Promise<void> {
    const { outbox, letters, owners, onChange } = this.#options;
    try {
      // What the broker holds up must not hold up the rest, and the other way round.
      const outcomes = await Promise.allSettled([outbox.sweep(), this.#expire(), owners.run(), this.#prune()]);
      if (this.#rounds++ % letterRounds === 0) await letters.prune(this.#now());
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      if (this.#isFailing) onChange('the upkeep of jobs goes on');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) onChange('the upkeep of jobs is held up; it will be tried again', error);
      this.#isFailing = true;
    }
  }

  async #expire(): Promise<void> {
    const { jobs, mailbox } = this.#options;
    for (;;) {
      const overdue = await jobs.listOverdue(this.#now(), overdueBatch);
      for (const job_number of overdue) {
        if (this.#isStopped) return;
        await mailbox.end(job_number, 'expired', 'Its time was over before it had ended');
      }
      if (overdue.length < overdueBatch) return;
    }
  }

  async #prune(): Promise<void> {
    while (!this.#isStopped && (await this.#options.jobs.prune(this.#now(), pruneRows))) await pause(betweenStepsMs);
  }
}
