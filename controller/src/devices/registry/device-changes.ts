// What happened to devices, as the event log tells it: each end of a link is `left` or `moved`, each beginning `joined` or `moved`.
import type { NewEvent } from '../../event-log/event-log.ts';
import type { DeviceLinkRecord } from '../store/device-store.ts';

/** A device that leaves one access point and joins another within this time has moved. */
export const moveMs = 60_000;

export type ChangeKind = 'joined' | 'left' | 'moved';

export interface DeviceChange {
  kind: ChangeKind;
  link: DeviceLinkRecord;
  /** Where it came from, of a move. */
  from?: string | undefined;
  /** Where it went, of a move. */
  to?: string | undefined;
  ts: number;
}

export function toEvent({ kind, link, from, to, ts }: DeviceChange): NewEvent {
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
