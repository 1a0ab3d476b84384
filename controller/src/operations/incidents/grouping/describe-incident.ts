// What an incident is: its cause, how sure that is, its site, and a title. Pure, from those of its alarms that somebody may see.
import type { IncidentCause } from '@weft/contract/operations';
import { canBeOfSettings, familyOf, type GroupedAlarm, whoSetPower } from './grouped-alarm.ts';

export interface Described {
  cause: IncidentCause;
  confidence: number;
  site: string | null;
  title: string;
  /** The alarm that says most of the cause. */
  leading: GroupedAlarm;
}

type Judged = [cause: IncidentCause, confidence: number, leading: GroupedAlarm];

/**
 * `nameOf` and `siteNames`, by path: for people. There is at least one alarm; in the order of time. `isWhoKnown`: whether the
 * reader may know who sends commands.
 */
export function describeIncident(
  alarms: readonly GroupedAlarm[],
  nameOf: (ap_id: string) => string,
  siteNames: ReadonlyMap<string, string> = new Map(),
  isWhoKnown = false,
): Described {
  const [cause, confidence, leading] = judge(alarms);
  const site = siteOf(alarms);
  const aps = new Set(alarms.flatMap(({ ap_id }) => ap_id ?? []));
  const [first] = aps;
  const who = aps.size === 1 ? nameOf(first!) : `${aps.size.toLocaleString('en')} access points`;
  const at = (path: string) => siteNames.get(path) ?? path;
  const where = aps.size === 0 ? at(leading.subject) : aps.size > 1 && site !== null ? `${who} at ${at(site)}` : who;
  const setters = new Set(cause === 'power' ? alarms.flatMap(({ context }) => whoSetPower(context) ?? []) : []);
  const setter = setters.size === 1 && isWhoKnown ? [...setters][0] : setters.size > 0 ? 'A command' : undefined;
  const title =
    cause === 'site_away'
      ? `${at(site ?? leading.subject)} is away`
      : setter !== undefined
        ? `${setter} has set the power of ${where}`
        : titles[cause](where, aps.size > 1);
  return { cause, confidence, site, title, leading };
}

/** The access points that devices may have lost their service with. */
export function accessPointsOf(alarms: readonly GroupedAlarm[]): string[] {
  return [...new Set(alarms.flatMap(({ ap_id }) => ap_id ?? []))];
}

/** What explains most comes first: a roll-out also makes access points go away, an outage also makes noise. */
function judge(alarms: readonly GroupedAlarm[]): Judged {
  const having = (test: (alarm: GroupedAlarm) => unknown) => alarms.find(test);
  const of = (...products: string[]) => having(({ product }) => product !== null && products.includes(product));
  const settings = having((alarm) => familyOf(alarm) === 'settings');
  const noise = of('wifi_noise');
  // What follows from a noise that nobody has moved to is not of settings either.
  const isOfNoise = noise !== undefined && !canBeOfSettings(noise);
  const canBe = (alarm: GroupedAlarm) => canBeOfSettings(alarm) && !(isOfNoise && familyOf(alarm) === 'wifi');
  const ofRollout = alarms.filter((alarm) => alarm.context.rollout !== undefined && canBe(alarm));
  const ofNoise = isOfNoise ? alarms.filter((alarm) => familyOf(alarm) === 'wifi') : [];
  const [rolled] = ofNoise.length > ofRollout.length ? [] : ofRollout;
  if (rolled) return ['failed_rollout', settings ? 0.9 : 0.7, rolled];
  const site = having((alarm) => alarm.subject_kind === 'site' && familyOf(alarm) === 'away');
  if (site) return ['site_away', 0.95, site];
  const outage = having((alarm) => familyOf(alarm) === 'away' && alarm.product !== 'late');
  if (outage) return judgeOutage(alarms, outage);
  const war = having((alarm) => alarm.context.war !== undefined && canBe(alarm));
  if (war) return ['conflict', 0.8, war];
  if (noise) return ['jammed_channel', of('wifi_unserved', 'wifi_retries', 'wifi_utilisation') ? 0.95 : 0.8, noise];
  const lowered = having(({ context }) => context.lowered !== undefined);
  if (lowered) return [lowered.context.lowered === 'prb_quota_pct' ? 'overload' : 'power', 0.8, lowered];
  const load = of('nr_load', 'nr_latency', 'wifi_utilisation');
  if (load) return ['overload', of('nr_load', 'wifi_utilisation') ? 0.8 : 0.5, load];
  for (const [cause, confidence, ...products] of plain) {
    const leading = of(...products);
    if (leading) return [cause, confidence, leading];
  }
  const weft = having((alarm) => familyOf(alarm) === 'weft');
  return weft ? ['weft', 0.9, weft] : ['unknown', 0, alarms[0]!];
}

const plain: [cause: IncidentCause, confidence: number, ...products: string[]][] = [
  ['weak_signal', 0.5, 'nr_sinr', 'handover_failures'],
  ['blocked', 0.6, 'lifi_blockage'],
  ['power', 0.6, 'lifi_illuminance', 'energy_5g', 'energy_wifi'],
  ['access_point_away', 0.5, 'late'],
  ['clock', 0.9, 'clock_skew'],
  ['reports', 0.9, 'report_budget'],
];

/** Whoever was only cut off has kept its reports; who was down has none. */
function judgeOutage(alarms: readonly GroupedAlarm[], outage: GroupedAlarm): Judged {
  const told = alarms.filter(({ context }) => context.gap !== undefined);
  const filled = told.find(({ context }) => context.gap === 'filled');
  if (filled && told.every(({ context }) => context.gap === 'filled')) return ['backhaul', 0.9, filled];
  if (told.length > 0 && !filled) return ['crash', 0.7, told[0]!];
  return ['access_point_away', 0.6, outage];
}

/** The deepest site that has them all. */
function siteOf(alarms: readonly GroupedAlarm[]): string | null {
  let common: string[] | undefined;
  for (const { site, subject_kind } of alarms) {
    if (subject_kind === 'storm') continue;
    if (site === null) return null;
    const steps = site.split('/');
    const upTo: number = common?.findIndex((step, n) => step !== steps[n]) ?? -1;
    common = common === undefined ? steps : upTo < 0 ? common : common.slice(0, upTo);
  }
  return common && common.length > 0 ? common.join('/') : null;
}

const are = (many: boolean) => (many ? 'are' : 'is');

const titles: Record<Exclude<IncidentCause, 'site_away'>, (where: string, many: boolean) => string> = {
  access_point_away: (where, many) => `${where} ${are(many)} away`,
  backhaul: (where, many) => `${where} ${many ? 'were' : 'was'} cut off`,
  crash: (where, many) => `${where} ${many ? 'were' : 'was'} down`,
  jammed_channel: (where, many) => `${where} ${are(many)} jammed on ${many ? 'their channels' : 'its channel'}`,
  failed_rollout: (where) => `A roll-out failed on ${where}`,
  conflict: (where) => `Two programs work against each other on ${where}`,
  overload: (where, many) => `${where} ${many ? 'have' : 'has'} too much to do`,
  weak_signal: (where, many) => `${where} ${many ? 'have' : 'has'} a weak signal`,
  blocked: (where) => `The light of ${where} is blocked`,
  power: (where, many) => `${where} ${many ? 'do' : 'does'} not draw or give the power ${many ? 'they' : 'it'} should`,
  clock: (where, many) => `The ${many ? 'clocks' : 'clock'} of ${where} ${are(many)} ahead`,
  reports: (where, many) => `${where} ${many ? 'report' : 'reports'} more than allowed`,
  weft: (where) => `Weft itself: ${where}`,
  unknown: (where) => `Alarms on ${where}`,
};
