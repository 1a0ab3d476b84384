// What leaves about commands: answers to callers, and refusals with everything that the loser of a conflict needs.

import type { Command, CommandAccepted, CommandPreview, Rival } from '@weft/contract';
import { toCommandText } from '@weft/contract/declared-commands';
import { ConflictError } from '../../base/errors.ts';
import { toTime, toTimeOrNull } from '../../base/input/date-time.ts';
import type { Decision } from '../arbitration/conflict-intent.ts';
import { toOutcome } from '../arbitration/decision-record.ts';
import { shownGuard } from '../grammar/guard-expression.ts';
import type { CommandRecord, StoredRival } from './command-record.ts';

export function toCommand(record: CommandRecord): Command {
  const { command_id, job_number, ap_id, name, args, text, sent_args, parameter, parameter_group } = record;
  const { caller_kind, caller_name, priority, state, applied, result, guard, inverse_of, batch_id } = record;
  const { guard_state, rolled_back_by } = record;
  return {
    command_id,
    job_number,
    ap_id,
    command: text ?? toCommandText(name, args),
    name,
    args,
    sent_args: sent_args ?? args,
    parameter,
    parameter_group,
    caller_kind,
    caller_name,
    priority,
    state,
    ...toVerdict(record),
    created_at: toTime(record.created_at),
    expires_at: toTime(record.expires_at),
    deliver_after: toTimeOrNull(record.deliver_after),
    sent_at: toTimeOrNull(record.sent_at),
    received_at: toTimeOrNull(record.received_at),
    ended_at: toTimeOrNull(record.ended_at),
    result: result === null ? null : JSON.parse(result),
    applied,
    guard: guard && shownGuard(guard),
    guard_state,
    rolled_back_by,
    inverse_of,
    batch_id,
  };
}

export function toAccepted(record: CommandRecord): CommandAccepted {
  const { job_number, command_id, sent_args, deliver_after, verdict } = record;
  return {
    job_number,
    status: 'queued',
    websocket: `/api/v1/ws/${job_number}`,
    command_id,
    ...toVerdict(record),
    ...(verdict === 'accepted_modified' && sent_args && { sent_args }),
    ...(deliver_after !== null && { deliver_after: toTime(deliver_after) }),
  };
}

export function toPreview(decision: Decision): CommandPreview {
  const { verdict, args, deliver_after } = decision;
  return {
    dry_run: true,
    ...toDecisionVerdict(decision),
    ...(verdict === 'accepted_modified' && args && { sent_args: args }),
    ...(deliver_after !== undefined && { deliver_after: toTime(deliver_after) }),
  };
}

export function toDecisionVerdict(decision: Decision) {
  const { verdict, reason, detail, rival, lease } = decision;
  return toVerdict({
    verdict,
    reason,
    detail,
    rival: rival ? toOutcome(decision).rival : null,
    hold_until: lease?.until ?? null,
  });
}

/** 409, with who holds it and until when, as far as the caller may know. */
export function toConflict(
  { verdict, reason, detail, rival }: ReturnType<typeof toDecisionVerdict>,
  retry_at: number | undefined,
  nowMs: number,
): ConflictError {
  const seconds = retry_at === undefined ? undefined : Math.max(1, Math.ceil((retry_at - nowMs) / 1000));
  const more = { verdict, reason, rival, lease_until: rival?.until ?? null };
  return new ConflictError('command_conflict', detail, more, seconds);
}

export function toVerdict(
  record: Pick<CommandRecord, 'verdict' | 'reason' | 'detail' | 'rival' | 'hold_until'>,
): Pick<Command, 'verdict' | 'reason' | 'detail' | 'rival' | 'hold_until'> {
  const { verdict, reason, detail, rival, hold_until } = record;
  return { verdict, reason, detail, rival: rival && toRival(rival), hold_until: toTimeOrNull(hold_until) };
}

export function toRival({ command_id, caller_kind, caller_name, ap_id, parameter, until }: StoredRival): Rival {
  return { command_id, caller_kind, caller_name, ap_id, parameter, until: toTime(until) };
}
