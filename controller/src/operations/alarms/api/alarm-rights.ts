// Who may see an alarm, and who may handle it: the one place that decides, by what the caller sees of the network.
import type { VisibleAgent } from '../../../core/base/rights/rights.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Sight } from '../../../core/network/sight.ts';
import type { AlarmRecord } from '../store/alarm-store.ts';

type AlarmSight = Sight<AgentRow>;

/** The access point that it is about, if the caller sees it. */
export function agentOf(sight: AlarmSight, { ap_id }: AlarmRecord): AgentRow | undefined {
  return ap_id === null ? undefined : sight.get(ap_id);
}

/**
 * Whoever may see the agent. An alarm of Weft itself or of many agents is for whoever may see all of them; that of a site also
 * for users who were granted something there.
 */
export function canSeeAlarm(sight: AlarmSight, alarm: AlarmRecord): boolean {
  if (sight.seesAll) return true;
  const subject = subjectOf(sight, alarm);
  return subject !== undefined && sight.rights.sees(subject);
}

/** With the site that its access point has now: where it stood when the alarm fired helps nobody to find it. */
export function asOfNow(alarm: AlarmRecord, agent: VisibleAgent | undefined): AlarmRecord {
  return agent ? { ...alarm, site: agent.site } : alarm;
}

/** To acknowledge, shelve or clear it: users where they may send commands, so that nobody may who has only signed up. */
export function canHandleAlarm(sight: AlarmSight, alarm: AlarmRecord): boolean {
  const { rights } = sight;
  if (!rights.isUser || rights.isAdmin) return rights.isAdmin;
  const subject = subjectOf(sight, alarm);
  return subject !== undefined && rights.operates(subject);
}

function subjectOf(sight: AlarmSight, alarm: AlarmRecord): VisibleAgent | undefined {
  const agent = agentOf(sight, alarm);
  if (agent || alarm.subject_kind !== 'site' || !sight.rights.isUser) return agent;
  return { ap_id: '', emulated_for: null, display_name: null, site: alarm.site, tags: [] };
}
