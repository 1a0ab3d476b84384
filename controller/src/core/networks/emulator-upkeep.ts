// Background maintenance of emulated networks: runs without an emulator are published again, those
// whose job has ended are closed; agents of old runs are deleted. Every node does it, independently.
import type { AgentService } from '../accounts/agents/agent-service.ts';
import { system } from '../base/caller.ts';
import { NotFoundError } from '../base/errors.ts';
import { PeriodicTask } from '../base/periodic-task.ts';
import type { MailboxService } from '../jobs/mailbox/mailbox-service.ts';
import { isInOtherHands } from '../jobs/store/job-record.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { EmulatorRunStore } from './emulator-run-store.ts';
import type { RunCloser } from './run-closer.ts';
import type { RunTurns } from './run-turns.ts';

const everyMs = 1_000;
/** Weft ends a run that should have ended this long ago. */
const graceMs = 60_000;
const openPerRound = 200;
const removedPerRound = 25;

export interface EmulatorUpkeepOptions {
  runs: EmulatorRunStore;
  closer: RunCloser;
  jobs: Pick<JobStore, 'get' | 'republishAbandoned'>;
  mailbox: Pick<MailboxService, 'end'>;
  turns: Pick<RunTurns, 'next'>;
  agents: Pick<AgentService, 'remove'>;
  /** Called when it starts failing, and when it works again; not for each round. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

export class EmulatorUpkeep extends PeriodicTask {
  readonly #options: EmulatorUpkeepOptions;
  readonly #now: () => number;

  constructor(options: EmulatorUpkeepOptions) {
    const { onChange } = options;
    super({ everyMs, jitter: 0.1, what: 'the upkeep of emulated networks', run: () => this.#run(), onChange });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async #run(): Promise<void> {
    const { jobs, turns } = this.#options;
    await jobs.republishAbandoned('emulator_spinup', this.#now());
    await turns.next();
    await this.#close();
  }

  async #close(): Promise<void> {
    const { runs, closer, jobs, mailbox } = this.#options;
    for (const run of await runs.listOpen(openPerRound)) {
      if (this.isStopped) return;
      const isLate = run.ends_at + graceMs < this.#now();
      // An emulator of others may never say that it is done: the upkeep of jobs ends it once nothing more comes.
      if (isLate && !isInOtherHands(await jobs.get(run.job_number))) {
        await mailbox.end(run.job_number, 'expired', 'Its time was over before its emulator had said so');
      }
      await closer.close(run, system);
    }
  }

  /** Some agents of a run whose time is over at that time; resolves whether there may be more. */
  async remove(nowMs: number): Promise<boolean> {
    const { runs, agents } = this.#options;
    const due = await runs.listRemovable(nowMs, 1);
    for (const { job_number } of due) {
      const names = await runs.agentsOf(job_number, removedPerRound);
      for (const ap_id of names) {
        if (this.isStopped) return false;
        await agents.remove(ap_id, system).catch((error) => {
          // Another node was faster.
          if (!(error instanceof NotFoundError)) throw error;
        });
        await runs.agentRemoved(ap_id);
      }
      if (names.length < removedPerRound) await runs.remove(job_number);
    }
    return due.length > 0;
  }
}
