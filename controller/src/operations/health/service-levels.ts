// Service levels: in which minutes the users of an access point were served well, by what it reported. Pure: rows of
// one-minute means go in, counted minutes come out.
import type { ServiceLevel, ServiceLevelName } from '@weft/contract/operations';

interface Level {
  name: ServiceLevelName;
  /** The metrics that it reads; a minute without any of them is not counted. */
  metrics: readonly string[];
  /** Whether users were served well in a minute with these values; undefined if the values do not tell. */
  isGood: (value: (metric: string) => number | undefined) => boolean | undefined;
}

/** The shares of good minutes below which a level is a cause. */
const goals = { availability: 0.99, others: 0.95 };

/** Limits that an access point can keep on an ordinary day; docs/health.md explains each. */
export const levels: readonly Level[] = [
  {
    name: 'coverage',
    metrics: ['rsrp_dbm', 'rssi_dbm', 'blocked_pct'],
    isGood: (value) =>
      all(atLeast(value('rsrp_dbm'), -110), atLeast(value('rssi_dbm'), -75), atMost(value('blocked_pct'), 20)),
  },
  {
    name: 'capacity',
    metrics: ['prb_load_pct', 'channel_utilisation_pct'],
    isGood: (value) => all(atMost(value('prb_load_pct'), 90), atMost(value('channel_utilisation_pct'), 90)),
  },
  { name: 'latency', metrics: ['latency_ms'], isGood: (value) => atMost(value('latency_ms'), 100) },
  {
    name: 'handover',
    metrics: ['handover_attempts', 'handover_failures'],
    isGood: (value) => {
      const attempts = value('handover_attempts');
      if (attempts === undefined || attempts <= 0) return undefined;
      return (value('handover_failures') ?? 0) / attempts <= 0.1;
    },
  },
  {
    name: 'energy',
    // The load says of which technology it is; the limits are those of the rules on energy that come with Weft.
    metrics: ['power_w', 'prb_load_pct', 'channel_utilisation_pct'],
    isGood: (value) => {
      if (value('prb_load_pct') !== undefined) return atMost(value('power_w'), 950);
      return value('channel_utilisation_pct') === undefined ? undefined : atMost(value('power_w'), 25);
    },
  },
];

export const serviceMetrics: readonly string[] = [...new Set(['active', ...levels.flatMap(({ metrics }) => metrics)])];

/** The means of one slot: a minute, or longer where reports are rarer than that. */
export interface Slot {
  value: (metric: string) => number | undefined;
}

/** How long a slot is, so that each should hold a report. */
export function slotMsOf(intervalMs: number): number {
  return Math.max(1, Math.ceil((2 * intervalMs) / minuteMs)) * minuteMs;
}

/** The slots that hold anything, oldest first. NaN stands for no value. */
export function toSlots(
  ts: ArrayLike<number>,
  columns: ReadonlyMap<string, ArrayLike<number>>,
  slotMs: number,
): Slot[] {
  const slots = new Map<number, Map<string, { sum: number; count: number }>>();
  for (const [name, values] of columns) {
    for (let row = 0; row < ts.length; row++) {
      const value = values[row]!;
      if (Number.isNaN(value)) continue;
      const number = Math.floor(ts[row]! / slotMs);
      const means = slots.get(number) ?? new Map<string, { sum: number; count: number }>();
      slots.set(number, means);
      const mean = means.get(name);
      if (mean) {
        mean.sum += value;
        mean.count++;
      } else means.set(name, { sum: value, count: 1 });
    }
  }
  const ordered = [...slots].sort(([a], [b]) => a - b);
  return ordered.map(([, means]) => ({
    value: (metric) => {
      const mean = means.get(metric);
      return mean && mean.sum / mean.count;
    },
  }));
}

/**
 * `expected`: how many slots there were in which it should have reported. What a sleeping access point reports says nothing
 * about the service of users, who are elsewhere; that it reported does.
 */
export function countMinutes(slots: readonly Slot[], expected: number, slotMs: number): ServiceLevel[] {
  const each = slotMs / minuteMs;
  const reported = Math.min(slots.length, expected);
  const minutes = { good_minutes: reported * each, minutes: expected * each };
  const availability: ServiceLevel = { level: 'availability', ...minutes, goal: goals.availability };
  const awake = slots.filter(({ value }) => value('active') === undefined || value('active')! > 0);
  const counted = levels.map(({ name, isGood }) => {
    const verdicts = awake.map(({ value }) => isGood(value)).filter((verdict) => verdict !== undefined);
    const good = verdicts.filter(Boolean).length;
    return { level: name, good_minutes: good * each, minutes: verdicts.length * each, goal: goals.others };
  });
  return [availability, ...counted.filter((level) => level.minutes > 0)];
}

/** Whether the level is below its goal; a few bad minutes of few are too few to judge. */
export function isBelowGoal({ good_minutes, minutes, goal }: ServiceLevel): boolean {
  return minutes >= minMinutes && good_minutes < goal * minutes;
}

const minMinutes = 10;
const minuteMs = 60_000;

function atLeast(value: number | undefined, limit: number): boolean | undefined {
  return value === undefined ? undefined : value >= limit;
}

function atMost(value: number | undefined, limit: number): boolean | undefined {
  return value === undefined ? undefined : value <= limit;
}

function all(...verdicts: (boolean | undefined)[]): boolean | undefined {
  const known = verdicts.filter((verdict) => verdict !== undefined);
  return known.length === 0 ? undefined : known.every(Boolean);
}
