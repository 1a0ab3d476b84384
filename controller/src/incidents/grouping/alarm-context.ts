// What was changed on an access point before an alarm, as the event log and the roll-outs have it: new settings, and programs that
// set one parameter against each other. Pure.
import type { RolloutTreatment } from '../../desired/store/rollout-store.ts';
import type { LoggedEvent } from '../../event-log/event-record.ts';
import type { AlarmContext } from './grouped-alarm.ts';

/** How long before an alarm a change may be its cause. */
export const beforeMs = 10 * 60_000;

/** The events that are asked for. */
export const contextKinds = ['command.accepted', 'conflict.*'];

/** So many times in turn are no chance. */
const minTurns = 3;

interface Subject {
  ap_id: string | null;
  since: number;
  fired_at: number;
}

export function contextOf(
  alarm: Subject,
  events: readonly LoggedEvent[],
  treatments: readonly RolloutTreatment[],
): AlarmContext {
  const [fromMs, untilMs] = [alarm.since - beforeMs, alarm.fired_at];
  const isBefore = (ap_id: string | null, ms: number) => ap_id === alarm.ap_id && ms >= fromMs && ms <= untilMs;
  let rollout: RolloutTreatment | undefined;
  for (const each of treatments) {
    if (!isBefore(each.ap_id, each.treated_at)) continue;
    if (!rollout || each.treated_at > rollout.treated_at) rollout = each;
  }
  const war = warOf(events.filter(({ ap_id, ts }) => isBefore(ap_id, ts)));
  return { ...(rollout && { rollout: rollout.rollout_id }), ...(war !== undefined && { war }) };
}

/** The parameter that two callers set in turn, or that was frozen because they did. `events`: of one access point. */
export function warOf(events: readonly LoggedEvent[]): string | undefined {
  const turns = new Map<string, { by: unknown; count: number }>();
  for (const { kind, data } of [...events].sort((a, b) => a.id - b.id)) {
    const { parameter, by } = data;
    if (typeof parameter !== 'string') continue;
    if (kind === 'conflict.frozen') return parameter;
    const known = turns.get(parameter);
    if (!known) turns.set(parameter, { by, count: 0 });
    else if (known.by !== by) turns.set(parameter, { by, count: known.count + 1 });
  }
  for (const [parameter, { count }] of turns) if (count >= minTurns) return parameter;
  return undefined;
}
