// Who may see an alarm, and who may handle it: the one place that decides.
import type { Caller } from '../../caller.ts';
import { type Rights, rightsOf, type VisibleAgent } from '../../rights/rights.ts';
import type { AlarmRecord } from '../store/alarm-store.ts';

/**
 * Whoever may see the agent. An alarm of Weft itself or of many agents is for whoever may see all of them; that of a site also
 * for users who were granted something there.
 */
export function canSeeAlarm(caller: Caller, alarm: AlarmRecord, agent: VisibleAgent | undefined): boolean {
  const rights = rightsOf(caller);
  if (rights.seesAll) return true;
  const subject = subjectOf(rights, alarm, agent);
  return subject !== undefined && rights.sees(subject);
}

/** To acknowledge, shelve or clear it: users who may see it, those with grants where they may send commands. */
export function canHandleAlarm(caller: Caller, alarm: AlarmRecord, agent: VisibleAgent | undefined): boolean {
  const rights = rightsOf(caller);
  if (!rights.isUser) return false;
  if (!rights.hasGrants) return canSeeAlarm(caller, alarm, agent);
  const subject = subjectOf(rights, alarm, agent);
  return subject !== undefined && rights.operates(subject);
}

function subjectOf(
  { isUser }: Rights,
  { subject_kind, site }: AlarmRecord,
  agent: VisibleAgent | undefined,
): VisibleAgent | undefined {
  if (agent || subject_kind !== 'site' || !isUser) return agent;
  return { ap_id: '', emulated_for: null, display_name: null, site, tags: [] };
}
