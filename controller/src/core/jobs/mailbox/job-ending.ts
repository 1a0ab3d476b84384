// Ends the jobs of a caller with the caller, or those that it may no longer ask for: a step inside of the transaction that
// changes the caller's record. Commands and runs end where they are kept.

import type { Caller } from '../../base/caller.ts';
import { type CallerChange, isEnded } from '../../base/caller.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import type { StepOutcome } from '../../event-kinds.ts';
import type { Network } from '../../network/network.ts';
import type { OwnedJob, OwnedJobs } from '../store/owned-jobs.ts';
import { mayAsk } from './job-rights.ts';
import type { MailboxStore, MessageRecord, NewMessage } from './mailbox-store.ts';

/** What of a job decides whether its owner may ask for it. */
type AskedJob = Pick<OwnedJob, 'task_type' | 'subject'>;

/** In an audit entry; the count says how many there were. */
const maxListed = 1000;

export interface JobEndingOptions {
  owned: OwnedJobs;
  mailbox: Pick<MailboxStore, 'appendAll'>;
  network: Pick<Network, 'visibleIn'>;
  /** Tells of messages that are durable. */
  tell: (messages: readonly MessageRecord[]) => void;
  retentionMs: number;
  now?: (() => number) | undefined;
}

export class JobEnding {
  readonly #options: JobEndingOptions;
  readonly #now: () => number;

  constructor(options: JobEndingOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  readonly step = async (tx: SqlQueries, change: CallerChange): Promise<StepOutcome> => {
    const ends = await this.#whatEnds(tx, change);
    if (ends.length === 0) return {};
    const isAgentGone = change.kind === 'agent' && change.what === 'removed';
    const detail = isAgentGone ? `Agent ${change.name} has been removed` : whyEnded(change);
    const messages = await endJobs(tx, this.#options, this.#now(), ends, isAgentGone ? 'failed' : 'cancelled', detail);
    if (messages.length === 0) return {};
    const entry = {
      actor: change.by,
      action: 'jobs_ended',
      target: { kind: change.kind, name: change.name },
      detail: { reason: change.what, ...listed(messages.map(({ job_number }) => job_number)) },
    };
    return { entries: [entry], committed: () => this.#options.tell(messages) };
  };

  async #whatEnds(tx: SqlQueries, change: CallerChange): Promise<OwnedJob[]> {
    const { kind, id, name, caller } = change;
    const { owned } = this.#options;
    if (!isEnded(change) && !caller) return [];
    const open = await owned.listOpen(tx, { owner_kind: kind, owner_id: id });
    if (isEnded(change)) {
      if (kind !== 'agent' || change.what !== 'removed') return open;
      const about = await owned.listAbout(tx, name);
      return [...new Map([...open, ...about].map((job) => [job.job_number, job])).values()];
    }
    return open.length === 0 ? [] : notPermitted(tx, this.#options.network, caller!, open);
  }
}

/** Those of these jobs that the caller could not ask for now. */
export async function notPermitted<Job extends AskedJob>(
  tx: SqlQueries,
  network: JobEndingOptions['network'],
  caller: Caller,
  jobs: readonly Job[],
): Promise<Job[]> {
  const rights = rightsOf(caller);
  const unsure = jobs.flatMap(({ subject }) => (subject === null || rights.seesName(subject) ? [] : subject));
  const sight = unsure.length > 0 ? await network.visibleIn(tx, caller, [...new Set(unsure)]) : undefined;
  const isHidden = ({ subject }: Job) => subject !== null && sight?.sees(subject) === false;
  return jobs.filter((job) => !mayAsk(caller, job.task_type) || isHidden(job));
}

/** Ends these jobs with a last message that says why; resolves the messages of those that were still open. */
export function endJobs(
  tx: SqlQueries,
  { mailbox, retentionMs }: Pick<JobEndingOptions, 'mailbox' | 'retentionMs'>,
  nowMs: number,
  jobs: readonly { job_number: string }[],
  state: 'cancelled' | 'failed',
  detail: string,
): Promise<MessageRecord[]> {
  const ends = { state, detail, keepUntil: nowMs + retentionMs };
  const data = JSON.stringify([{ state, detail }]);
  const toMessage = ({ job_number }: { job_number: string }): NewMessage => ({
    job_number,
    type: 'status',
    data,
    ts: nowMs,
    chunk: null,
    ends,
  });
  return mailbox.appendAll(tx, jobs.map(toMessage));
}

/** For the owner of what ended, who may be asked about it, and for administrators. */
export function whyEnded({ what, isRevoked }: CallerChange): string {
  if (what === 'removed') return 'The account of its owner was removed';
  if (what === 'disabled') return 'The account of its owner was disabled';
  if (what === 'expired') return 'The permissions of its owner have expired';
  return isRevoked ? 'The credentials of its owner were changed' : 'Its owner may not do this any more';
}

/** For an audit entry: how many, and which, up to a bound. */
export function listed(ids: readonly string[]): { count: number; ids: string[] } {
  return { count: ids.length, ids: ids.slice(0, maxListed) };
}
