// Who may see an alarm, and who may handle it: the one place that decides.
import { canSeeAgent, canSeeAll, mayOperate, type VisibleAgent } from '../../agents/agent-visibility.ts';
import { type Caller, hasGrants } from '../../caller.ts';
import type { AlarmRecord } from '../store/alarm-store.ts';

/**
 * Whoever may see the agent. An alarm of Weft itself or of many agents is for whoever may see all of them; that of a site also
 * for users who were granted something there.
 */
export function canSeeAlarm(caller: Caller, alarm: AlarmRecord, agent: VisibleAgent | undefined): boolean {
  if (canSeeAll(caller)) return true;
  const subject = subjectOf(caller, alarm, agent);
  return subject !== undefined && canSeeAgent(caller, subject);
}

/** To acknowledge, shelve or clear it: users who may see it, those with grants where they may send commands. */
export function canHandleAlarm(caller: Caller, alarm: AlarmRecord, agent: VisibleAgent | undefined): boolean {
  if (caller.kind !== 'user') return false;
  if (!hasGrants(caller)) return canSeeAlarm(caller, alarm, agent);
  const subject = subjectOf(caller, alarm, agent);
  return subject !== undefined && mayOperate(caller, subject);
}

function subjectOf(
  caller: Caller,
  { subject_kind, site }: AlarmRecord,
  agent: VisibleAgent | undefined,
): VisibleAgent | undefined {
  if (agent || subject_kind !== 'site' || caller.kind !== 'user') return agent;
  return { ap_id: '', emulated_for: null, display_name: null, site, tags: [] };
}
