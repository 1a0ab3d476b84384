// Who may see an alarm, and who may handle it: the one place that decides.
import { canSeeAgent, canSeeAll, type VisibleAgent } from '../../agents/agent-visibility.ts';
import type { Caller } from '../../caller.ts';
import type { AlarmRecord } from '../store/alarm-store.ts';

/** Whoever may see the agent. An alarm of a site, of Weft itself or of many agents is for whoever may see all of them. */
export function canSeeAlarm(caller: Caller, { ap_id }: AlarmRecord, agent: VisibleAgent | undefined): boolean {
  if (ap_id === null) return canSeeAll(caller);
  return agent === undefined ? canSeeAll(caller) : canSeeAgent(caller, agent);
}

/** To acknowledge, shelve or clear it: users who may see it. */
export function canHandleAlarm(caller: Caller, alarm: AlarmRecord, agent: VisibleAgent | undefined): boolean {
  return caller.kind === 'user' && canSeeAlarm(caller, alarm, agent);
}
