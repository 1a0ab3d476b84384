import { type AlarmCriteria, isBeyond, type Operator } from './metric-condition.ts';

export type AgentState = 'online' | 'late' | 'offline' | 'never' | 'ended';

/** How an access point is, and since when. */
export interface Standing {
  ap_id: string;
  /** Path of its site. */
  site: string | null;
  state: AgentState;
  sinceMs: number;
  /** Null if it never reported. */
  lastSeenMs: number | null;
  isAsleep: boolean;
  /** Nobody has looked for long enough to know: nothing changes because of it. */
  isUncertain: boolean;
  /** When it went away or came back, oldest first. */
  changesMs: readonly number[];
}

export interface Finding {
  subject_kind: 'agent' | 'site';
  subject: string;
  site: string | null;
  /** Whether an alarm is to be there; undefined in between, where it stays as it is. */
  fires: boolean | undefined;
  /** Since when the condition, or its end, has held. */
  sinceMs: number;
  value: number;
  /** Of how many it is, for sites. */
  of?: number;
}

/** Findings of one rule about the access points that it selects, at `nowMs`. */
export function findTimed(rule: AlarmCriteria, agentStates: Iterable<Standing>, nowMs: number): Finding[] {
  const { condition } = rule;
  if (condition.share_of_site !== undefined) {
    const shares = new SiteShares(rule);
    for (const standing of agentStates) shares.add(standing);
    return shares.find(nowMs);
  }
  const findings: Finding[] = [];
  for (const standing of agentStates) {
    const held = holding(rule, standing, nowMs);
    const neededMs = 1000 * (held.holds ? rule.for_seconds : (rule.clear?.for_seconds ?? rule.for_seconds));
    const isOver = nowMs - held.sinceMs >= neededMs;
    findings.push({
      subject_kind: 'agent',
      subject: standing.ap_id,
      site: standing.site,
      fires: isOver && !standing.isUncertain ? held.holds : undefined,
      sinceMs: held.sinceMs,
      value: held.value,
    });
  }
  return findings;
}

function holding(
  { condition, when_asleep }: AlarmCriteria,
  { state, sinceMs, lastSeenMs, isAsleep, changesMs }: Standing,
  nowMs: number,
): { holds: boolean; sinceMs: number; value: number } {
  // One that sleeps, or whose run is over, is away on purpose.
  const isExcused = (isAsleep && when_asleep === 'ignore') || (state === 'ended' && condition.state !== 'ended');
  if (condition.absent_seconds !== undefined) {
    if (lastSeenMs === null) return { holds: false, sinceMs: 0, value: Number.NaN };
    const awayMs = nowMs - lastSeenMs;
    const limitMs = condition.absent_seconds * 1000;
    const holds = !isExcused && awayMs >= limitMs;
    return { holds, sinceMs: holds ? lastSeenMs + limitMs : sinceMs, value: awayMs / 1000 };
  }
  if (condition.state_changes !== undefined) {
    const sinceChangesMs = nowMs - condition.within_seconds! * 1000;
    const recent = changesMs.filter((ms) => ms > sinceChangesMs);
    const holds = !isExcused && recent.length >= condition.state_changes;
    // It ends when the oldest that was needed is too old.
    const endedMs = (changesMs.at(-condition.state_changes) ?? 0) + condition.within_seconds! * 1000;
    const sinceHeldMs = recent.at(condition.state_changes - 1) ?? nowMs;
    return { holds, sinceMs: holds ? sinceHeldMs : Math.min(nowMs, endedMs), value: recent.length };
  }
  return { holds: !isExcused && state === condition.state, sinceMs, value: Number.NaN };
}

interface SiteCount {
  inMs: number[];
  otherMs: number[];
  isUncertain: boolean;
}

/** The share of each site with everything below it. Sleeping access points are not away. */
export class SiteShares {
  readonly #rule: AlarmCriteria;
  /** Of each site alone. */
  readonly #counts = new Map<string, SiteCount>();

  constructor(rule: AlarmCriteria) {
    this.#rule = rule;
  }

  /** A site of which nothing is in the state of the rule can only fire by a rule that no share at all breaks. */
  static isQuietAtNone({ condition }: AlarmCriteria): boolean {
    return !isBeyond(condition.op as Operator, 0, condition.value!);
  }

  add({ site, state, sinceMs, isAsleep, isUncertain }: Standing): void {
    if (site === null || state === 'ended' || state === 'never') return;
    const { condition, when_asleep } = this.#rule;
    const count = countOf(this.#counts, site);
    const isIn = state === condition.share_of_site!.state && !(isAsleep && when_asleep === 'ignore');
    count.isUncertain ||= isUncertain;
    (isIn ? count.inMs : count.otherMs).push(sinceMs);
  }

  /** Sites where nothing holds are left out unless `matters` says that their end is of interest. */
  find(nowMs: number, matters: (site: string) => boolean = () => true): Finding[] {
    const { condition, for_seconds, clear } = this.#rule;
    const { at_least = 2 } = condition.share_of_site!;
    const op = condition.op as Operator;
    const limit = condition.value!;
    const clearLimit = clear?.value ?? limit;
    const sites = this.#withThoseBelow();
    const findings: Finding[] = [];
    for (const [subject, { inMs, otherMs, isUncertain }] of sites) {
      const of = inMs.length + otherMs.length;
      if (of < at_least) continue;
      const value = inMs.length / of;
      const holds = isBeyond(op, value, limit) && !isExplained(subject, inMs.length);
      if (!holds && !matters(subject)) continue;
      const isCleared = !holds && (!isBeyond(op, value, clearLimit) || isBeyond(op, value, limit));
      // Since the last one that was needed for it is as it is.
      const sinceMs = holds
        ? crossingMs(inMs, (count) => isBeyond(op, count / of, limit))
        : crossingMs(otherMs, (count) => !isBeyond(op, (of - count) / of, clearLimit));
      const neededMs = 1000 * (holds ? for_seconds : (clear?.for_seconds ?? for_seconds));
      const fires = !isUncertain && (holds || isCleared) && nowMs - sinceMs >= neededMs ? holds : undefined;
      findings.push({ subject_kind: 'site', subject, site: subject, fires, sinceMs, value, of });
    }
    return findings;

    /** Everything that is so in the site is so in one site below it, which says it better. */
    function isExplained(path: string, count: number): boolean {
      for (const [below, { inMs, otherMs }] of sites) {
        if (!below.startsWith(`${path}/`) || inMs.length !== count) continue;
        const of = inMs.length + otherMs.length;
        if (of >= at_least && isBeyond(op, inMs.length / of, limit)) return true;
      }
      return false;
    }
  }

  #withThoseBelow(): Map<string, SiteCount> {
    const sites = new Map<string, SiteCount>();
    for (const [site, { inMs, otherMs, isUncertain }] of this.#counts) {
      for (const path of pathsAbove(site)) {
        const count = countOf(sites, path);
        for (const ms of inMs) count.inMs.push(ms);
        for (const ms of otherMs) count.otherMs.push(ms);
        count.isUncertain ||= isUncertain;
      }
    }
    return sites;
  }
}

function countOf(counts: Map<string, SiteCount>, site: string): SiteCount {
  let count = counts.get(site);
  if (!count) {
    count = { inMs: [], otherMs: [], isUncertain: false };
    counts.set(site, count);
  }
  return count;
}

function crossingMs(timesMs: number[], isEnough: (count: number) => boolean): number {
  timesMs.sort((a, b) => a - b);
  for (let count = 0; count <= timesMs.length; count++) {
    if (isEnough(count)) return count === 0 ? 0 : timesMs[count - 1]!;
  }
  return timesMs.at(-1) ?? 0;
}

/** `uk/bristol/hall` → `uk`, `uk/bristol`, `uk/bristol/hall`. */
export function pathsAbove(site: string): string[] {
  const paths: string[] = [];
  for (let at = site.indexOf('/'); at >= 0; at = site.indexOf('/', at + 1)) paths.push(site.slice(0, at));
  paths.push(site);
  return paths;
}
