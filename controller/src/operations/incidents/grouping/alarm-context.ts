// What was changed on an access point before an alarm, as the event log, the roll-outs and its own reports have it: new settings,
// and programs that set one parameter against each other. Pure.

import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { Frame } from '../../../core/telemetry/store/telemetry-store.ts';
import type { RolloutTreatment } from '../../desired/store/rollout-store.ts';
import { type AlarmContext, type Family, type LoweredSetting, parameterOf } from './grouped-alarm.ts';

/** How long before an alarm a change may be its cause. */
export const beforeMs = 10 * 60_000;

/** The events that are asked for. */
export const contextKinds = ['command.accepted', 'conflict.*'];

/** What its reports are asked for. */
export const contextMetrics: Partial<Record<Family, readonly string[]>> = {
  wifi: ['channel', 'channel_width_mhz', 'noise_floor_dbm'],
  cell: ['prb_quota_pct', 'tx_power_dbm'],
  light: ['dimming_pct'],
};
/** What explains most comes first. */
const settings: readonly LoweredSetting[] = ['prb_quota_pct', 'tx_power_dbm', 'dimming_pct'];
const usualWidthMhz = 20;
/** What the product's rule takes for interference. */
export const noiseLimitDbm = -85;

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
  const own = events.filter(({ ap_id, ts }) => isBefore(ap_id, ts));
  return { ...(rollout && { rollout: rollout.rollout_id }), ...warOf(own), ...powerSetBy(own) };
}

const ofPower: readonly unknown[] = [...Object.values(parameterOf), 'power_state'];

function powerSetBy(events: readonly LoggedEvent[]): Pick<AlarmContext, 'set'> {
  const about = events.filter(({ kind, data }) => kind === 'command.accepted' && ofPower.includes(data.parameter));
  const { parameter, by } = about.toSorted((a, b) => a.id - b.id).at(-1)?.data ?? {};
  return typeof parameter === 'string' && typeof by === 'string' ? { set: [parameter, by] } : {};
}

/** `columns`: of the metrics above, from `beforeMs` before the alarm until it fired. */
export function measuredContext(
  columns: Frame['columns'],
): Pick<AlarmContext, 'channel' | 'moved' | 'noisy' | 'lowered'> {
  const found = new Map([...columns].map(([name, column]) => [name, [...column].filter(Number.isFinite) as number[]]));
  const [first, channel = first] = [found.get('channel')?.[0], found.get('channel')?.at(-1)];
  if (channel !== undefined) {
    const width = found.get('channel_width_mhz')?.at(-1) ?? usualWidthMhz;
    const isNoisy = (found.get('noise_floor_dbm')?.at(-1) ?? noiseLimitDbm) > noiseLimitDbm;
    return { channel: [channel, width], ...(channel !== first && { moved: true }), ...(isNoisy && { noisy: true }) };
  }
  const lowered = settings.find((name) => (found.get(name)?.at(-1) ?? 0) < (found.get(name)?.[0] ?? 0));
  return lowered ? { lowered } : {};
}

/** What two callers set in turn, or what was frozen because they did. `events`: of one access point. */
export function warOf(events: readonly LoggedEvent[]): Pick<AlarmContext, 'war' | 'sides'> {
  const turns = new Map<string, { by: unknown; count: number; sides: Set<unknown> }>();
  for (const { kind, data } of [...events].sort((a, b) => a.id - b.id)) {
    const { parameter, by } = data;
    if (typeof parameter !== 'string') continue;
    const known = turns.get(parameter) ?? { by, count: 0, sides: new Set([by]) };
    turns.set(parameter, known);
    if (kind === 'conflict.frozen') known.count = minTurns;
    if (known.by === by) continue;
    known.by = by;
    known.count++;
    known.sides.add(by);
  }
  for (const [war, { count, sides }] of turns) if (count >= minTurns) return { war, sides: [...sides].sort().join() };
  return {};
}
