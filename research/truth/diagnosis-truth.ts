// What the product says of the cause of an alarm of an emulated network: a minute after it fired, and once it was over.
import type { IncidentCause } from '@weft/contract/operations';
import { diagnose } from '../../controller/src/operations/incidents/diagnosis/diagnose.ts';
import {
  endOf,
  firstsOf,
  meansOf,
  metrics,
  newestMs,
  pastMs,
} from '../../controller/src/operations/incidents/diagnosis/diagnosis-service.ts';
import type { GroupedAlarm } from '../../controller/src/operations/incidents/grouping/grouped-alarm.ts';
import type { Arrival, RecordedWorld } from './record-world.ts';

const soonMs = 60_000;

/** The causes that it names, of all these alarms and at both times. */
export function diagnosed(alarms: readonly GroupedAlarm[], world: RecordedWorld): IncidentCause[] {
  return alarms.flatMap((alarm) => {
    const over = alarm.cleared_at ?? world.endMs;
    const times = alarm.product === 'offline' ? [over] : [Math.min(over, alarm.fired_at + soonMs), over];
    return times.map((nowMs) => causeAt(alarm, nowMs, world));
  });
}

function causeAt(alarm: GroupedAlarm, nowMs: number, world: RecordedWorld): IncidentCause {
  const ap_id = alarm.ap_id!;
  const own = world.arrivals.get(ap_id)!;
  const { cleared_at } = alarm;
  const endMs = endOf({ ...alarm, cleared_at: cleared_at !== null && cleared_at <= nowMs ? cleared_at : null }, nowMs);
  const startMs = Math.max(alarm.since, endMs - newestMs);
  const neighbours = [...world.arrivals].flatMap(([name, arrivals]) => {
    if (name === ap_id || world.types.get(name) !== world.types.get(ap_id)) return [];
    const values = meansOf({ columns: columnsOf(arrivals, metrics, endMs - soonMs, endMs) });
    return [{ ap_id: name, values, hasSame: false }];
  });
  const { cause } = diagnose({
    alarm: { ...alarm, message: alarm.product!, value: null },
    product: alarm.product,
    context: alarm.context,
    now: meansOf({ columns: columnsOf(own, metrics, startMs, endMs) }),
    before: firstsOf({ columns: columnsOf(own, metrics, alarm.since - pastMs, alarm.since) }),
    neighbours,
    changes: [],
    commands: new Map(),
  });
  return cause;
}

/** What was reported of a time, as the store would give it. */
export function columnsOf(
  arrivals: readonly Arrival[],
  names: readonly string[],
  startMs: number,
  endMs: number,
): Map<string, Float64Array> {
  const rows = arrivals.filter(({ ts }) => ts >= startMs && ts <= endMs);
  return new Map(names.map((name) => [name, Float64Array.from(rows, ({ fields }) => fields[name] ?? Number.NaN)]));
}
