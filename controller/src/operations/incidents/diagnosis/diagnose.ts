// What is known of the cause of an alarm of a rule that comes with Weft: a cause in words, the evidence as numbers, and what could
// be done. Pure. Nothing is proposed without evidence, and "No cause found" is an answer.

import { type DeclaredCommand, toCommandText } from '@weft/contract/declared-commands';
import type { Diagnosis, IncidentCause, Proposal } from '@weft/contract/operations';
import type { AlarmRecord } from '../../alarms/store/alarm-store.ts';
import { noiseLimitDbm } from '../grouping/alarm-context.ts';
import { type AlarmContext, familyOf, type LoweredSetting, whoSetPower } from '../grouping/grouped-alarm.ts';

/** Metrics by name; what was not reported is missing. */
export type Values = Readonly<Record<string, number | undefined>>;

export interface Neighbour {
  ap_id: string;
  values: Values;
  /** It has an active alarm of the same kind. */
  hasSame: boolean;
}

/** Somebody changed something on the access point before the alarm. */
export interface Change {
  text: string;
  atMs: number;
}

export interface Facts {
  alarm: Pick<AlarmRecord, 'id' | 'ap_id' | 'subject_kind' | 'message' | 'value' | 'since'>;
  product: string | null;
  context: AlarmContext;
  /** Means of the newest minutes of the alarm. */
  now: Values;
  /** The first that is known of the quarter of an hour before it. */
  before: Values;
  /** Those of the same type at its site that the caller may see. */
  neighbours: readonly Neighbour[];
  changes: readonly Change[];
  /** What it says it can do; empty if it does not. */
  commands: ReadonlyMap<string, DeclaredCommand>;
}

type Evidence = Diagnosis['evidence'][number];
type Found = { cause: IncidentCause; text: string; evidence: Evidence[]; proposals?: Proposal[] };

const maxChanges = 2;
const minuteMs = 60_000;

export function diagnose(facts: Facts): Diagnosis {
  const { alarm, changes } = facts;
  const found = causeOf(facts) ?? nothingFound(facts);
  const others = facts.neighbours.filter(({ hasSame }) => hasSame).length;
  const of = facts.neighbours.length;
  const evidence = [...found.evidence];
  if (of > 0)
    evidence.push(number(`Others like it at its site with the same trouble, of ${of}`, others, '', '/alarms'));
  for (const { text, atMs } of changes.slice(0, maxChanges)) {
    const minutes = Math.max(0, Math.round((alarm.since - atMs) / minuteMs));
    evidence.push(number(`Before it: ${text}; minutes before`, minutes, 'min', eventsOf(alarm.ap_id)));
  }
  const scope = of === 0 ? 'unknown' : others === 0 ? 'one' : others === of ? 'all' : 'some';
  const proposals = found.evidence.length > 0 ? (found.proposals ?? []).slice(0, 2) : [];
  return { alarm_id: alarm.id, ap_id: alarm.ap_id, cause: found.cause, text: found.text, scope, evidence, proposals };
}

function causeOf(facts: Facts): Found | undefined {
  const { context, alarm, product, changes } = facts;
  const family = familyOf({ product, subject_kind: alarm.subject_kind });
  const value = number(alarm.message, alarm.value, '', linkOf(alarm.ap_id));
  if (family === 'clock') return { cause: 'clock', text: 'Its clock is ahead of that of Weft', evidence: [value] };
  // Settings make no noise where they do not change the channel.
  const noise = family === 'wifi' ? ofNoise(facts) : undefined;
  if (noise && !context.moved) return noise;
  if (context.rollout !== undefined) {
    const evidence = [word('A roll-out gave it new settings within ten minutes before', eventsOf(alarm.ap_id))];
    return { cause: 'failed_rollout', text: 'It has new settings since a roll-out just before', evidence };
  }
  if (context.war !== undefined && family !== 'away') {
    const text = `Two programs set ${context.war} against each other`;
    return { cause: 'conflict', text, evidence: [number(text, changes.length, 'changes', '/conflicts')] };
  }
  if (family === 'away') return ofOutage(facts);
  if (family === 'wifi') return noise ?? ofFullChannel(facts) ?? ofOutage(facts, true);
  if (family === 'cell') return ofSetting(facts, 'prb_quota_pct') ?? ofSetting(facts, 'tx_power_dbm') ?? ofLoad(facts);
  if (family === 'light') return ofSetting(facts, 'dimming_pct') ?? ofBlockage(facts);
  if (family === 'energy') return ofPower(facts);
  if (family === 'reports') return { cause: 'reports', text: 'It reports more than it may', evidence: [value] };
  return family === 'weft' ? { cause: 'weft', text: alarm.message, evidence: [value] } : undefined;
}

function nothingFound({ alarm, changes }: Facts): Found {
  const text = changes.length > 0 ? 'No cause found' : 'No cause found, and nothing was changed before it';
  return {
    cause: 'unknown',
    text,
    evidence: alarm.value === null ? [] : [number(alarm.message, alarm.value, '', null)],
  };
}

/** `isWhole`: only what is certain, because another family of alarms asks. */
function ofOutage({ context, neighbours, alarm, now }: Facts, isWhole = false): Found | undefined {
  const link = linkOf(alarm.ap_id);
  if (context.gap === 'filled') {
    const evidence = [word('Reports of that time came later: it was running', link)];
    return { cause: 'backhaul', text: 'It was cut off: it ran on, and could not reach Weft', evidence };
  }
  if (isWhole) return undefined;
  const away = neighbours.filter(({ hasSame }) => hasSame).length;
  if (away > 0 && away * 2 >= neighbours.length) {
    const evidence = [number(`Away with it at its site, of ${neighbours.length}`, away, '', '/alarms')];
    return { cause: 'site_away', text: 'Most of its site is away: what they share (link, power) has failed', evidence };
  }
  const uptime = now.uptime_seconds;
  if (context.gap === 'empty') {
    const evidence = [word('Nothing was kept of that time: it was not running', link)];
    if (uptime !== undefined) evidence.unshift(number('It has been up for', uptime, 's', link));
    return { cause: 'crash', text: 'It was down: it has crashed, or lost its power', evidence };
  }
  return undefined;
}

function ofNoise(facts: Facts): Found | undefined {
  const { now, before, neighbours, alarm } = facts;
  const noise = now.noise_floor_dbm;
  const link = linkOf(alarm.ap_id, 'noise_floor_dbm');
  if (noise === undefined || noise <= noiseLimitDbm) {
    if (!facts.context.noisy) return undefined;
    const evidence = [word('There was noise in its channel when this began', link)];
    return { cause: 'jammed_channel', text: 'It was jammed, and is not any more', evidence };
  }
  const evidence = [number(`Noise${onChannel(now.channel)}`, noise, 'dBm', link)];
  if (before.noise_floor_dbm !== undefined) evidence.push(number('Noise before', before.noise_floor_dbm, 'dBm', link));
  const [connected, served] = [now.connected_devices, now.served_devices];
  if (connected !== undefined && served !== undefined && connected - served >= 0.5)
    evidence.push(
      number(
        'Devices that get nothing',
        Math.round(connected - served),
        'devices',
        linkOf(alarm.ap_id, 'served_devices,connected_devices'),
      ),
    );
  const quiet = neighbours.filter(({ values }) => (values.noise_floor_dbm ?? 0) <= noiseLimitDbm);
  const elsewhere = quiet.filter(({ values }) => values.channel !== now.channel);
  if (elsewhere.length > 0)
    evidence.push(number('Neighbours on other channels without that noise', elsewhere.length, '', '/map'));
  const proposals = toQuietChannel(facts, elsewhere);
  return { cause: 'jammed_channel', text: `Jammed${onChannel(now.channel)}`, evidence, proposals };
}

function ofFullChannel(facts: Facts): Found | undefined {
  const { now, neighbours, alarm } = facts;
  const [busy, own] = [now.channel_utilisation_pct, now.airtime_pct];
  if (busy === undefined || busy < 50) return undefined;
  const link = linkOf(alarm.ap_id, 'channel_utilisation_pct,airtime_pct');
  const evidence = [number(`Its channel${onChannel(now.channel)} is busy`, busy, '%', link)];
  if (own !== undefined) evidence.push(number('of which by itself', own, '%', link));
  if (now.connected_devices !== undefined)
    evidence.push(
      number('Devices on it', Math.round(now.connected_devices), 'devices', linkOf(alarm.ap_id, 'connected_devices')),
    );
  const same = neighbours.filter(({ values }) => values.channel !== undefined && values.channel === now.channel);
  const isOfOthers = own !== undefined && own < busy / 2;
  if (same.length > 0) evidence.push(number('Neighbours on the same channel', same.length, '', '/map'));
  if (!isOfOthers) return { cause: 'overload', text: 'It has more to send than its channel takes', evidence };
  const proposals = toQuietChannel(
    facts,
    neighbours.filter(({ values }) => (values.channel_utilisation_pct ?? 100) < 40),
  );
  return { cause: 'overload', text: 'Others fill its channel', evidence, proposals };
}

/** Where neighbours measure that it is quiet. A channel that nobody measures is not proposed. */
function toQuietChannel({ alarm, commands, now }: Facts, quiet: readonly Neighbour[]): Proposal[] {
  const declared = commands.get('set_channel')?.params?.channel;
  if (!declared || alarm.ap_id === null) return [];
  const uses = new Map<number, number>();
  for (const { values } of quiet) {
    const { channel } = values;
    const isFar = channel !== undefined && channel !== now.channel;
    if (isFar && (!declared.enum || declared.enum.includes(channel))) uses.set(channel, (uses.get(channel) ?? 0) + 1);
  }
  const far = (channel: number) => Math.abs(channel - (now.channel ?? 0));
  const [best] = [...uses].sort(([a, ofA], [b, ofB]) => ofA - ofB || far(b) - far(a));
  if (!best) return [];
  const command = toCommandText('set_channel', { channel: best[0] });
  return [{ text: `Change to channel ${best[0]}, which is quiet there`, ap_id: alarm.ap_id, command, link: null }];
}

const settings: Record<
  LoweredSetting,
  { command: string; argument: string; name: string; unit: string; cause: IncidentCause }
> = {
  prb_quota_pct: {
    command: 'set_prb_quota',
    argument: 'percent',
    name: 'quota of resource blocks',
    unit: '%',
    cause: 'overload',
  },
  tx_power_dbm: { command: 'set_tx_power', argument: 'dbm', name: 'transmit power', unit: 'dBm', cause: 'power' },
  dimming_pct: { command: 'set_dimming', argument: 'percent', name: 'light', unit: '%', cause: 'power' },
};

/** Something was set lower than it was. */
function ofSetting({ now, before, alarm, commands, context }: Facts, metric: LoweredSetting): Found | undefined {
  const [value, was] = [now[metric], before[metric]];
  if (value === undefined || was === undefined || value >= was) return undefined;
  const { command, argument, name, unit, cause } = settings[metric];
  const link = linkOf(alarm.ap_id, metric);
  const evidence = [number(`Its ${name}`, value, unit, link), number('and before', was, unit, link)];
  const proposals: Proposal[] = [];
  if (commands.has(command) && alarm.ap_id !== null) {
    const text = `Set its ${name} back to ${was} ${unit}`;
    proposals.push({ text, ap_id: alarm.ap_id, command: toCommandText(command, { [argument]: was }), link: null });
  }
  const by = whoSetPower({ ...context, lowered: metric });
  const text = `Its ${name} was lowered to ${value} ${unit}${by === undefined ? '' : ` by ${by}`}`;
  return { cause, text, evidence, proposals };
}

function ofLoad({ now, alarm, product }: Facts): Found | undefined {
  const link = linkOf(alarm.ap_id, 'prb_load_pct,connected_devices');
  const evidence: Evidence[] = [];
  if ((now.prb_load_pct ?? 0) > 80) evidence.push(number('Resource blocks in use', now.prb_load_pct!, '%', link));
  if (now.connected_devices !== undefined)
    evidence.push(number('Devices on it', Math.round(now.connected_devices), 'devices', link));
  if ((now.prb_load_pct ?? 0) <= 80 && product !== 'nr_load') return undefined;
  return { cause: 'overload', text: 'Its devices ask for more than it has', evidence };
}

function ofBlockage({ now, alarm }: Facts): Found | undefined {
  const blocked = now.blocked_pct;
  if (blocked === undefined || blocked < 50) return undefined;
  const evidence = [number('Devices without its light', blocked, '%', linkOf(alarm.ap_id, 'blocked_pct'))];
  return { cause: 'blocked', text: 'Somebody or something stands in its light', evidence };
}

function ofPower({ now, neighbours, alarm, context }: Facts): Found | undefined {
  const others = neighbours.flatMap(({ values }) => values.power_w ?? []).sort((a, b) => a - b);
  const middle = others[Math.floor(others.length / 2)];
  if (now.power_w === undefined || middle === undefined || now.power_w < middle * 1.2) return undefined;
  const link = linkOf(alarm.ap_id, 'power_w');
  const evidence = [number('It draws', now.power_w, 'W', link), number('Others like it (median)', middle, 'W', null)];
  const by = whoSetPower(context);
  const text = `It draws more than others like it${by === undefined ? '' : `, as ${by} has set it`}`;
  return { cause: 'power', text, evidence };
}

function onChannel(channel: number | undefined): string {
  return channel === undefined ? ' on its channel' : ` on channel ${channel}`;
}

function number(text: string, value: number | null, unit: string, link: string | null): Evidence {
  return { text, value: value === null ? null : Math.round(value * 10) / 10, unit, link };
}

function word(text: string, link: string | null): Evidence {
  return { text, value: null, unit: '', link };
}

function eventsOf(ap_id: string | null): string {
  return ap_id === null ? '/events' : `/events?agent=${encodeURIComponent(ap_id)}`;
}

/** The page of the access point; of a metric with its chart. */
function linkOf(ap_id: string | null, metric?: string): string | null {
  if (ap_id === null) return null;
  return `/agents/${encodeURIComponent(ap_id)}${metric === undefined ? '' : `?metrics=${metric}`}`;
}
