// A command that is to be decided about, and the record and the job that it becomes.
import { publishHoldMs } from '../../jobs/publish/job-outbox.ts';
import type { NewJob } from '../../jobs/store/job-record.ts';
import type { Decision, Intent } from '../arbitration/conflict-intent.ts';
import type { Want } from '../grammar/requested-value.ts';
import type { CommandRecord } from './command-record.ts';
import { orderedUuid } from './ordered-uuid.ts';
import { toSent } from './sent-command.ts';

/** A job ends with its command; should that fail, it expires this long after the command. */
const jobSlackMs = 3_600_000;

type StoredWithIt = Pick<
  CommandRecord,
  'agent_id' | 'owner_kind' | 'owner_id' | 'idempotency_key' | 'guard' | 'settle_ms' | 'batch_id' | 'inverse_of'
>;

export interface NewCommand extends StoredWithIt {
  intent: Intent;
  /** As the caller sent it, but for secret arguments; null for a command of Weft itself. */
  text: string | null;
  /** With secret arguments: text and arguments as they were sent, encrypted. */
  sealed: string | null;
  owner_name: string;
  /** Of the owner's record when the command came in, see Caller; undefined: not looked at. */
  owner_ver?: string | undefined;
  /** What takes it back where nothing is known that was set before; undefined: nothing does. */
  inverse?: Want | undefined;
  /** With a guard: what sets again what the access point says that it runs; undefined if it does not say. */
  reported?: Want | undefined;
}

/** A command that was accepted, or the decision against it. */
export type SendOutcome =
  | { command: CommandRecord; isRepeat: boolean }
  | { command: undefined; decision: Decision; group: string };

/** The record before its decision is written into it. */
export function toNewRecord(wish: NewCommand, parameter_group: string, nowMs: number): CommandRecord {
  const { intent } = wish;
  return {
    command_id: intent.command_id,
    job_number: orderedUuid(nowMs),
    ap_id: intent.ap_id,
    agent_id: wish.agent_id,
    name: intent.name,
    args: intent.args,
    text: wish.text,
    sealed: wish.sealed,
    sent_args: null,
    parameter: intent.parameter,
    parameter_group,
    caller_kind: intent.caller_kind,
    caller_id: intent.caller_id,
    caller_name: intent.caller_name,
    owner_kind: wish.owner_kind,
    owner_id: wish.owner_id,
    rank: intent.rank,
    priority: intent.priority,
    state: 'queued',
    verdict: 'queued',
    reason: 'waits_for_lease',
    detail: '',
    rival: null,
    hold_until: null,
    created_at: nowMs,
    expires_at: intent.expires_at,
    deliver_after: null,
    due_at: null,
    sent_at: null,
    received_at: null,
    ended_at: null,
    idempotency_key: wish.idempotency_key,
    guard: wish.guard,
    settle_ms: wish.settle_ms,
    guard_until: null,
    guard_state: null,
    rolled_back_by: null,
    inverse_of: wish.inverse_of,
    batch_id: wish.batch_id,
    applied: null,
    previous: null,
    intent,
    result: null,
  };
}

/** The command has its verdict and what is sent. `isPublished`: the job's message goes to a broker outside of this process. */
export function toNewJob(wish: NewCommand, command: CommandRecord, isPublished: boolean): NewJob {
  const { job_number, command_id, ap_id, name, created_at, expires_at } = command;
  const { text, args } = toSent(command);
  return {
    job_number,
    task_type: 'send_command',
    owner_kind: wish.owner_kind,
    owner_id: wish.owner_id,
    owner_name: wish.owner_name,
    subject: null,
    data: JSON.stringify({ agent_id: ap_id, command_id, command: text, name, args }),
    created_at,
    expires_at: expires_at + (wish.settle_ms ?? 0) + jobSlackMs,
    published_at: isPublished ? null : created_at,
    publish_after: created_at + publishHoldMs,
  };
}
