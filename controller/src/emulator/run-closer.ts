// Closes emulated networks, and reads the current state of a run. Between the services of the
// emulator and the stores.

import type { EmulatorRun } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import type { AuditService } from '../audit/audit-service.ts';
import type { Actor, CallerChanged } from '../caller.ts';
import type { MailboxStore } from '../jobs/mailbox/mailbox-store.ts';
import type { JobRecord, JobStore } from '../jobs/store/job-store.ts';
import { runEnded } from './emulator-entries.ts';
import type { EmulatorRunRecord, EmulatorRunStore } from './emulator-run-store.ts';

export interface RunBooksOptions {
  runs: EmulatorRunStore;
  jobs: Pick<JobStore, 'get'>;
  mailbox: Pick<MailboxStore, 'lastChunk'>;
  audit: AuditService;
  /** The tokens of these agents are revoked. */
  callerChanged: CallerChanged;
  /** How long agents and telemetry of a run are kept after it. */
  keepMs: number;
  now?: () => number;
}

const maxAgents = 20_000;

export class RunCloser {
  readonly #options: RunBooksOptions;
  readonly #now: () => number;

  constructor(options: RunBooksOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Whether some process works on the run now. */
  async isHeld(job_number: string): Promise<boolean> {
    const job = await this.#options.jobs.get(job_number);
    return job !== undefined && job.ended_at === null && job.lease_until > this.#now();
  }

  /** Closes a run whose job has ended or was deleted; resolves whether it is closed now. */
  async close(run: EmulatorRunRecord, by: Actor): Promise<boolean> {
    const { runs, jobs, audit, callerChanged, keepMs } = this.#options;
    const { job_number } = run;
    const job = await jobs.get(job_number);
    if (job && job.ended_at === null) return false;
    const now = this.#now();
    const hasEnded = await runs.end(
      job_number,
      {
        state: (job?.state ?? 'failed') as NonNullable<EmulatorRunRecord['state']>,
        detail: job ? job.detail : 'Its job is gone',
        latest: await this.#latest(job_number),
        nowMs: job?.ended_at ?? now,
        removeAtMs: now + keepMs,
      },
      audit.entry(({ after }) => runEnded(by, after!)),
    );
    if (hasEnded) for (const ap_id of await runs.agentsOf(job_number, maxAgents)) callerChanged('agent', ap_id);
    return true;
  }

  async toRunResponse(run: EmulatorRunRecord): Promise<EmulatorRun> {
    const { job_number } = run;
    const isOver = run.state !== null;
    const job = isOver ? undefined : await this.#options.jobs.get(job_number);
    const latest = isOver ? run.latest : await this.#latest(job_number);
    const toTime = (ms: number) => new Date(ms).toISOString();
    return {
      job_number,
      state: run.state ?? job?.state ?? 'failed',
      detail: run.detail ?? job?.detail ?? null,
      progress: this.#progress(run, job),
      owner: run.owner_name,
      access_points: run.access_points,
      devices: run.devices,
      by_type: run.by_type,
      seed: run.seed,
      speed: run.speed,
      model_start: toTime(run.model_start),
      duration: run.duration,
      created_at: toTime(run.created_at),
      ends_at: toTime(run.ends_at),
      is_over: isOver,
      remove_at: run.remove_at === null ? null : toTime(run.remove_at),
      latest: parseLatest(latest),
      websocket: `/api/v1/ws/${job_number}`,
    };
  }

  #progress(run: EmulatorRunRecord, job: JobRecord | undefined): number | null {
    if (run.state !== null) return run.state === 'succeeded' ? 1 : null;
    return job?.progress ?? 0;
  }

  async #latest(job_number: string): Promise<string | null> {
    return (await this.#options.mailbox.lastChunk(job_number))?.data ?? null;
  }
}

/** The last element of a message; workers may post anything. */
function parseLatest(text: string | null): Record<string, unknown> | null {
  if (text === null) return null;
  const last: unknown = (JSON.parse(text) as unknown[]).at(-1);
  return isObject(last) ? { ...last } : null;
}
