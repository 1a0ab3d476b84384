// Closes emulated networks, and reads the current state of a run. Between the services of the
// emulator and the stores.

import type { EmulatorRun } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import type { AuditLog } from '../accounts/audit/audit-store.ts';
import type { CallerChanges } from '../accounts/audit/caller-changes.ts';
import type { Actor } from '../base/caller.ts';
import { toTime, toTimeOrNull } from '../base/input/date-time.ts';
import { type EndingNetwork, endedWithNetwork } from '../base/storage/ended-agents.ts';
import type { SqlDatabase, SqlQueries } from '../base/storage/sql-database.ts';
import { type ChangeEvent, type StepOutcome, together } from '../event-kinds.ts';
import type { MailboxStore } from '../jobs/mailbox/mailbox-store.ts';
import type { JobRecord } from '../jobs/store/job-record.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { OwnedJobs } from '../jobs/store/owned-jobs.ts';
import type { EmulatorRunRecord, EmulatorRunStore, RunEnd } from './emulator-run-store.ts';
import { runEnded } from './run-records.ts';

export interface RunBooksOptions {
  runs: EmulatorRunStore;
  jobs: Pick<JobStore, 'get'>;
  mailbox: Pick<MailboxStore, 'lastChunk'>;
  database: Pick<SqlDatabase, 'transaction'>;
  audit: Pick<AuditLog, 'append'>;
  owned: Pick<OwnedJobs, 'ownersAmong'>;
  changes: CallerChanges;
  /** What is open about its agents ends with it. */
  ending: Pick<ChangeEvent<EndingNetwork>, 'run' | 'emit'>;
  /** How long agents and telemetry of a run are kept after it. */
  keepMs: number;
  now?: () => number;
}

export class RunCloser {
  readonly #options: RunBooksOptions;
  readonly #now: () => number;

  constructor(options: RunBooksOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Whether some process works on the run now, or will not do so again: its job ends a moment before it is closed. */
  async work(job_number: string): Promise<'held' | 'waiting' | 'over'> {
    const job = await this.#options.jobs.get(job_number);
    if (job === undefined || job.ended_at !== null) return 'over';
    return job.lease_until > this.#now() ? 'held' : 'waiting';
  }

  /** Closes a run whose job has ended or was deleted; resolves whether it is closed now. */
  async close(run: EmulatorRunRecord, by: Actor): Promise<boolean> {
    const { jobs, database, audit } = this.#options;
    const { job_number } = run;
    const job = await jobs.get(job_number);
    if (job && job.ended_at === null) return false;
    const committed = await database.transaction(async (tx) => {
      const closed = await this.closeWithin(tx, run, by, {
        state: (job?.state ?? 'failed') as NonNullable<EmulatorRunRecord['state']>,
        detail: job ? job.detail : 'Its job is gone',
        nowMs: job?.ended_at ?? this.#now(),
      });
      if (!closed) return undefined;
      await audit.append(tx, [runEnded(by, closed.run), ...closed.entries]);
      return closed.committed;
    });
    committed?.();
    return true;
  }

  /**
   * The same in a transaction of the caller's own, whatever its job; undefined if it is closed already. Its agents are callers
   * that end with it; the entries are about what they owned. `committed` is to be called once everything is durable.
   */
  async closeWithin(
    tx: SqlQueries,
    { job_number }: EmulatorRunRecord,
    by: Actor,
    { reason, ...end }: Pick<RunEnd, 'state' | 'detail' | 'nowMs'> & { reason?: string },
  ): Promise<({ run: EmulatorRunRecord } & Required<StepOutcome>) | undefined> {
    const { runs, owned, changes, ending, keepMs } = this.#options;
    const latest = await this.#latest(job_number, tx);
    const ended = await runs.end(tx, job_number, { ...end, latest, removeAtMs: this.#now() + keepMs });
    if (!ended) return undefined;
    const why =
      reason === undefined
        ? { reason: end.state, detail: `Cancelled: ${endedWithNetwork}` }
        : { reason, detail: end.detail! };
    const network = { job_number, agents: ended.agents, by, ...why };
    const open = await ending.run(tx, network);
    // Few agents of a run own anything, if any.
    const owners = await owned.ownersAmong(
      tx,
      ended.agents.map(({ id }) => id),
    );
    const outcomes: StepOutcome[] = [open];
    for (const { id, ap_id: name } of ended.agents) {
      const change = { kind: 'agent', id, name, what: 'disabled', isRevoked: true, by } as const;
      outcomes.push(owners.has(id) ? await changes.within(tx, change) : { committed: () => changes.tell(change) });
    }
    outcomes.push({ committed: () => ending.emit(network) });
    return { run: ended.run, ...together(outcomes) };
  }

  async toRunResponse(run: EmulatorRunRecord): Promise<EmulatorRun> {
    const { job_number } = run;
    const isOver = run.state !== null;
    const job = isOver ? undefined : await this.#options.jobs.get(job_number);
    const latest = isOver ? run.latest : await this.#latest(job_number);
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
      model: run.model,
      speed: run.speed,
      model_start: toTime(run.model_start),
      duration: run.duration,
      created_at: toTime(run.created_at),
      ends_at: toTime(run.ends_at),
      is_over: isOver,
      remove_at: toTimeOrNull(run.remove_at),
      latest: parseLatest(latest),
      websocket: `/api/v1/ws/${job_number}`,
    };
  }

  #progress(run: EmulatorRunRecord, job: JobRecord | undefined): number | null {
    if (run.state !== null) return run.state === 'succeeded' ? 1 : null;
    return job?.progress ?? 0;
  }

  async #latest(job_number: string, tx?: SqlQueries): Promise<string | null> {
    return (await this.#options.mailbox.lastChunk(job_number, tx))?.data ?? null;
  }
}

/** The last element of a message; workers may post anything. */
function parseLatest(text: string | null): Record<string, unknown> | null {
  if (text === null) return null;
  const last: unknown = (JSON.parse(text) as unknown[]).at(-1);
  return isObject(last) ? { ...last } : null;
}
