// The events of one transaction of the ledger: commands that were accepted, conflicts, commands that have ended, and
// the results of moving devices.
import type { NewAuditEntry } from '../../accounts/audit/audit-entry.ts';
import type { NewEvent, Severity } from '../../accounts/event-log/event-record.ts';
import { type DecisionRecord, isPass } from '../arbitration/decision-record.ts';
import type { CommandRecord } from './command-record.ts';
import type { LedgerBatch, SteeredDevice } from './ledger-batch.ts';

const endSeverities: Record<string, Severity> = {
  failed: 'warning',
  expired: 'warning',
  rolled_back: 'warning',
  guard_broken: 'major',
};

type Batch = Pick<LedgerBatch, 'entries' | 'closed' | 'steered'>;

export function commandEvents({ entries, closed, steered }: Batch): NewEvent[] {
  return [...entries.flatMap(ofEntry), ...closed.map(ofEnd), ...steered.flatMap(ofSteering)];
}

function ofSteering({ device, ap_id, target, outcome, command_id }: SteeredDevice): NewEvent[] {
  // One that the access point was to choose, and did not name.
  if (device === '') return [];
  const text = `${device} was steered from ${ap_id} to ${target}: ${outcome}`;
  const data = { ap_id, target, outcome, command_id };
  return [{ kind: 'device.steered', subject_kind: 'device', subject: device, text, data }];
}

function ofEntry({ action, target, detail }: NewAuditEntry): NewEvent[] {
  const ap_id = target.name;
  if (action === 'command_decided') return ofDecision(detail as unknown as DecisionRecord);
  if (action === 'parameter_frozen' || action === 'rolled_back') {
    const { parameter, command_id } = detail;
    const kind = action === 'rolled_back' ? 'conflict.rolled_back' : 'conflict.frozen';
    const data = { ap_id, parameter, command_id };
    return [
      {
        kind,
        subject_kind: 'conflict',
        subject: String(command_id),
        severity: 'warning',
        text: String(detail.detail),
        data,
      },
    ];
  }
  return [];
}

function ofDecision({ intent, outcome }: DecisionRecord): NewEvent[] {
  const { ap_id, command_id, name, parameter, caller_kind, caller_name } = intent;
  const { verdict, reason, detail } = outcome;
  const data = { ap_id, command_id, command: name, parameter, by: caller_name, by_kind: caller_kind };
  const events: NewEvent[] = [];
  if (isPass(outcome)) {
    const text = `${name} for ${ap_id} was accepted`;
    events.push({ kind: 'command.accepted', subject_kind: 'command', subject: command_id, text, data });
  }
  if (verdict === 'accepted') return events;
  const word = verdict === 'accepted_modified' ? 'modified' : verdict;
  const text = `${name} for ${ap_id} was ${word}`;
  const conflict = { ...data, verdict, reason, detail };
  events.push({ kind: `conflict.${word}`, subject_kind: 'conflict', subject: command_id, text, data: conflict });
  return events;
}

function ofEnd({
  command_id,
  ap_id,
  name,
  parameter,
  state,
  detail,
  job_number,
  caller_kind,
  caller_name,
}: CommandRecord): NewEvent {
  const words = state === 'succeeded' || state === 'failed' || state === 'expired' ? state : `was ${state}`;
  return {
    kind: `command.${state}`,
    subject_kind: 'command',
    subject: command_id,
    severity: endSeverities[state] ?? 'info',
    text: `${name} for ${ap_id} ${words}`,
    data: { ap_id, command_id, command: name, parameter, job_number, detail, by: caller_name, by_kind: caller_kind },
  };
}
