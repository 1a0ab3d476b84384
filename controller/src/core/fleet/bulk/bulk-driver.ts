// Goes on with bulk changes, wave by wave, on one node at a time; after a crash another one goes on where it was.
import { type Caller, type CredentialRef, ownerRef } from '../../base/caller.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { Keyring } from '../../base/secrets.ts';
import type { MailboxService } from '../../jobs/mailbox/mailbox-service.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';
import type { BulkAction, BulkActions } from './bulk-actions.ts';
import type { BulkRun, BulkStore } from './bulk-store.ts';

const everyMs = 500;
const holdMs = 30_000;
const atOnce = 50;
const runsAtOnce = 4;

export interface BulkDriverOptions {
  store: BulkStore;
  jobs: Pick<JobStore, 'get'>;
  mailbox: Pick<MailboxService, 'end' | 'progress' | 'succeed'>;
  actions: BulkActions;
  keyring: Pick<Keyring, 'decrypt'>;
  /** The caller with its current rights; undefined if it was removed. */
  callerNow: (ref: CredentialRef) => Promise<Caller | undefined>;
  onError: (error: unknown, message: string) => void;
}

/** A stop ends what is under way after a few access points; others go on with the rest. */
export class BulkDriver extends PeriodicTask {
  readonly #options: BulkDriverOptions;

  constructor(options: BulkDriverOptions) {
    super({ everyMs, what: 'the work on bulk changes', run: () => this.goOn(), onError: options.onError });
    this.#options = options;
  }

  /** Does what is due. */
  async goOn(): Promise<void> {
    const due = await this.#options.store.takeDue(Date.now(), holdMs, runsAtOnce);
    await Promise.all(due.map((run) => this.#wave(run)));
  }

  async #wave(run: BulkRun): Promise<void> {
    const { store, mailbox } = this.#options;
    const { job_number, wave_size, total } = run;
    const action = this.#actionOf(run);
    if (!action) {
      await mailbox.end(job_number, 'failed', 'What was asked for cannot be read any more');
      return this.#finish(job_number);
    }
    for (;;) {
      const settled = total - (await store.totals(job_number)).waiting;
      const left = wave_size - (settled % wave_size);
      const targets = await store.waiting(job_number, Math.min(left, atOnce));
      const caller = targets.length === 0 ? undefined : await this.#present(run);
      if (targets.length === 0) {
        const { done, refused } = await this.#options.store.totals(job_number);
        await mailbox.succeed(job_number, `${done} done, ${refused} refused`);
        return this.#finish(job_number);
      }
      if (!caller) return this.#finish(job_number);
      // Before anything happens: whoever takes it over meanwhile would do it twice.
      await store.setNext(job_number, Date.now() + holdMs);
      const outcomes = await this.#options.actions.apply(caller, action, targets, `bulk ${job_number}`);
      await store.settle(
        job_number,
        outcomes.map((outcome, index) => ({ ...outcome, number: targets[index]!.number })),
      );
      await mailbox.progress(job_number, (settled + targets.length) / total);
      if (this.isStopped) return store.setNext(job_number, Date.now());
      const isWaveOver = targets.length === left && settled + targets.length < total;
      if (isWaveOver) return store.setNext(job_number, Date.now() + run.pause_ms);
    }
  }

  /** Undefined if the job has ended meanwhile, or whoever asked for it is gone. */
  async #present(run: BulkRun): Promise<Caller | undefined> {
    const { job_number } = run;
    const { jobs, mailbox, callerNow } = this.#options;
    const job = await jobs.get(job_number);
    if (!job || job.ended_at !== null) return undefined;
    const caller = await callerNow(ownerRef(run));
    if (!caller) await mailbox.end(job_number, 'failed', 'Whoever asked for this is gone');
    return caller;
  }

  async #finish(job_number: string): Promise<void> {
    await this.#options.store.stopRest(job_number);
    await this.#options.store.setNext(job_number, null);
  }

  #actionOf({ job_number, action }: BulkRun): BulkAction | undefined {
    try {
      return JSON.parse(this.#options.keyring.decrypt(action, job_number));
    } catch (error) {
      this.#options.onError(error, `bulk change ${job_number} ends: it cannot be read`);
      return undefined;
    }
  }
}
