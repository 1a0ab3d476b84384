// What a rule makes of recorded reports: when its alarms fire and clear, as Weft would do it.
import type { AlarmRuleInput } from '@weft/contract/operations';
import { AgentPresenceTracker } from '../../controller/src/core/telemetry/presence/presence.ts';
import { AlarmTracker } from '../../controller/src/operations/alarms/engine/alarm-tracker.ts';
import { MetricCondition } from '../../controller/src/operations/alarms/engine/metric-condition.ts';
import { replay } from '../../controller/src/operations/alarms/engine/replay.ts';
import { findTimed } from '../../controller/src/operations/alarms/engine/timed-condition.ts';
import { type Arrival, type RecordedWorld, reportIntervalSeconds } from './record-world.ts';

export interface Rung {
  ap_id: string;
  /** When it was told, by the clock of Weft. */
  firedMs: number;
  clearedMs: number;
}

const gapMs = 60_000;
/** The rounds in which Weft looks at states and readings. */
const roundMs = 3_000;

export function replayRule(rule: AlarmRuleInput, world: RecordedWorld): Rung[] {
  const type = /type:(\S+)/.exec(rule.selector ?? '')?.[1];
  const rung: Rung[] = [];
  for (const [ap_id, arrivals] of world.arrivals) {
    if (type !== undefined && world.types.get(ap_id) !== type) continue;
    if (rule.condition.metric !== undefined) rung.push(...metricAlarms(rule, ap_id, arrivals));
    else rung.push(...timedAlarms(rule, ap_id, arrivals, world));
  }
  return rung;
}

const toRule = (rule: AlarmRuleInput) => ({
  condition: rule.condition,
  for_seconds: rule.for_seconds ?? 0,
  clear: rule.clear,
  when_asleep: rule.when_asleep ?? ('ignore' as const),
});

/** With the stored samples read before every transition, as Weft does. */
export function metricAlarms(rule: AlarmRuleInput, ap_id: string, arrivals: readonly Arrival[]): Rung[] {
  const condition = new MetricCondition(toRule(rule));
  const { metric, other } = condition;
  const tracker = new AlarmTracker(condition, gapMs);
  const stored = new Map<number, Arrival>();
  const rung: Rung[] = [];
  let isCertain = true;
  let newest = Number.NEGATIVE_INFINITY;
  tracker.isCertain = true;
  for (const arrival of arrivals) {
    const { ts, arrivedMs, fields } = arrival;
    stored.set(ts, arrival);
    if (ts <= newest) isCertain = false;
    newest = Math.max(newest, ts);
    const isAsleep = fields.active === 0;
    const value = fields[metric];
    const second = other === undefined ? 0 : fields[other];
    if (!isAsleep && (value === undefined || second === undefined)) continue;
    if (!tracker.add(ts, value ?? Number.NaN, second ?? Number.NaN, isAsleep)) continue;
    if (!isCertain) {
      const replayed = tracker.beginning();
      replay(replayed, toFrame(stored.values(), tracker));
      tracker.adopt(replayed);
      isCertain = true;
    }
    const { due } = tracker;
    if (!due) continue;
    tracker.turn(due.to === 'firing', due.atMs);
    if (due.to === 'firing') rung.push({ ap_id, firedMs: arrivedMs, clearedMs: Number.POSITIVE_INFINITY });
    else rung.at(-1)!.clearedMs = arrivedMs;
  }
  return rung;
}

function toFrame(stored: Iterable<Arrival>, { condition, replayFromMs, newestMs }: AlarmTracker) {
  const rows = [...stored].filter(({ ts }) => ts >= replayFromMs && ts <= newestMs).sort((a, b) => a.ts - b.ts);
  const column = (name: string) => Float64Array.from(rows, ({ fields }) => fields[name] ?? Number.NaN);
  return {
    ts: Float64Array.from(rows, ({ ts }) => ts),
    columns: new Map(condition.metrics.map((name) => [name, column(name)])),
  };
}

/** Rules on states, and on clocks, in rounds. */
function timedAlarms(rule: AlarmRuleInput, ap_id: string, arrivals: readonly Arrival[], world: RecordedWorld): Rung[] {
  const rung: Rung[] = [];
  const presence = AgentPresenceTracker.first(ap_id, world.startMs);
  presence.configuredMs = reportIntervalSeconds * 1000;
  let next = 0;
  let skewS = 0;
  let sinceMs = Number.NaN;
  for (let nowMs = world.startMs; nowMs <= world.endMs; nowMs += roundMs) {
    for (; next < arrivals.length && arrivals[next]!.arrivedMs <= nowMs; next++) {
      const { ts, arrivedMs } = arrivals[next]!;
      presence.seen(arrivedMs);
      skewS = (ts - arrivedMs) / 1000;
    }
    const active = rung.at(-1)?.clearedMs === Number.POSITIVE_INFINITY ? rung.at(-1) : undefined;
    let fires: boolean | undefined;
    if (rule.condition.state !== undefined) {
      const { presence: state, sinceMs: since, lastSeenMs } = presence.knownAt(nowMs);
      const standing = { ap_id, site: null, state, sinceMs: since, lastSeenMs, isAsleep: false, isUncertain: false };
      fires = findTimed(toRule(rule), [{ ...standing, changesMs: [] }], nowMs)[0]!.fires;
    } else {
      const limit = active ? (rule.clear?.value ?? rule.condition.value!) : rule.condition.value!;
      const holds = active ? skewS <= limit : skewS > limit;
      if (!holds) sinceMs = Number.NaN;
      else if (Number.isNaN(sinceMs)) sinceMs = nowMs;
      const neededS = active ? (rule.clear?.for_seconds ?? rule.for_seconds ?? 0) : (rule.for_seconds ?? 0);
      if (nowMs - sinceMs >= neededS * 1000) fires = !active;
    }
    if (fires === true && !active) rung.push({ ap_id, firedMs: nowMs, clearedMs: Number.POSITIVE_INFINITY });
    if (fires === false && active) active.clearedMs = nowMs;
    if (fires !== undefined && fires !== (active !== undefined)) sinceMs = Number.NaN;
  }
  return rung;
}
