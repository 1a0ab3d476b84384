// Which changes are events: what the audit log records of a change, in the same transaction, as one event for people and
// programs. Changes of accounts are for administrators and stay in the audit log; commands and conflicts are told by the ledger.
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { NewEvent } from './event-record.ts';

/** What administrators set up, by the kind of the target. Changes of these are `config.changed`. */
const configured: Record<string, string> = {
  agent: 'access point',
  site: 'site',
  alarm_rule: 'alarm rule',
  silence: 'silence',
  conflict_rules: 'conflict',
  webhook: 'webhook',
  notification: 'notification',
};

/** Undefined if it is no event. */
export function eventOf(entry: NewAuditEntry): NewEvent | undefined {
  const { action, target, detail } = entry;
  switch (action) {
    case 'agent_onboarded':
      return about(entry, 'agent.onboarded', 'agent', `${target.name} logged in for the first time`);
    case 'agent_removed':
      return about(entry, 'agent.removed', 'agent', `${target.name} was removed`);
    case 'emulation_started':
      return about(
        entry,
        'run.started',
        'run',
        `An emulated network of ${detail.access_points} access points was started`,
      );
    case 'emulation_ended':
      return runEnded(entry);
    default:
      return configChanged(entry);
  }
}

function runEnded(entry: NewAuditEntry): NewEvent {
  const { state, access_points } = entry.detail;
  const isFailed = state === 'failed';
  return {
    ...about(
      entry,
      isFailed ? 'run.failed' : 'run.ended',
      'run',
      `An emulated network of ${access_points} access points ${isFailed ? 'failed' : 'ended'}`,
    ),
    severity: isFailed ? 'warning' : 'info',
  };
}

function configChanged(entry: NewAuditEntry): NewEvent | undefined {
  const { action, target, detail } = entry;
  const what = configured[target.kind];
  const [, verb] = /_(created|updated|changed|removed|replaced|moved)$/.exec(action) ?? [];
  if (what === undefined || verb === undefined) return undefined;
  // New agents are no change of a configuration, and passwords are not told.
  const isSecret = Array.isArray(detail.fields) && detail.fields.every((field) => field === 'password');
  if (target.kind === 'agent' && (verb === 'created' || isSecret)) return undefined;
  const texts: Record<string, string> = {
    conflict_rules_updated: 'The conflict rules were updated',
    labels_changed: `The labels of ${target.name} were changed`,
  };
  const text = texts[action] ?? `The ${what} ${target.name} was ${verb}`;
  return about(entry, 'config.changed', target.kind, text);
}

function about(
  { actor, action, target, detail }: NewAuditEntry,
  kind: string,
  subject_kind: string,
  text: string,
): NewEvent {
  const { keys, fields } = detail;
  return {
    kind,
    subject_kind,
    subject: target.name,
    text,
    data: {
      action,
      by: actor.name,
      by_kind: actor.kind,
      ...(keys !== undefined && { keys }),
      ...(fields !== undefined && { fields }),
      ...(subject_kind === 'run' && { state: detail.state, access_points: detail.access_points }),
    },
  };
}
