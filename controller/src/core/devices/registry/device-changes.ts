// What happened to devices, as the event log tells it: each end of a link is `left` or `moved`, each beginning `joined` or `moved`.
// All that leave because their access point is away are one event.
import type { NewEvent } from '../../accounts/event-log/event-record.ts';
import type { DeviceLinkRecord } from '../store/device-store.ts';

/** A device that leaves one access point and joins another within this time has moved. */
export const moveMs = 60_000;

export type ChangeKind = 'joined' | 'left' | 'moved';

/** Why an access point serves no devices any more. */
export type SilenceReason = 'offline' | 'ended';

export interface DeviceChange {
  kind: ChangeKind;
  link: DeviceLinkRecord;
  /** Where it came from, of a move. */
  from?: string | undefined;
  /** Where it went, of a move. */
  to?: string | undefined;
  ts: number;
  /** It left because its access point is away, with all others there. */
  because?: SilenceReason | undefined;
}

function toEvent({ kind, link, from, to, ts }: DeviceChange): NewEvent {
  const { device, ap_id } = link;
  const isMove = kind === 'moved';
  const text = isMove
    ? `${device} moved from ${from} to ${to}`
    : `${device} ${kind === 'joined' ? 'joined' : 'left'} ${ap_id}`;
  return {
    kind: `device.${kind}`,
    subject_kind: 'device',
    subject: device,
    text,
    data: isMove ? { ap_id: to, from } : { ap_id },
    ts,
  };
}

const silenceWords: Record<SilenceReason, string> = { offline: 'is offline', ended: 'has ended' };

/** In their order. */
export function toEvents(changes: readonly DeviceChange[]): NewEvent[] {
  const groups = new Map<string, DeviceChange[]>();
  const events: (NewEvent | DeviceChange[])[] = [];
  for (const change of changes) {
    const key = groupOf(change);
    const group = key === undefined ? undefined : groups.get(key);
    if (group) group.push(change);
    else if (key === undefined) events.push(toEvent(change));
    else {
      const first = [change];
      groups.set(key, first);
      events.push(first);
    }
  }
  return events.map((event) => (Array.isArray(event) ? toGroup(event) : event));
}

/** What becomes one event; undefined for one of its own. */
export function groupOf({ kind, because, link, ts }: DeviceChange): string | undefined {
  return kind === 'left' && because !== undefined ? `${because} ${ts} ${link.ap_id}` : undefined;
}

function toGroup(changes: readonly DeviceChange[]): NewEvent {
  const [first] = changes as [DeviceChange];
  const count = changes.length;
  if (count === 1) return toEvent(first);
  const { ap_id } = first.link;
  return {
    kind: 'device.left',
    subject_kind: 'devices',
    subject: ap_id,
    text: `${count.toLocaleString('en')} devices left ${ap_id}, which ${silenceWords[first.because!]}`,
    data: { ap_id, count, because: first.because },
    devices: changes.map(({ link }) => link.device),
    ts: first.ts,
  };
}
