// The event log for pages: what an event is about, and where it leads. Pure.
import type { EventItem as LoggedEvent } from '../api/client.ts';
import type { IconName } from '../components/button.tsx';

export type { LoggedEvent };

/** Each with its icon and how its kinds begin, in the order in which pages offer them. */
const families = {
  incident: ['warning', 'incident'],
  agent: ['agents', 'agent'],
  alarm: ['bell', 'alarm', 'silence'],
  command: ['commands', 'command'],
  conflict: ['conflict', 'conflict'],
  run: ['emulator', 'run'],
  config: ['settings', 'config', 'rollout', 'site', 'webhook'],
  device: ['device', 'device'],
  node: ['screen', 'node', 'storage'],
} as const satisfies Record<string, readonly [icon: IconName, ...prefixes: string[]]>;
export type EventFamily = keyof typeof families;
export const eventFamilies = Object.keys(families) as EventFamily[];

export function familyOf(kind: string): EventFamily {
  return eventFamilies.find((family) => kindsOf(family).includes(`${kind.split('.')[0]}.*`)) ?? 'node';
}

export function iconOf(kind: string): IconName {
  return families[familyOf(kind)][0];
}

/** The kinds of a family, as the interface takes them. */
export function kindsOf(family: string): string[] {
  const [, ...prefixes] = Object.hasOwn(families, family) ? families[family as EventFamily] : [];
  return prefixes.map((prefix) => `${prefix}.*`);
}

/** The page of what it is about; undefined if there is none. */
export function hrefOf({ kind, subject_kind, subject, ap_id }: LoggedEvent): string | undefined {
  const name = encodeURIComponent(subject);
  if (subject_kind === 'command') return `/commands/${name}`;
  if (subject_kind === 'alarm') return `/alarms?view=history&alarm=${name}`;
  if (subject_kind === 'incident') return `/incidents/${name}`;
  if (subject_kind === 'device') return `/devices/${name}`;
  if (subject_kind === 'rollout') return `/configuration/rollouts/${name}`;
  if (subject_kind === 'run') return `/emulator/${name}`;
  if (kind === 'agent.removed') return undefined;
  const agent = subject_kind === 'agent' ? subject : ap_id;
  return agent ? `/agents/${encodeURIComponent(agent)}` : undefined;
}

/** From this many on, events of one kind are shown as one. */
const groupFrom = 4;
/** Those of a group lie within this time. */
const groupMs = 120_000;

/**
 * Newest first, as the events are: those of one kind and severity that came within two minutes are together, where the newest of
 * them is; few of them stay single.
 */
export function groupEvents(events: readonly LoggedEvent[]): LoggedEvent[][] {
  const groups: LoggedEvent[][] = [];
  const open = new Map<string, LoggedEvent[]>();
  for (const event of events) {
    const key = `${event.kind} ${event.severity}`;
    const group = open.get(key);
    if (group && Date.parse(group[0]!.ts) - Date.parse(event.ts) <= groupMs) {
      group.push(event);
      continue;
    }
    const next = [event];
    open.set(key, next);
    groups.push(next);
  }
  const rows = groups.flatMap((group) => (group.length >= groupFrom ? [group] : group.map((event) => [event])));
  return rows.sort(([a], [b]) => b!.id - a!.id);
}

/** States of one access point as spans of time, from its events; the first one begins where nothing is known before it. */
export interface StateSpan {
  state: 'online' | 'late' | 'offline' | 'asleep';
  from: number;
  to: number;
}

const stateOfKind: Record<string, StateSpan['state']> = {
  'agent.online': 'online',
  'agent.late': 'late',
  'agent.offline': 'offline',
  'agent.asleep': 'asleep',
  'agent.awake': 'online',
};

/** `events` in any order; `now` is how it is at the end of the range, in seconds like all moments here. */
export function stateSpans(
  events: readonly Pick<LoggedEvent, 'kind' | 'ts'>[],
  range: { from: number; to: number },
  now: StateSpan['state'] | undefined,
): StateSpan[] {
  const changes = events
    .flatMap(({ kind, ts }) => (stateOfKind[kind] ? [{ state: stateOfKind[kind], at: Date.parse(ts) / 1000 }] : []))
    .sort((a, b) => a.at - b.at);
  if (changes.length === 0) return now ? [{ state: now, ...range }] : [];
  return changes.map(({ state, at }, index) => ({ state, from: at, to: changes[index + 1]?.at ?? range.to }));
}
