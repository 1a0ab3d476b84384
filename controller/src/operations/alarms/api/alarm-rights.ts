// Who may see an alarm, and who may handle it: the one place that decides.
import type { Caller } from '../../../core/base/caller.ts';
import { type Rights, rightsOf, type VisibleAgent } from '../../../core/base/rights/rights.ts';
import { countInSlices } from '../../../core/base/time-slices.ts';
import type { AlarmRecord } from '../store/alarm-store.ts';
import type { AgentDirectory, KnownAgent } from '../watch/agent-directory.ts';

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

/** With the site that its access point has now: where it stood when the alarm fired helps nobody to find it. */
export function asOfNow(alarm: AlarmRecord, agent: VisibleAgent | undefined): AlarmRecord {
  return agent ? { ...alarm, site: agent.site } : alarm;
}

/** To acknowledge, shelve or clear it: users where they may send commands, so that nobody may who has only signed up. */
export function canHandleAlarm(caller: Caller, alarm: AlarmRecord, agent: VisibleAgent | undefined): boolean {
  const rights = rightsOf(caller);
  if (!rights.isUser || rights.isAdmin) return rights.isAdmin;
  const subject = subjectOf(rights, alarm, agent);
  return subject !== undefined && rights.operates(subject);
}

/**
 * How much of what a selector means the caller may see: all of it, as is said of whoever sees everything, a part, or nothing. What is
 * said about a part must not name the rest.
 */
export async function shareSeen(
  caller: Caller,
  directory: Pick<AgentDirectory, 'agents'>,
  isMeant: (agent: KnownAgent) => boolean,
): Promise<'all' | 'part' | 'nothing'> {
  const rights = rightsOf(caller);
  if (rights.seesAll) return 'all';
  let [seen, hidden] = [0, 0];
  const { agents } = directory;
  await countInSlices(0, agents.length, (index) => {
    const agent = agents[index]!;
    if (!isMeant(agent)) return;
    if (rights.sees(agent)) seen++;
    else hidden++;
    return seen > 0 && hidden > 0;
  });
  return seen === 0 ? 'nothing' : hidden > 0 ? 'part' : 'all';
}

function subjectOf(
  { isUser }: Rights,
  { subject_kind, site }: AlarmRecord,
  agent: VisibleAgent | undefined,
): VisibleAgent | undefined {
  if (agent || subject_kind !== 'site' || !isUser) return agent;
  return { ap_id: '', emulated_for: null, display_name: null, site, tags: [] };
}
