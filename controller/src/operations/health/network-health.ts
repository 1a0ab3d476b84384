// Health in one word with its causes: of an access point, of sites, of the network. Pure: agents and active alarms go in.
import type { AlarmSeverity, HealthWord } from '@weft/contract';
import type { AgentHealth, NetworkHealth, SiteHealth } from '@weft/contract/operations';
import type { AgentState } from '@weft/contract/selector';
import { TopN } from '../../core/base/lists/top-n.ts';
import { healthWordOf, wordOfSeverity, wordOfState, wordRank } from '../../core/network/columns.ts';

export interface HealthAgent extends Pick<AgentHealth, 'ap_id' | 'display_name' | 'site' | 'devices_affected'> {
  state: AgentState;
}

/** What of an active alarm counts. */
export interface HealthAlarm {
  id: string;
  ap_id: string | null;
  site: string | null;
  subject_kind: string;
  /** The key of the rule that comes with Weft; null for one of somebody else. */
  product: string | null;
  severity: AlarmSeverity;
  state: 'firing' | 'acknowledged' | 'cleared';
  message: string;
  since: number;
  /** Nobody wants to hear of it: planned work, or put aside. */
  isMuted: boolean;
  /** Another alarm is its cause. */
  isInhibited: boolean;
}

const maxCauses = 5;
const maxWorst = 10;
const maxSites = 100;
/** A share of bad access points from which on a site, or the network, is bad itself. */
const badShare = 0.2;

const severityRank: Record<AlarmSeverity, number> = { critical: 0, major: 1, minor: 2, warning: 3 };

export function isWorse(a: AlarmSeverity, b: AlarmSeverity): boolean {
  return severityRank[a] < severityRank[b];
}

/** In small steps, because there may be very many agents. */
export function* networkHealth(
  agents: readonly HealthAgent[],
  alarms: readonly HealthAlarm[],
  siteNames: ReadonlyMap<string, string>,
): Generator<void, NetworkHealth> {
  const counted = alarms.filter(({ isMuted }) => !isMuted);
  const healths: AgentHealth[] = [];
  const worst = new TopN<JudgedAgent>(maxWorst, byBadness);
  for (const judged of agentHealths(agents, counted)) {
    healths.push(judged.health);
    if (judged.health.health !== 'good') worst.add(judged);
    yield;
  }
  const others = counted.filter(({ ap_id }) => ap_id === null);
  const access_points = countWords(healths);
  const absent = new Map(agents.filter(isAbsent).map(({ ap_id, state }) => [ap_id, state]));
  const sites = yield* siteHealths(healths, counted, { absent, names: siteNames });
  return {
    ...judged(healths, others, absent),
    access_points,
    alarms: bySeverity(counted),
    unacknowledged: counted.filter(({ state, isInhibited }) => state === 'firing' && !isInhibited).length,
    worst: worst.take().map(({ health }) => health),
    sites: sites.slice(0, maxSites),
  };
}

/** Those that are offline or late, and which. */
type Absent = ReadonlyMap<string, AgentState>;

function isAbsent({ state }: HealthAgent): boolean {
  return state === 'offline' || state === 'late';
}

interface JudgedAgent {
  health: AgentHealth;
  /** All its alarms have another one as their cause. */
  isCaused: boolean;
}

/** Muted alarms are left out already. Ended access points have no health. */
export function* agentHealths(
  agents: Iterable<HealthAgent>,
  alarms: readonly HealthAlarm[],
): Generator<JudgedAgent, undefined> {
  const alarmsOf = Map.groupBy(alarms, ({ ap_id }) => ap_id);
  for (const agent of agents) {
    if (agent.state === 'ended') continue;
    const own = alarmsOf.get(agent.ap_id) ?? [];
    const isCaused = own.length > 0 && own.every(({ isInhibited }) => isInhibited);
    yield { health: agentHealth(agent, own), isCaused };
  }
}

function agentHealth({ state, ...labels }: HealthAgent, alarms: HealthAlarm[]): AgentHealth {
  const sorted = alarms.sort(worstFirst);
  const severity = sorted[0]?.severity ?? null;
  const causes = causeFirst(sorted).map(({ message }) => message);
  // An alarm that says the same in better words comes with the next round.
  if (sorted.length === 0 && wordOfState(state) !== 'good') causes.push(causeOf[state]!);
  const health = healthWordOf(state, severity);
  return { ...labels, health, causes: causes.slice(0, maxCauses), alarms: sorted.length, severity };
}

/** Alarms of Weft's own rules from which others of the access point follow; what explains most comes first. */
const explaining = ['offline', 'wifi_noise', 'nr_load', 'wifi_utilisation', 'lifi_blockage'];

/** The cause stands where the worst of what may follow from it would. `sorted`: the worst first. */
function causeFirst(sorted: readonly HealthAlarm[]): readonly HealthAlarm[] {
  const cause = explaining.flatMap((key) => sorted.filter(({ product }) => product === key))[0];
  if (!cause) return sorted;
  const at = sorted.findIndex(({ product }) => product !== null);
  return sorted.filter((alarm) => alarm !== cause).toSpliced(at, 0, cause);
}

const causeOf: Partial<Record<AgentState, string>> = {
  offline: 'Offline',
  late: 'Its reports are late',
  never: 'It has never reported',
};

/** Of each site with what is below it, the worst first. */
function* siteHealths(
  healths: readonly AgentHealth[],
  alarms: readonly HealthAlarm[],
  { absent, names }: { absent: Absent; names: ReadonlyMap<string, string> },
): Generator<void, SiteHealth[]> {
  const agentsOf = new Map<string, AgentHealth[]>();
  const alarmsOf = new Map<string, HealthAlarm[]>();
  for (const health of healths) {
    for (const path of pathsAbove(health.site)) add(agentsOf, path, health);
    yield;
  }
  for (const alarm of alarms) for (const path of pathsAbove(alarm.site)) add(alarmsOf, path, alarm);
  const found = [...new Set([...agentsOf.keys(), ...alarmsOf.keys()])].map((path): SiteHealth => {
    const own = agentsOf.get(path) ?? [];
    const below = alarmsOf.get(path) ?? [];
    const ofSites = below.filter(({ ap_id }) => ap_id === null);
    return {
      path,
      name: names.get(path) ?? path.slice(path.lastIndexOf('/') + 1),
      ...judged(own, ofSites, absent),
      access_points: countWords(own),
      alarms: bySeverity(below),
    };
  });
  return found.sort(
    (a, b) =>
      wordRank[a.health] - wordRank[b.health] ||
      b.access_points.bad - a.access_points.bad ||
      b.access_points.degraded - a.access_points.degraded ||
      compareText(a.path, b.path),
  );
}

/** `uk/bristol/hall`: itself, `uk/bristol` and `uk`. */
function pathsAbove(site: string | null): string[] {
  if (site === null) return [];
  const steps = site.split('/');
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

/**
 * The word for many: bad if a serious alarm is about all of them or a fifth of them are bad, degraded if any is not good.
 * Of those that are not absent only that there is an alarm is known: a rule may be about anything.
 */
function judged(
  healths: readonly AgentHealth[],
  alarms: readonly HealthAlarm[],
  absent: Absent,
): { health: HealthWord; causes: string[] } {
  const { good, degraded, bad, unknown } = countWords(healths);
  const total = healths.length;
  const sorted = [...alarms].sort(worstFirst);
  const causes = sorted.map(({ message }) => message);
  const note = (count: number, words: string) =>
    count > 0 && causes.push(`${count} of ${total} access points ${words}`);
  const offline = healths.filter(({ ap_id }) => absent.get(ap_id) === 'offline').length;
  const late = healths.filter(({ ap_id, health }) => health === 'degraded' && absent.has(ap_id)).length;
  note(offline, 'are offline');
  note(bad - offline, 'have a critical or major alarm');
  note(late, 'report late');
  note(degraded - late, 'have a minor alarm or a warning');
  const worst = sorted[0] ? wordOfSeverity(sorted[0].severity) : 'good';
  const health = ((): HealthWord => {
    if (worst === 'bad' || (total > 0 && bad >= badShare * total)) return 'bad';
    if (worst === 'degraded' || bad > 0 || degraded > 0) return 'degraded';
    return good > 0 || unknown === 0 ? 'good' : 'unknown';
  })();
  return { health, causes: causes.slice(0, maxCauses) };
}

function countWords(healths: readonly AgentHealth[]): NetworkHealth['access_points'] {
  const counts = { good: 0, degraded: 0, bad: 0, unknown: 0 };
  for (const { health } of healths) counts[health]++;
  return counts;
}

/** What follows from another alarm does not count beside it. */
function bySeverity(alarms: readonly HealthAlarm[]): NetworkHealth['alarms'] {
  const counts = { critical: 0, major: 0, minor: 0, warning: 0 };
  for (const { severity, isInhibited } of alarms) if (!isInhibited) counts[severity]++;
  return counts;
}

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}

function worstFirst(a: HealthAlarm, b: HealthAlarm): number {
  return severityRank[a.severity] - severityRank[b.severity] || a.since - b.since || compareText(a.id, b.id);
}

/** First who has most devices without service; then the worst. What has a cause of its own comes before what follows from an alarm of its site. */
function byBadness(first: JudgedAgent, second: JudgedAgent): number {
  const [a, b] = [first.health, second.health];
  const severity = ({ severity: word }: AgentHealth) => (word === null ? 4 : severityRank[word]);
  return (
    b.devices_affected - a.devices_affected ||
    wordRank[a.health] - wordRank[b.health] ||
    Number(first.isCaused) - Number(second.isCaused) ||
    severity(a) - severity(b) ||
    b.alarms - a.alarms ||
    byName(a.display_name ?? a.ap_id, b.display_name ?? b.ap_id) ||
    compareText(a.ap_id, b.ap_id)
  );
}

/** As people look for them: 2 before 10. */
const { compare: byName } = new Intl.Collator('en', { numeric: true });

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
