// Which alarms are one incident: those that are related, directly or over others. Pure. Relations are between two alarms and
// depend on nothing that changes later, so that the groups are the same in whatever order alarms come, and however
// often one looks; an alarm that comes may join two groups, and never takes one apart.
import { byTime, canBeOfSettings, familyOf, type GroupedAlarm, isBeside, isWithin } from './grouped-alarm.ts';

const second = 1_000;
/** An alarm that fires so soon after another one of its kind cleared goes on with it. */
export const againMs = 120 * second;
/** What begins together on one access point. */
const onsetMs = 180 * second;
/** What is measured around an outage belongs to it. */
const aroundOutageMs = 60 * second;
/** Access points of a site that go away within this time of each other. */
const outageMs = 90 * second;
/** A jammer is heard by all around it at once; means need longer where it is heard less. */
const noiseMs = 60 * second;
/** And by those of another site beside it: some 400 m from north to south. Who is within half of it shares one of four squares. */
const squareDegrees = 0.004;
const squareShifts = [0, 0.5].flatMap((north) => [0, 0.5].map((east) => [north, east] as const));
const loadMs = 120 * second;
/** Waves of one roll-out. */
const rolloutMs = 3_600 * second;
const stormMs = 60 * second;

/** No alarm has anything to do with one that cleared so long before it began. */
export const horizonMs = rolloutMs;

const loads: ReadonlySet<string | null> = new Set(['nr_load', 'nr_latency', 'wifi_utilisation']);

/** The groups, each in the order of time, the one that began first before the others. `known`: alarms that are one already. */
export function groupAlarms(alarms: readonly GroupedAlarm[], known?: (id: string) => string | null): GroupedAlarm[][] {
  const sorted = [...alarms].sort(byTime);
  const groups = new Groups(sorted);
  const of = <T>(list: readonly T[], keyOf: (item: T) => string | null) => buckets(list, keyOf).values();
  if (known) for (const same of of(sorted, ({ id }) => known(id))) joinAll(groups, same);
  for (const own of of(sorted, ({ ap_id }) => ap_id)) joinOfAgent(groups, own);
  for (const own of of(sorted, subjectOfWeft)) joinRepeated(groups, own);
  const agents = sorted.filter(({ subject_kind }) => subject_kind === 'agent');
  const away = agents.filter((alarm) => familyOf(alarm) === 'away');
  for (const near of of(away, ({ site }) => site)) joinOnsets(groups, near, outageMs);
  joinSites(groups, sorted, away);
  const wifi = agents.filter((alarm) => familyOf(alarm) === 'wifi');
  for (const near of of(wifi, ({ site, context }) => site ?? (context.place ? null : ''))) joinJammed(groups, near);
  for (const shift of squareShifts)
    for (const near of of(wifi, (alarm) => squareOf(alarm, shift))) joinJammed(groups, near);
  const loaded = agents.filter(({ product }) => loads.has(product));
  for (const near of of(loaded, loadOf)) joinOnsets(groups, near, loadMs);
  const settable = sorted.filter(canBeOfSettings);
  for (const wave of of(settable, ({ context }) => context.rollout ?? null)) joinOnsets(groups, wave, rolloutMs);
  const warOf = ({ context: { war, sides } }: GroupedAlarm) => (war === undefined ? null : `${war} ${sides}`);
  for (const sides of of(settable, warOf)) joinOnsets(groups, sides, onsetMs);
  joinStorms(groups, sorted, agents);
  return groups.list();
}

/** Load that something else explains is like none other. */
function loadOf({ product, site, context: { noisy, lowered, war, rollout } }: GroupedAlarm): string | null {
  return site === null || noisy || war || rollout ? null : `${product} ${lowered} ${site}`;
}

function squareOf({ context: { place } }: GroupedAlarm, shift: readonly number[]): string | null {
  return place?.map((degrees, n) => Math.floor(degrees / squareDegrees + shift[n]!)).join() ?? null;
}

function subjectOfWeft(alarm: GroupedAlarm): string | null {
  return alarm.ap_id === null && familyOf(alarm) === 'weft' ? `${alarm.subject_kind} ${alarm.subject}` : null;
}

/** Of one access point. A wrong clock has nothing to do with the rest. */
function joinOfAgent(groups: Groups, own: readonly GroupedAlarm[]): void {
  for (const same of buckets(own, familyOrRule).values()) joinRepeated(groups, same);
  const others = own.filter((alarm) => familyOf(alarm) !== 'clock');
  joinOnsets(groups, others, onsetMs);
  for (const outage of others) {
    if (familyOf(outage) !== 'away') continue;
    const [fromMs, untilMs] = [outage.since - aroundOutageMs, endOf(outage) + aroundOutageMs];
    for (const alarm of others) if (alarm.since >= fromMs && alarm.since <= untilMs) groups.join(outage, alarm);
  }
}

/** What is not known to be of one kind is only like itself. */
function familyOrRule(alarm: GroupedAlarm): string {
  const family = familyOf(alarm);
  return family === 'other' ? alarm.rule_id : family;
}

/** In the order of their firing: each that fires before all earlier ones have been over for long. */
function joinRepeated(groups: Groups, same: readonly GroupedAlarm[]): void {
  let latest: GroupedAlarm | undefined;
  for (const alarm of same) {
    if (latest && alarm.fired_at <= endOf(latest) + againMs) groups.join(latest, alarm);
    if (!latest || endOf(alarm) > endOf(latest)) latest = alarm;
  }
}

/** Neighbours in the order of their beginnings: whoever is within the time of anybody is within that of a neighbour. */
function joinOnsets(groups: Groups, list: readonly GroupedAlarm[], withinMs: number): void {
  const sorted = [...list].sort((a, b) => a.since - b.since);
  for (let n = 1; n < sorted.length; n++) {
    if (sorted[n]!.since - sorted[n - 1]!.since <= withinMs) groups.join(sorted[n - 1]!, sorted[n]!);
  }
}

function joinSites(groups: Groups, all: readonly GroupedAlarm[], away: readonly GroupedAlarm[]): void {
  const sites = all.filter((alarm) => alarm.subject_kind === 'site' && familyOf(alarm) === 'away');
  for (const site of sites) {
    const [fromMs, untilMs] = [site.since - againMs, endOf(site) + againMs];
    for (const alarm of [...away, ...sites]) {
      if (isWithin(alarm.site, site.subject) && alarm.since >= fromMs && alarm.since <= untilMs)
        groups.join(site, alarm);
    }
  }
}

/** Those that hear the same noise, and what others measure while they do. */
function joinJammed(groups: Groups, near: readonly GroupedAlarm[]): void {
  const sorted = [...near].sort((a, b) => a.since - b.since);
  for (const [n, alarm] of sorted.entries()) {
    for (let m = n + 1; m < sorted.length && sorted[m]!.since - alarm.since <= noiseMs; m++) {
      const other = sorted[m]!;
      if (isHeardBoth(alarm, other)) groups.join(alarm, other);
    }
  }
}

/** One noise; or noise, and what follows from it on one that does not hear it well enough to say so itself. */
function isHeardBoth(one: GroupedAlarm, other: GroupedAlarm): boolean {
  const [a, b] = [one, other].map(({ product }) => product === 'wifi_noise');
  if (!(a || b) || (!a && one.context.noisy) || (!b && other.context.noisy)) return false;
  const [channel, beside] = [one.context.channel, other.context.channel];
  return !channel || !beside || isBeside(channel, beside);
}

function joinStorms(groups: Groups, all: readonly GroupedAlarm[], agents: readonly GroupedAlarm[]): void {
  for (const storm of all) {
    if (storm.subject_kind !== 'storm') continue;
    for (const alarm of agents) {
      const isOfStorm = alarm.rule_id === storm.rule_id && alarm.fired_at <= endOf(storm);
      if (isOfStorm && alarm.fired_at >= storm.fired_at - stormMs) groups.join(storm, alarm);
    }
  }
}

function endOf({ cleared_at }: GroupedAlarm): number {
  return cleared_at ?? Number.POSITIVE_INFINITY;
}

function joinAll(groups: Groups, [first, ...rest]: readonly GroupedAlarm[]): void {
  for (const alarm of rest) groups.join(first!, alarm);
}

function buckets<T>(list: readonly T[], keyOf: (item: T) => string | null): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    if (key === null) continue;
    const same = found.get(key);
    if (same) same.push(item);
    else found.set(key, [item]);
  }
  return found;
}

/** Sets that are joined: each alarm points to an earlier one of its group, the first to itself. */
class Groups {
  readonly #sorted: readonly GroupedAlarm[];
  readonly #rank = new Map<string, number>();
  readonly #parent: number[];

  /** `sorted`: by time. */
  constructor(sorted: readonly GroupedAlarm[]) {
    this.#sorted = sorted;
    this.#parent = sorted.map(({ id }, n) => {
      this.#rank.set(id, n);
      return n;
    });
  }

  join(a: GroupedAlarm, b: GroupedAlarm): void {
    const [one, other] = [this.#first(this.#rank.get(a.id)!), this.#first(this.#rank.get(b.id)!)];
    this.#parent[Math.max(one, other)] = Math.min(one, other);
  }

  list(): GroupedAlarm[][] {
    const groups = new Map<number, GroupedAlarm[]>();
    for (const [n, alarm] of this.#sorted.entries()) {
      const first = this.#first(n);
      if (first === n) groups.set(n, [alarm]);
      else groups.get(first)!.push(alarm);
    }
    return [...groups.values()];
  }

  #first(n: number): number {
    const parent = this.#parent;
    let at = n;
    while (parent[at] !== at) {
      // Half of the way is enough for the next one.
      parent[at] = parent[parent[at]!]!;
      at = parent[at]!;
    }
    return at;
  }
}
